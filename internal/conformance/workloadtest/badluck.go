package workloadtest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/describe/errorclass"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/driver"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// space is what the data set takes.
func (s Suite) space() int64 { return bytesOf(s.set(seed)) }

func (s Suite) cancelledSession(t *testing.T) {
	b := s.prepared(t, t.TempDir())
	var receipts [][]byte
	for user := range users {
		open, err := b.Workload.Open(t.Context(), b.target(), b.Parameters, user, seed)
		if err != nil {
			t.Fatal(err)
		}
		n, rec := countdown(unitsEach), b.recorder(t)
		open.(workload.PacedSession).Pace(&n)
		ctx, cancel := context.WithCancel(t.Context())
		if err := open.Do(ctx, rec); err != nil {
			t.Error(err)
		}
		cancel()
		if err := open.Do(ctx, rec); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want that it was cancelled", err)
		}
		if err := open.Close(); err != nil {
			t.Error(err)
		}
		receipts = append(receipts, rec.receipts...)
	}
	if !b.passes(t, receipts) {
		t.Error("the audit fails")
	}
}

func (s Suite) noSpaceBefore(t *testing.T) {
	b := s.onVolume(t, Tmpfs(t, s.space()/2))
	err := b.load(t.Context(), func(float64) {})
	if !errors.Is(err, unix.ENOSPC) || !strings.Contains(err.Error(), "MiB are free") {
		t.Errorf("%v, want that there is no space, and how much there is", err)
	}
	mustBeEmpty(t, b.dir())
}

// Sessions continue without the space: acknowledged data is there.
func (s Suite) noSpaceWhile(t *testing.T) {
	b := s.prepared(t, Tmpfs(t, 2*s.space()+1<<20))
	fill(t, filepath.Join(b.dir(), "rest"))
	receipts, errs := b.work(t, nil)
	onlyClass(t, errs, errorclass.OutOfSpace)
	if !b.passes(t, receipts) {
		t.Error("the audit fails")
	}
}

// fill takes all space that is left.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if err := errors.Join(f.Close()); err != nil && !errors.Is(err, unix.ENOSPC) {
		t.Fatal(err)
	}
}

func onlyClass(t *testing.T, errs []error, want string) {
	t.Helper()
	for _, err := range errs {
		if class := driver.Classify(err); class != want {
			t.Errorf("%v is of class %q, want %q", err, class, want)
		}
	}
	if len(errs) > 0 {
		t.Logf("%d errors: %v", len(errs), errs[0])
	}
}

func (s Suite) readOnly(t *testing.T) {
	b := s.prepared(t, Tmpfs(t, 2*s.space()+1<<20))
	SetReadOnly(t, b.dir())
	receipts, errs := b.work(t, nil)
	onlyClass(t, errs, errorclass.ReadOnly)
	if len(errs) < users && !b.passes(t, receipts) { // else nobody could begin
		t.Error("the audit fails")
	}
}

func (s Suite) vanishes(t *testing.T) {
	b := s.prepared(t, Tmpfs(t, 2*s.space()+1<<20))
	receipts, _ := b.work(t, nil)
	Vanish(t, b.dir())
	if _, errs := b.work(t, nil); len(errs) < users {
		t.Errorf("users work on a volume that is not there: %v", errs)
	}
	if b.passes(t, receipts) {
		t.Error("the audit passes on a volume that is not there")
	}
	mustBeEmpty(t, b.dir())
}

func (s Suite) links(t *testing.T) {
	b := s.prepared(t, t.TempDir())
	outside := Links(t, b.dir())
	before := contents(t, outside)
	_, errs := b.work(t, nil)
	if diff := cmp.Diff(before, contents(t, outside)); diff != "" || len(errs) == 0 {
		t.Errorf("through links sessions reached what is outside, with %d errors (-before +after):\n%s", len(errs), diff)
	}
}

// contents are a checkable form of all files below a directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		all[path] = fmt.Sprintf("%d bytes, %x", len(text), sha256.Sum256(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// eachFile visits the files of a volume, but not what says whose it is, and
// counts them.
func eachFile(t *testing.T, dir string, do func(path string) error) (n int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		n++
		return do(path)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (s Suite) removed(t *testing.T) {
	b := s.prepared(t, t.TempDir())
	gone := 0
	receipts, errs := b.work(t, func() { gone = eachFile(t, b.dir(), os.Remove) })
	t.Logf("%d errors: %.200v", len(errs), errs)
	if eachFile(t, b.dir(), os.Remove)+gone > 0 && b.passes(t, receipts) {
		t.Error("the audit does not notice that all files are gone")
	}
}

func (s Suite) truncated(t *testing.T) {
	b := s.prepared(t, t.TempDir())
	receipts, errs := b.work(t, func() { eachFile(t, b.dir(), halve) })
	t.Logf("%d errors: %.200v", len(errs), errs)
	if eachFile(t, b.dir(), halve) > 0 && b.passes(t, receipts) {
		t.Error("the audit does not notice that all files are shorter")
	}
}

func halve(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.Truncate(path, info.Size()/2)
}

// noHandles leaves the process none.
func (s Suite) noHandles(t *testing.T) {
	b := s.prepared(t, t.TempDir())
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	probe, err := os.Open(os.DevNull) // the lowest that is free
	if err != nil {
		t.Fatal(err)
	}
	defer probe.Close()
	low := unix.Rlimit{Cur: uint64(probe.Fd()), Max: limit.Max}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &low); err != nil {
		t.Fatal(err)
	}
	_, err = b.Workload.Open(t.Context(), b.target(), b.Parameters, 0, seed)
	if restored := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); restored != nil {
		t.Fatal(restored)
	}
	if !errors.Is(err, unix.EMFILE) {
		t.Errorf("%v, want that there are no file handles", err)
	}
}
