package fileio_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/describe/errorclass"
	"plimsoll/internal/host/aio"
	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload/fileio"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// volume is an open volume and its directory.
func volume(t *testing.T) (*fileio.Root, *fileio.Dir) {
	t.Helper()
	r, err := fileio.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, r) })
	d, err := r.Dir(".")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, d) })
	return r, d
}

func closed(t *testing.T, c interface{ Close() error }) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func classOf(err error) string {
	if c, ok := errors.AsType[interface {
		error
		ErrorClass() string
	}](err); ok {
		return c.ErrorClass()
	}
	return ""
}

// Links that another program puts into the volume lead nowhere.
func TestNothingOutsideIsReached(t *testing.T) {
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("as it was"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, d := volume(t)
	for link, target := range map[string]string{"dir": outside, "file": secret, "up": ".."} {
		if err := os.Symlink(target, filepath.Join(r.Path(), link)); err != nil {
			t.Fatal(err)
		}
	}
	for name, try := range map[string]func() error{
		"write through a link":         func() error { _, err := d.Open("file", fileio.OpenMode{Write: true}); return err },
		"create where a link is":       func() error { _, err := d.Open("file", fileio.OpenMode{Create: true}); return err },
		"size through a link":          func() error { _, err := d.Size("file"); return err },
		"a directory behind a link":    func() error { _, err := r.Dir("dir"); return err },
		"the directory above":          func() error { _, err := r.Dir("up"); return err },
		"make behind a link":           func() error { return r.Make("dir/new") },
		"remove behind a link":         func() error { return r.Remove("dir/secret") },
		"claim through a link":         func() error { return claimThroughLink(r, secret) },
		"a path as a name":             func() error { _, err := d.Open("dir/secret", fileio.OpenMode{}); return err },
		"a path above as a name":       func() error { return d.Remove("../secret") },
		"rename to a path":             func() error { return d.Rename("file", d, "../x") },
		"the directory above, by name": func() error { _, err := d.Open("..", fileio.OpenMode{}); return err },
	} {
		if err := try(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := r.Remove("dir"); err != nil { // the link itself
		t.Error(err)
	}
	if text, err := os.ReadFile(secret); err != nil || string(text) != "as it was" {
		t.Errorf("the file outside is now %q, %v", text, err)
	}
	if inside, err := os.ReadDir(outside); err != nil || len(inside) != 1 {
		t.Errorf("outside are %v, %v", inside, err)
	}
}

func claimThroughLink(r *fileio.Root, secret string) error {
	if err := os.Symlink(secret, filepath.Join(r.Path(), ".plimsoll-id")); err != nil {
		return err
	}
	_, err := r.Claim(fileio.Owner{Workload: "w"})
	return err
}

// Files return what was written, however they are opened.
func TestFilesKeepWhatIsWritten(t *testing.T) {
	for name, how := range map[string]fileio.OpenMode{
		"buffered": {}, "dsync": {Dsync: true}, "direct": {Direct: true}, "direct and dsync": {Direct: true, Dsync: true},
	} {
		t.Run(name, func(t *testing.T) {
			_, d := volume(t)
			buffer, err := aio.Buffer(1 << 20)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = aio.Free(buffer) }()
			how.Create = true
			f, err := d.Open("file", how)
			if how.Direct && err != nil && strings.Contains(err.Error(), "no direct I/O; set workload.parameters.io") {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer func() { closed(t, f) }()
			if how.Direct {
				if flags, err := unix.FcntlInt(uintptr(f.Descriptor()), unix.F_GETFL, 0); err != nil || flags&unix.O_DIRECT == 0 {
					t.Errorf("flags %o, %v", flags, err)
				}
			}
			c := fileio.Content{Volume: 7, File: 1, Generation: 1}
			blockcheck.Random(buffer, 1)
			for offset := int64(0); offset < 4<<20; offset += 1 << 20 {
				c.Fill(buffer, offset)
				if err := f.Write(buffer, offset); err != nil {
					t.Fatal(err)
				}
			}
			if err := f.Flush(); err != nil {
				t.Error(err)
			}
			for offset := int64(3 << 20); offset >= 0; offset -= 1 << 20 {
				if err := errors.Join(f.Read(buffer, offset), c.Check(buffer, offset)); err != nil {
					t.Error(err)
				}
			}
			if size, err := d.Size("file"); err != nil || size != 4<<20 {
				t.Errorf("%d bytes, %v", size, err)
			}
		})
	}
}

func TestNamesChange(t *testing.T) {
	r, d := volume(t)
	if err := errors.Join(r.Make("sub"), r.Make("sub/below")); err != nil {
		t.Fatal(err)
	}
	if err := r.Make("sub"); err == nil || !strings.Contains(err.Error(), "must be empty") {
		t.Errorf("a second time: %v", err)
	}
	below, err := r.Dir("sub/below")
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, below)
	f, err := d.Open("a", fileio.OpenMode{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	closed(t, f)
	if err := d.Rename("a", below, "b"); err != nil {
		t.Error(err)
	}
	for range 2 { // a list begins at the start each time
		if names, err := below.Names(); err != nil || fmt.Sprint(names) != "[b]" {
			t.Errorf("%v, %v", names, err)
		}
	}
	if err := below.Remove("b"); err != nil {
		t.Error(err)
	}
	if err := below.Remove("b"); classOf(err) != fileio.Missing {
		t.Errorf("a second time: %v", err)
	}
	if err := errors.Join(r.Sync(), r.Remove("sub"), r.Remove("sub")); err != nil {
		t.Error(err)
	}
}

// Every error says its class.
func TestClasses(t *testing.T) {
	for errno, want := range map[unix.Errno]string{
		unix.ENOSPC: errorclass.OutOfSpace, unix.EDQUOT: errorclass.OutOfSpace, unix.EROFS: errorclass.ReadOnly, unix.EIO: errorclass.InputOutput,
		unix.ESTALE: fileio.VolumeGone, unix.ENOTCONN: fileio.VolumeGone, unix.ENOENT: fileio.Missing, unix.EMFILE: fileio.Handles, unix.EPERM: "",
	} {
		err := fileio.IOError(true, 4096, 512, &os.PathError{Op: "read", Err: errno})
		if got := classOf(err); got != want || !errors.Is(err, errno) || !strings.Contains(err.Error(), "read of 512B at offset 4096") {
			t.Errorf("%v is of class %q, want %q", err, got, want)
		}
	}
	if fileio.Classify(nil) != nil {
		t.Error("no error became one")
	}
}

// A file that is shorter than it should be is not read in part without a word.
func TestShortReads(t *testing.T) {
	_, d := volume(t)
	f, err := d.Open("file", fileio.OpenMode{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, f)
	if err := f.Write(make([]byte, 700), 0); err != nil {
		t.Fatal(err)
	}
	err = f.Read(make([]byte, 512), 512)
	short, ok := errors.AsType[*fileio.ShortError](err)
	if !ok || *short != (fileio.ShortError{Offset: 512, Got: 188, Want: 512}) || classOf(err) != fileio.ShortIO || !strings.Contains(err.Error(), "file: ") {
		t.Errorf("%v", err)
	}
}

// Content of any size is right only in its own place.
func TestContentKnowsItsPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := fileio.Content{Volume: rapid.Uint64().Draw(t, "volume"), File: rapid.Uint64Min(1).Draw(t, "file"), Generation: 1}
		block := make([]byte, rapid.IntRange(8, 5000).Draw(t, "size"))
		blockcheck.Random(block, 1)
		offset := rapid.Int64Range(0, 1<<50).Draw(t, "offset")
		c.Fill(block, offset)
		if err := c.Check(block, offset); err != nil {
			t.Fatal(err)
		}
		other := c
		other.File++
		if other.Check(block, offset) == nil || c.Check(block, offset+1) == nil {
			t.Fatal("it is right in another place, too")
		}
	})
}

func TestOwners(t *testing.T) {
	r, d := volume(t)
	o := fileio.Owner{Workload: "w", Instance: 3, Shape: "1 file of 4KiB"}
	if _, err := r.Identity(o); classOf(err) != fileio.VolumeGone {
		t.Errorf("before it is prepared: %v", err)
	}
	id, err := r.Claim(o)
	if err != nil || fileio.InstanceOf(id) != 3 {
		t.Fatalf("%x, %v", id, err)
	}
	if found, err := r.Identity(o); err != nil || found != id {
		t.Errorf("%x, %v, want %x", found, err, id)
	}
	if info, err := os.Stat(filepath.Join(r.Path(), ".plimsoll-id")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if _, err := r.Claim(o); err == nil || !strings.Contains(err.Error(), "must be empty") {
		t.Errorf("a second time: %v", err)
	}
	o.Instance = 4
	if _, err := r.Identity(o); err == nil || !strings.Contains(err.Error(), "prepared for w, instance 3") {
		t.Errorf("another instance: %v", err)
	}
	if err := os.WriteFile(filepath.Join(r.Path(), ".plimsoll-id"), []byte("else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Identity(o); err == nil || !strings.Contains(err.Error(), "not written by Plimsoll") {
		t.Errorf("a foreign volume: %v", err)
	}
	if err := r.Release(); err != nil {
		t.Error(err)
	}
	if names, err := d.Names(); err != nil || len(names) > 0 {
		t.Errorf("it left %v, %v", names, err)
	}
}

func TestVolumesWithoutSpace(t *testing.T) {
	r, _ := volume(t)
	if err := r.CheckSpace(1); err != nil {
		t.Error(err)
	}
	if err := r.CheckSpace(1 << 60); !errors.Is(err, unix.ENOSPC) || classOf(err) != errorclass.OutOfSpace || !strings.Contains(err.Error(), "MiB are free") {
		t.Errorf("%v", err)
	}
	if _, err := fileio.Open(filepath.Join(t.TempDir(), "none")); classOf(err) != fileio.VolumeGone {
		t.Errorf("a volume that is not there: %v", err)
	}
}
