package smallfiles

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/describe/errorclass"
	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/driver"
	"plimsoll/internal/workload/fileio"

	"golang.org/x/sys/unix"
)

// stage is a volume with one worker.
type stage struct {
	p        *Parameters
	target   workload.Target
	worker   workload.Session
	receipts [][]byte
	limit    int // units that are left
}

// play prepares a volume in a directory and opens a worker.
func play(t *testing.T, dir, operation string, change func(*Parameters)) *stage {
	t.Helper()
	p := defaults()
	p.Operation, p.Files, p.FanOut, p.FileSize, p.Work = operation, 8, 4, 10_000, timed
	change(p)
	s := &stage{p: p, target: workload.Target{Users: 1, Endpoints: []endpoint.Endpoint{endpoint.OfDirectory(fileio.VolumeRole, dir)}}}
	if err := (Workload{}).Prepare(t.Context(), s.target, p, 1, func(float64) {}); err != nil {
		t.Fatal(err)
	}
	w, err := Workload{}.Open(t.Context(), s.target, p, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() }) // of a volume that may be gone
	w.(workload.PacedSession).Pace(s)
	s.worker = w
	return s
}

func as(*Parameters) {}

// Next implements workload.Pace.
func (s *stage) Next() (time.Time, bool) {
	s.limit--
	return time.Time{}, s.limit >= 0
}

// Observe, Moved and Receipt implement workload.Recorder.
func (s *stage) Observe(int, time.Time, time.Duration, workload.Outcome) {}
func (s *stage) Moved(int, int64)                                        {}
func (*stage) Spent(int, describe.Effort)                                {}
func (s *stage) Receipt(r []byte)                                        { s.receipts = append(s.receipts, bytes.Clone(r)) }

// units does so many units and gives the classes of those that failed.
func (s *stage) units(t *testing.T, n int) (classes []string) {
	t.Helper()
	for s.limit = n; s.limit > 0 || s.worker.(*worker).Waits; {
		if err := s.worker.Do(t.Context(), s); err != nil {
			t.Log(err)
			classes = append(classes, driver.Classify(err))
		}
		if s.worker.Broken() {
			t.Fatal("the worker is broken, and its knowledge is lost")
		}
	}
	return classes
}

