package parallelio_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload/fileio"
	"plimsoll/internal/workload/parallelio"
)

const block = 4096

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// team works on an empty directory.
func team(t *testing.T, threads int) (*parallelio.Team, *fileio.Dir, string) {
	t.Helper()
	at := t.TempDir()
	root, err := fileio.Open(at)
	must(t, err)
	dir, err := root.Dir(".")
	must(t, err)
	workers, err := parallelio.NewTeam(threads, block, 1)
	must(t, err)
	t.Cleanup(func() {
		if err := errors.Join(workers.Close(), dir.Close(), root.Close()); err != nil {
			t.Error(err)
		}
	})
	return workers, dir, at
}

func files(n int, bytes int64) (all []parallelio.File) {
	for i := range n {
		all = append(all, parallelio.File{Name: fmt.Sprint(i), Bytes: bytes, Content: fileio.Content{Volume: 1, File: uint64(i) + 1, Generation: 1}})
	}
	return all
}

// All of every file is written and read once, however many threads and files there are.
func TestWhole(t *testing.T) {
	for _, c := range []struct {
		threads, files int
		bytes          int64
	}{{1, 1, block}, {1, 3, 2*block + 100}, {4, 2, 10 * block}, {8, 20, block}, {3, 0, block}} {
		workers, dir, at := team(t, c.threads)
		all := files(c.files, c.bytes)
		if _, err := workers.Write(t.Context(), dir, all, parallelio.Options{}); err != nil {
			t.Fatal(err)
		}
		for _, shared := range []bool{false, true} {
			took, err := workers.Read(t.Context(), dir, all, parallelio.Options{Shared: shared})
			must(t, err)
			if len(took) != c.files {
				t.Errorf("%+v: %v", c, took)
			}
			for _, one := range took {
				if one.Began.IsZero() || one.Time < 0 {
					t.Errorf("%+v: a file took %v from %v", c, one.Time, one.Began)
				}
			}
		}
		for _, f := range all {
			if info, err := os.Stat(filepath.Join(at, f.Name)); err != nil || info.Size() != c.bytes {
				t.Errorf("%+v: %v, %v", c, info, err)
			}
		}
	}
}

// Flushing takes time of its own, and is done for each file; what is flushed can be dropped from
// the cache.
func TestFlushAndForget(t *testing.T) {
	workers, dir, _ := team(t, 2)
	all := files(3, 4*block)
	took, err := workers.Write(t.Context(), dir, all, parallelio.Options{Flush: true})
	must(t, err)
	for _, one := range took {
		if one.Flush == 0 {
			t.Errorf("a file was not flushed: %+v", one)
		}
	}
	must(t, parallelio.Forget(dir, all, parallelio.Options{}))
	took, err = workers.Read(t.Context(), dir, all, parallelio.Options{})
	must(t, err)
	if took[0].Flush != 0 {
		t.Error("reading flushed")
	}
	if err := parallelio.Forget(dir, files(4, block), parallelio.Options{}); err == nil {
		t.Error("a file that is not there was dropped from the cache")
	}
	must(t, parallelio.Forget(dir, files(4, block), parallelio.Options{Direct: true})) // there is nothing to drop
}

// A file that is not as it was written, or not there, ends the work with an error of its class.
func TestWrong(t *testing.T) {
	for class, damage := range map[string]func(path string) error{
		blockcheck.Corrupt:   func(path string) error { return change(path, 3*block+100) },
		fileio.ShortIO:       func(path string) error { return os.Truncate(path, 2*block) },
		fileio.Missing:       os.Remove,
		blockcheck.Misplaced: func(path string) error { return os.Rename(filepath.Join(filepath.Dir(path), "3"), path) },
	} {
		t.Run(class, func(t *testing.T) {
			workers, dir, at := team(t, 3)
			all := files(4, 5*block)
			_, err := workers.Write(t.Context(), dir, all, parallelio.Options{})
			must(t, err)
			must(t, damage(filepath.Join(at, "2")))
			_, err = workers.Read(t.Context(), dir, all[:3], parallelio.Options{Shared: true})
			if e, ok := errors.AsType[interface {
				error
				ErrorClass() string
			}](err); !ok || e.ErrorClass() != class {
				t.Errorf("%v", err)
			}
		})
	}
}

func change(path string, at int) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text[at] ^= 1
	return os.WriteFile(path, text, 0o600)
}

func TestCancelled(t *testing.T) {
	workers, dir, _ := team(t, 2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := workers.Write(ctx, dir, files(2, block), parallelio.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
