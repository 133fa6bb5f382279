package storagetest

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// makeGolden makes a small data directory such as a database has: a few files of all sizes,
// one with holes, a read-only directory, and links.
func (b *bench) makeGolden() string {
	b.t.Helper()
	root := filepath.Join(b.t.TempDir(), "golden")
	for _, dir := range []string{"base", "wal/archive", "empty"} {
		b.must("make the golden volume", os.MkdirAll(filepath.Join(root, dir), 0o700))
	}
	for name, content := range map[string][]byte{
		"PG_VERSION":   []byte("15\n"),
		"base/table":   bytes.Repeat([]byte("0123456789abcdef"), 40000),
		"base/nothing": nil,
		"wal/segment":  bytes.Repeat([]byte{7}, 1<<20),
	} {
		b.must("make the golden volume", os.WriteFile(filepath.Join(root, name), content, 0o600))
	}
	b.holes(filepath.Join(root, "base", "sparse"))
	b.must("make a link", os.Symlink("../base/table", filepath.Join(root, "wal", "link")))
	b.must("make a link", os.Symlink(filepath.Join(root, "base"), filepath.Join(root, "absolute")))
	b.must("set a mode", os.Chmod(filepath.Join(root, "PG_VERSION"), 0o440))
	b.must("set a mode", os.Chmod(filepath.Join(root, "wal", "archive"), 0o550))
	return root
}

func (b *bench) holes(path string) {
	f, err := os.Create(path)
	b.must("make a file with holes", err)
	_, err = f.WriteAt([]byte("in the middle"), 8<<20)
	b.must("make a file with holes", err)
	b.must("make a file with holes", f.Truncate(32<<20))
	b.must("make a file with holes", f.Close())
}

// compare says where a clone differs from its source.
func compare(t *testing.T, source, clone string) {
	t.Helper()
	seen := 0
	err := filepath.WalkDir(source, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		seen++
		relative, err := filepath.Rel(source, path)
		if err != nil {
			return err
		}
		compareOne(t, path, filepath.Join(clone, relative), relative)
		return nil
	})
	if err != nil {
		t.Errorf("compare: %v", err)
	}
	have := 0
	_ = filepath.WalkDir(clone, func(string, fs.DirEntry, error) error { have++; return nil })
	if have != seen {
		t.Errorf("the clone has %d files and directories, its source %d", have, seen)
	}
}

func compareOne(t *testing.T, a, b, name string) {
	t.Helper()
	x, errX := os.Lstat(a)
	y, errY := os.Lstat(b)
	if errX != nil || errY != nil {
		t.Errorf("%s: %v, %v", name, errX, errY)
		return
	}
	if x.Mode() != y.Mode() {
		t.Errorf("%s: mode %s became %s", name, x.Mode(), y.Mode())
	}
	if !x.Mode().IsRegular() && x.Mode()&fs.ModeSymlink == 0 {
		return
	}
	p, errP := os.ReadFile(a)
	q, errQ := os.ReadFile(b)
	linkToDirectory := errP != nil && errQ != nil
	if !linkToDirectory && (errP != nil || errQ != nil || !bytes.Equal(p, q)) {
		t.Errorf("%s: the contents differ (%v, %v)", name, errP, errQ)
	}
	if allocated(y) > allocated(x)+1<<20 && countsHoles(t, filepath.Dir(b)) {
		t.Errorf("%s: the holes were filled: %d bytes became %d", name, allocated(x), allocated(y))
	}
}

// countsHoles reports whether a directory's file system reports less allocated space than
// size for a file with a hole. CephFS does not.
func countsHoles(t *testing.T, dir string) bool {
	t.Helper()
	f, err := os.CreateTemp(dir, "hole")
	if err != nil {
		t.Fatal(err)
	}
	const size = 4 << 20
	err = f.Truncate(size)
	info, statErr := f.Stat()
	if err := errors.Join(err, statErr, f.Close(), os.Remove(f.Name())); err != nil {
		t.Fatal(err)
	}
	return allocated(info) < size
}

func allocated(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Blocks * 512
	}
	return 0
}

func owner(t *testing.T, path string) (uid, gid int) {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		t.Fatalf("%s has no owner", path)
	}
	return int(s.Uid), int(s.Gid)
}