// audit ends the work and gives the checks that fail.
func (s *stage) audit(t *testing.T) (a describe.Audit, failed []string) {
	t.Helper()
	s.limit = 0
	if err := s.worker.Do(t.Context(), s); !errors.Is(err, workload.ErrFinished) {
		t.Fatal(err)
	}
	a, err := Workload{}.Audit(t.Context(), s.target, s.p, 1, func(yield func([]byte) bool) error {
		for _, r := range s.receipts {
			if !yield(r) {
				break
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range a.Checks {
		if !c.Passed {
			t.Logf("%s: expected %d, found %d: %q", c.Name, c.Expected, c.Found, c.Examples)
			failed = append(failed, c.Name)
			if len(c.Examples) == 0 {
				t.Errorf("%q has no examples", c.Name)
			}
		}
	}
	return a, failed
}

// path returns the path of a file in the first directory.
func (s *stage) path(name string) string {
	w := s.worker.(*worker)
	return filepath.Join(w.path, w.tree.path(0, 0), name)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Another program changes the files: the operation that meets it says so, and the
// audit finds it, too.
func TestMeddling(t *testing.T) {
	first, second, strange := fileName(0, false), fileName(1, false), "another"
	for _, c := range []struct {
		name, operation string
		meddle          func(s *stage) error
		class           string // of the errors in the 8 units after
		failed          []string
	}{
		{"deletes a file", read, func(s *stage) error { return os.Remove(s.path(first)) }, fileio.Missing, []string{checkThere}},
		{"deletes a file", extend, func(s *stage) error { return os.Remove(s.path(first)) }, fileio.Missing, []string{checkThere}},
		{"deletes a file", rename, func(s *stage) error { return os.Remove(s.path(first)) }, fileio.Missing, []string{checkThere}},
		{"deletes a file", list, func(s *stage) error { return os.Remove(s.path(first)) }, fileio.Missing, []string{checkThere}},
		{"truncates a file", read, func(s *stage) error { return os.Truncate(s.path(first), 9_000) }, fileio.ShortIO, []string{checkSize}},
		{"truncates a file", stat, func(s *stage) error { return os.Truncate(s.path(first), 0) }, fileio.WrongSize, []string{checkSize}},
		{"appends to a file", stat, func(s *stage) error { return os.Truncate(s.path(first), 10_001) }, fileio.WrongSize, []string{checkSize}},
		{"changes a byte", read, func(s *stage) error { return overwrite(s.path(first), 5_000) }, blockcheck.Corrupt, []string{checkContent}},
		{"exchanges two files", read, func(s *stage) error {
			return unix.Renameat2(unix.AT_FDCWD, s.path(first), unix.AT_FDCWD, s.path(second), unix.RENAME_EXCHANGE)
		}, blockcheck.Misplaced, []string{checkContent}},
		{"puts a link in a file's place", read, func(s *stage) error {
			return errors.Join(os.Rename(s.path(first), s.worker.(*worker).path+"/aside"), os.Symlink("../../../../aside", s.path(first)))
		}, fileio.Missing, []string{checkSize}},
		{"makes a file of his own", list, func(s *stage) error { return os.WriteFile(s.path(strange), nil, 0o600) }, blockcheck.Foreign, []string{checkGone}},
		{"renames a file", list, func(s *stage) error { return os.Rename(s.path(first), s.path(fileName(0, true))) }, blockcheck.Stale, []string{checkThere, checkGone}},
	} {
		t.Run(c.name+", "+c.operation, func(t *testing.T) {
			s := play(t, t.TempDir(), c.operation, as)
			if classes := s.units(t, 8); len(classes) > 0 {
				t.Fatalf("before anything happened: %v", classes)
			}
			if c.operation == rename { // back to their first names
				s.units(t, 8)
			}
			must(t, c.meddle(s))
			if classes := slices.Compact(s.units(t, 8)); !slices.Equal(classes, []string{c.class}) {
				t.Errorf("errors are %v, want %s", classes, c.class)
			}
			if _, failed := s.audit(t); !slices.Equal(failed, c.failed) {
				t.Errorf("checks that fail: %q, want %q", failed, c.failed)
			}
		})
	}
}

// overwrite changes a byte in the midst of a file.
func overwrite(path string, at int64) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte{0xff, 0, 0xff}, at)
	return errors.Join(err, f.Close())
}

// A volume that lost the last changes, although all were acknowledged.
func TestLostChanges(t *testing.T) {
	for _, c := range []struct {
		operation string
		lose      func(s *stage) error
		failed    []string
	}{
		{create, func(s *stage) error { return os.Remove(s.path(fileName(0, false))) }, []string{checkThere}},
		{extend, func(s *stage) error { return os.Truncate(s.path(fileName(0, false)), 10_000) }, []string{checkSize}},
		{remove, func(s *stage) error { return os.WriteFile(s.path(fileName(0, false)), nil, 0o600) }, []string{checkGone}},
		{rename, func(s *stage) error { return os.Rename(s.path(fileName(0, true)), s.path(fileName(0, false))) }, []string{checkThere, checkGone}},
	} {
		t.Run(c.operation, func(t *testing.T) {
			s := play(t, t.TempDir(), c.operation, as)
			s.units(t, 8)
			must(t, c.lose(s))
			a, failed := s.audit(t)
			if !slices.Equal(failed, c.failed) || a.Acknowledged != 8 || a.Present != 7 {
				t.Errorf("%d of %d changes are there; checks that fail: %q, want %q", a.Present, a.Acknowledged, failed, c.failed)
			}
		})
	}
}

// small mounts a file system of so many bytes, for whom may.
func small(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("small", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("no tmpfs can be mounted here: %v", err)
	}
	t.Cleanup(func() { must(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	return dir
}

func TestNoSpaceBefore(t *testing.T) {
	for _, options := range []string{"size=64k", "size=4m,nr_inodes=6"} {
		p := defaults()
		p.Operation, p.Files, p.FileSize = read, 8, 10_000
		dir := small(t, options)
		target := workload.Target{Users: 1, Endpoints: []endpoint.Endpoint{endpoint.OfDirectory(fileio.VolumeRole, dir)}}
		err := Workload{}.Prepare(t.Context(), target, p, 1, func(float64) {})
		if driver.Classify(err) != errorclass.OutOfSpace {
			t.Errorf("%s: %v", options, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: it left %v, %v", options, left, err)
		}
	}
}

// While there is no space files cannot be made, and none is left in part. Nothing
// that was acknowledged is lost, and the worker goes on as soon as there is space.
func TestNoSpaceWhileRunning(t *testing.T) {
	for _, operation := range []string{create, extend} {
		t.Run(operation, func(t *testing.T) {
			dir := small(t, "size=1m")
			s := play(t, dir, operation, as)
			s.units(t, 4)
			full := filepath.Join(dir, "full")
			fill(t, full)
			classes := s.units(t, 4)
			if !slices.Contains(classes, errorclass.OutOfSpace) {
				t.Errorf("errors are %v", classes)
			}
			must(t, os.Remove(full))
			if classes := s.units(t, 16); len(classes) > 0 {
				t.Errorf("with space again: %v", classes)
			}
			if a, failed := s.audit(t); len(failed) > 0 || a.Doubtful > 0 || a.Acknowledged != a.Present {
				t.Errorf("%+v", a)
			}
		})
	}
}

func TestNoSpaceUntilTheEnd(t *testing.T) {
	dir := small(t, "size=1m")
	s := play(t, dir, extend, as)
	fill(t, filepath.Join(dir, "full"))
	s.units(t, 3)
	if a, failed := s.audit(t); len(failed) > 0 || a.Doubtful == 0 {
		t.Errorf("%+v", a)
	}
}

func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	must(t, err)
	for err == nil {
		_, err = f.Write(make([]byte, 512))
	}
	if must(t, f.Close()); !errors.Is(err, unix.ENOSPC) {
		t.Fatal(err)
	}
}

// A volume that became read-only refuses changes, and what was acknowledged stays.
func TestReadOnly(t *testing.T) {
	for _, operation := range []string{create, extend, rename, remove} {
		t.Run(operation, func(t *testing.T) {
			dir := small(t, "size=4m")
			s := play(t, dir, operation, as)
			s.units(t, 4)
			s.worker.(*worker).leaves = newLeaves(s.worker.(*worker).root, s.worker.(*worker).tree)
			if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
				t.Fatal(err)
			}
			if classes := slices.Compact(s.units(t, 3)); !slices.Equal(classes, []string{errorclass.ReadOnly}) {
				t.Errorf("errors are %v", classes)
			}
			if a, failed := s.audit(t); len(failed) > 0 || a.Acknowledged != 4 || a.Present != 4 || a.Doubtful > 0 {
				t.Errorf("%+v", a)
			}
		})
	}
}

// Where the volume was, there is nothing, and then a foreign, empty one: nothing is
// written to that.
func TestVolumeGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "volume")
	must(t, os.Mkdir(dir, 0o700))
	s := play(t, dir, create, as)
	s.units(t, 2)
	must(t, os.RemoveAll(dir))
	if classes := s.units(t, 4); len(classes) != 4 {
		t.Errorf("errors are %v", classes)
	}
	must(t, os.Mkdir(dir, 0o700))
	if classes := s.units(t, 2); len(classes) != 2 {
		t.Errorf("errors are %v", classes)
	}
	if inside, err := os.ReadDir(dir); err != nil || len(inside) > 0 {
		t.Errorf("the foreign volume holds %v, %v", inside, err)
	}
	_, err := Workload{}.Open(t.Context(), s.target, s.p, 0, 1)
	if driver.Classify(err) != fileio.VolumeGone {
		t.Errorf("another worker: %v", err)
	}
}

// Without file handles a worker waits until there are some again.
func TestNoFileHandles(t *testing.T) {
	s := play(t, t.TempDir(), create, as)
	s.units(t, 1)
	var before unix.Rlimit
	must(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &before))
	limit := func(n uint64) { must(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: n, Max: before.Max})) }
	t.Cleanup(func() { limit(before.Cur) })
	limit(3)
	_, err := Workload{}.Open(t.Context(), s.target, s.p, 0, 1)
	classes := s.units(t, 2)
	limit(before.Cur)
	if driver.Classify(err) != fileio.Handles || !slices.Equal(classes, []string{fileio.Handles, fileio.Handles}) {
		t.Errorf("another worker: %v; errors are %v", err, classes)
	}
	if classes := s.units(t, 4); len(classes) > 0 {
		t.Errorf("with handles again: %v", classes)
	}
	if a, failed := s.audit(t); len(failed) > 0 || a.Acknowledged != 5 || a.Doubtful > 0 {
		t.Errorf("%+v", a)
	}
}

// A worker of a driver that ends at once accounts for its files nevertheless.
func TestCancelledWorkerAccounts(t *testing.T) {
	s := play(t, t.TempDir(), create, as)
	s.units(t, 3)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.worker.Do(ctx, s); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if a, failed := s.audit(t); len(failed) > 0 || a.Acknowledged != 3 || a.Present != 3 {
		t.Errorf("%+v", a)
	}
}

// A volume that was prepared for other files is refused.
func TestOtherShapeIsRefused(t *testing.T) {
	s := play(t, t.TempDir(), read, as)
	for name, change := range map[string]func(*Parameters, *workload.Target){
		"file size": func(p *Parameters, _ *workload.Target) { p.FileSize++ },
		"workers":   func(_ *Parameters, t *workload.Target) { t.Users++ },
		"instance":  func(_ *Parameters, t *workload.Target) { t.Instance++ },
	} {
		p, target := *s.p, s.target
		change(&p, &target)
		if _, err := (Workload{}).Open(t.Context(), target, &p, 0, 1); err == nil || !strings.Contains(err.Error(), "was prepared for") {
			t.Errorf("another %s: %v", name, err)
		}
	}
}
