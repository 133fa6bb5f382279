package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/app/builtin/transfer/content"
	"plimsoll/test/quick"
)

var made = content.Item{Seed: 7, Number: 1, Size: 12*content.Grain + 777, Data: 50, Entropy: 40}

// digestOf computes the digest of an item.
func digestOf(t *testing.T, it content.Item) string {
	t.Helper()
	h := sha256.New()
	if err := it.Whole(h); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func newStore(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// make makes an item in a format.
func put(t *testing.T, s *Store, name, format string) {
	t.Helper()
	if err := s.Make(t.Context(), name, format, made); err != nil {
		t.Fatal(err)
	}
}

// moved takes an item from one store to another within this process.
func moved(ctx context.Context, from *Store, to *Store, format, as string, holes bool, more ...Stage) error {
	w, err := to.Create("copy", as)
	if err != nil {
		return err
	}
	defer w.Close()
	stages := append([]Stage{from.Reading("item", format, holes)}, Converting(format, as)...)
	if _, err := Run(ctx, "", slices.Concat(stages, more, []Stage{w.Writing(), w.Flushing()})); err != nil {
		return err
	}
	return w.Commit()
}

// Every format becomes every other, whole, and with the holes that it had or without.
func TestFormatsBecomeEachOther(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	want := digestOf(t, made)
	for _, format := range []string{Raw, Packed, Gzip, Zstd} {
		from := newStore(t, t.TempDir())
		put(t, from, "item", format)
		for _, as := range []string{Raw, Packed, Gzip, Zstd} {
			for _, holes := range []bool{true, false} {
				to := newStore(t, t.TempDir())
				if err := moved(t.Context(), from, to, format, as, holes); err != nil {
					t.Errorf("%s to %s: %v", format, as, err)
					continue
				}
				sum, err := to.Sum(t.Context(), "copy", as)
				if err != nil || sum.Digest != want || sum.Size != made.Size {
					t.Errorf("%s to %s: %+v, %v", format, as, sum, err)
				}
				if kept := sum.Holes == made.Size-made.DataBytes(); (holes || format != Raw) && !kept || !holes && format == Raw && sum.Holes > 0 {
					t.Errorf("%s to %s, holes kept: %t: %d bytes of holes", format, as, holes, sum.Holes)
				}
			}
		}
	}
}

func left(t *testing.T, s *Store) []string {
	t.Helper()
	all, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestASourceThatChanges(t *testing.T) {
	dir := t.TempDir()
	from, to := newStore(t, dir), newStore(t, t.TempDir())
	put(t, from, "item", Raw)
	before := time.Unix(1e9, 0) // the kernel's times are no finer than some milliseconds
	if err := os.Chtimes(filepath.Join(dir, "item"), before, before); err != nil {
		t.Fatal(err)
	}
	// A change that comes before the first piece may come before the item is opened, and one
	// that comes late after all was read. Here one piece was taken, and the rest is more than
	// the queues hold.
	begun := func(in *Input, out *Output) error {
		b, err := in.Next()
		if err != nil {
			return err
		}
		return out.Give(b)
	}
	change := Stage{"change", func(in *Input, out *Output) error {
		if err := begun(in, out); err != nil {
			return err
		}
		f, err := os.OpenFile(filepath.Join(dir, "item"), os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		if _, err = f.WriteAt([]byte("changed"), 5); err == nil {
			err = f.Close()
		}
		if err != nil {
			return err
		}
		_, err = in.WriteTo(out)
		return err
	}}
	if err := moved(t.Context(), from, to, Raw, Raw, true, change); !errors.Is(err, ErrChanged) {
		t.Error(err)
	}
	shrink := Stage{"shrink", func(in *Input, out *Output) error {
		if err := begun(in, out); err != nil {
			return err
		}
		if err := os.Truncate(filepath.Join(dir, "item"), 10); err != nil {
			return err
		}
		_, err := in.WriteTo(out)
		return err
	}}
	if err := moved(t.Context(), from, to, Raw, Raw, true, shrink); !errors.Is(err, ErrChanged) {
		t.Error(err)
	}
	if all := left(t, to); len(all) > 0 {
		t.Errorf("%v is left", all)
	}
}

func TestACancelledTransferLeavesNothing(t *testing.T) {
	from, to := newStore(t, t.TempDir()), newStore(t, t.TempDir())
	put(t, from, "item", Raw)
	ctx, cancel := context.WithCancel(t.Context())
	stop := Stage{"stop", func(in *Input, out *Output) error {
		cancel()
		<-ctx.Done()
		_, err := in.WriteTo(out)
		return err
	}}
	if err := moved(ctx, from, to, Raw, Raw, true, stop, Stage{"wait", func(in *Input, out *Output) error {
		<-ctx.Done()
		return context.Cause(ctx)
	}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if all := left(t, to); len(all) > 0 {
		t.Errorf("%v is left", all)
	}
}

func TestADestinationThatIsFull(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounting a small file system needs root")
	}
	small := t.TempDir()
	if err := unix.Mount("small", small, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("no tmpfs can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(small, 0); err != nil {
			t.Error(err)
		}
	})
	from := newStore(t, t.TempDir())
	put(t, from, "item", Raw)
	to, err := OpenStore(small)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	for _, as := range []string{Raw, Packed} {
		if err := moved(t.Context(), from, to, Raw, as, true); !errors.Is(err, unix.ENOSPC) {
			t.Errorf("%s: %v", as, err)
		}
	}
	if all := left(t, to); len(all) > 0 {
		t.Errorf("%v is left", all)
	}
}

func TestAnItemIsThereOnce(t *testing.T) {
	s := newStore(t, t.TempDir())
	put(t, s, "item", Raw)
	if _, err := s.Create("item", Raw); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	a, err := s.Create("other", Raw)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	put(t, s, "other", Packed)
	if err := a.Commit(); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
}

func TestWhatAKilledProcessLeftIsRemoved(t *testing.T) {
	dir := t.TempDir()
	s := newStore(t, dir)
	put(t, s, "item", Raw)
	if _, err := s.Create("other", Raw); err != nil { // and never closed
		t.Fatal(err)
	}
	if all := left(t, newStore(t, dir)); !slices.Equal(all, []string{"item"}) {
		t.Errorf("%v is left", all)
	}
}

func TestNamesLeadNowhere(t *testing.T) {
	dir := t.TempDir()
	s := newStore(t, dir)
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "..", "../x", "a/b", ".part-x", "link", "pipe", strings.Repeat("a", 101)} {
		if _, _, err := s.open(name); err == nil {
			t.Errorf("%q is opened", name)
		}
	}
	for _, name := range []string{"", "..", "../x", "a/b", ".part-x"} {
		if _, err := s.Create(name, Raw); err == nil {
			t.Errorf("%q is created", name)
		}
		if err := s.Remove(name); err == nil {
			t.Errorf("%q is removed", name)
		}
	}
}

func TestCopyingWithinAStore(t *testing.T) {
	s := newStore(t, t.TempDir())
	put(t, s, "item", Raw)
	w, err := s.Create("copy", Raw)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var shared bool
	did, err := Run(t.Context(), "source", []Stage{w.Copying(t.Context(), "item", &shared), w.Flushing()})
	if err == nil {
		err = w.Commit()
	}
	if err != nil || did[0].Bytes != made.Size {
		t.Fatalf("%+v, %v", did, err)
	}
	sum, err := s.Sum(t.Context(), "copy", Raw)
	if err != nil || sum.Digest != digestOf(t, made) || sum.Holes != made.Size-made.DataBytes() {
		t.Errorf("%+v, %v", sum, err)
	}
	t.Logf("blocks are shared: %t", shared)
}

func TestDamagedLists(t *testing.T) {
	var whole strings.Builder
	for _, b := range [][]byte{head(10), extent(2, 3), []byte("abc"), extent(10, 0)} {
		whole.Write(b)
	}
	good := whole.String()
	take := func(text string, step int) error {
		u := &unpacker{size: func(int64) error { return nil }, data: func(int64, []byte) error { return nil }}
		for at := 0; at < len(text); at += step {
			if _, err := io.WriteString(struct{ io.Writer }{u}, text[at:min(at+step, len(text))]); err != nil {
				return err
			}
		}
		return u.close()
	}
	for step := 1; step < len(good)+1; step += 6 {
		if err := take(good, step); err != nil {
			t.Errorf("in steps of %d: %v", step, err)
		}
	}
	for name, bad := range map[string]string{
		"empty": "", "cut": good[:len(good)-1], "no end": good[:len(good)-extentLength], "more": good + good,
		"another magic": "x" + good[1:], "beyond its size": string(head(10)) + string(extent(9, 3)),
		"backwards": string(head(10)) + string(extent(4, 1)) + "a" + string(extent(2, 1)),
		"too long":  string(head(10)) + string(extent(2, 1<<62)), "below nothing": string(head(-1)),
		"ends early": string(head(10)) + string(extent(4, 0)),
	} {
		if err := take(bad, 7); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// A file that was written to in the same instant has the same time of change: its size or
// its status change shows it.
func TestUnchanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if err := unchanged(f, before); err != nil {
		t.Error(err)
	}
	if err := f.Truncate(3); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, time.Time{}, before.ModTime()); err != nil {
		t.Fatal(err)
	}
	if err := unchanged(f, before); !errors.Is(err, ErrChanged) {
		t.Error(err)
	}
}
