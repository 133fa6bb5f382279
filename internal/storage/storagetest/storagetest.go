// Package storagetest is the conformance suite of storage classes: whatever
// hands out volumes passes it. It takes a function that makes the class and
// gives failures. Only tests import it.
//
// A package that uses it hands its TestMain over to Main, since parts of the
// suite run in processes of their own.
package storagetest

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"plimsoll/internal/journal"
	"plimsoll/internal/storage"
)

// limit bounds each part; it is generous since machines are shared.
const limit = 5 * time.Minute

// Run checks a class. Make is called with a fresh environment for each part.
func Run(t *testing.T, make func(storage.Env) (storage.Class, error)) {
	t.Helper()
	for _, part := range []struct {
		name string
		run  func(*testing.T, *bench)
	}{
		{"describes itself", describes},
		{"up and down are idempotent", idempotent},
		{"provisions and deletes", provisions},
		{"clones", clones},
		{"clones side by side", clonesSideBySide},
		{"refuses bad names", refusesBadNames},
		{"keeps what was flushed when its writer is killed", survivesItsWriter},
		{"remounts", remounts},
		{"keeps what was flushed when its power is cut", survivesPowerCuts},
		{"gives space back", givesSpaceBack},
		{"is swept after a crash", isSwept},
		{"leaves nothing when it is interrupted", interrupted},
	} {
		t.Run(part.name, func(t *testing.T) { part.run(t, newBench(t, make)) })
	}
}

// bench is a class under test with its environment.
type bench struct {
	t     *testing.T
	ctx   context.Context
	env   storage.Env
	path  string // of the journal
	make  func(storage.Env) (storage.Class, error)
	class storage.Class
}

func newBench(t *testing.T, make func(storage.Env) (storage.Class, error)) *bench {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	b := &bench{t: t, ctx: ctx, make: make, env: environment(t)}
	b.path = filepath.Join(filepath.Dir(b.env.Scratch), "journal.jsonl")
	b.class = b.again()
	t.Cleanup(b.nothingLeft)
	return b
}

// environment gives a scratch directory that other users can pass through.
func environment(t *testing.T) storage.Env {
	t.Helper()
	runID := fmt.Sprintf("test-%d-%d", os.Getpid(), time.Now().UnixNano()%1e9)
	dir := filepath.Join(t.TempDir(), journal.Name(runID))
	scratch := filepath.Join(dir, "scratch")
	if err := os.MkdirAll(scratch, 0o755); err != nil {
		t.Fatal(err)
	}
	openWay(t, scratch)
	j, err := journal.Open(filepath.Join(dir, "journal.jsonl"), runID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	uid, gid := os.Geteuid(), os.Getegid()
	if uid == 0 {
		uid, gid = 65534, 65534 // nobody, as servers do not run as root
	}
	return storage.Env{
		RunID: runID, Scratch: scratch, Journal: j, UID: uid, GID: gid,
		Executable: executable, Log: slog.New(slog.DiscardHandler),
	}
}

// openWay lets others pass through the directories of the test.
func openWay(t *testing.T, path string) {
	t.Helper()
	for dir := path; strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// again makes another class of the same environment.
func (b *bench) again() storage.Class {
	b.t.Helper()
	class, err := b.make(b.env)
	if err != nil {
		b.t.Fatalf("make the class: %v", err)
	}
	return class
}

func (b *bench) up() {
	b.t.Helper()
	b.must("bring it up", b.class.Up(b.ctx))
}

func (b *bench) down() {
	b.t.Helper()
	b.must("take it down", b.class.Down(b.ctx))
}

func (b *bench) must(what string, err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
}

// nothingLeft takes the class down and looks for what stayed.
func (b *bench) nothingLeft() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(b.ctx), limit)
	defer cancel()
	if err := b.class.Down(ctx); err != nil {
		b.t.Errorf("take it down: %v", err)
	}
	for _, left := range journal.Leftovers(b.env.RunID) {
		b.t.Errorf("left behind: %s", left)
	}
	state, err := journal.Read(b.path)
	if err != nil {
		b.t.Error(err)
	}
	for _, o := range state.Objects {
		b.t.Errorf("the journal still has %s", o)
	}
	_ = filepath.WalkDir(b.env.Scratch, func(path string, _ fs.DirEntry, _ error) error {
		if path != b.env.Scratch {
			b.t.Errorf("left behind: %s", path)
		}
		return nil
	})
}

func describes(t *testing.T, b *bench) {
	b.up()
	d := b.class.Describe()
	if d.Class == "" || d.Media == "" || d.FileSystem == "" || d.Text == "" || d.Protection == "" {
		t.Errorf("the description is not complete: %+v", d)
	}
	if d.Capacity <= 0 || d.Free <= 0 || d.Free > d.Capacity {
		t.Errorf("capacity %d, free %d", d.Capacity, d.Free)
	}
	for _, dev := range b.class.Devices() {
		if dev.Name == "" || strings.Contains(dev.Name, "/") || dev.Role == "" {
			t.Errorf("a device is not complete: %+v", dev)
		}
	}
}

func idempotent(t *testing.T, b *bench) {
	b.must("take down what is not up", b.class.Down(b.ctx))
	b.up()
	b.must("bring it up twice", b.class.Up(b.ctx))
	if _, err := b.class.Provision(b.ctx, "one"); err != nil {
		t.Error(err)
	}
	b.down()
	b.must("take it down twice", b.class.Down(b.ctx))
	if _, err := b.class.Provision(b.ctx, "two"); err == nil {
		t.Error("a class that is down makes volumes")
	}
}

func provisions(t *testing.T, b *bench) {
	b.up()
	v, err := b.class.Provision(b.ctx, "one")
	b.must("provision", err)
	b.checkOwner(v.Path)
	if inside, err := os.ReadDir(v.Path); err != nil || len(inside) != 0 {
		t.Errorf("a new volume holds %v (%v)", inside, err)
	}
	if _, err := b.class.Provision(b.ctx, "one"); err == nil {
		t.Error("one name was given twice")
	}
	b.must("delete", b.class.Delete(b.ctx, v))
	b.must("delete twice", b.class.Delete(b.ctx, v))
	if _, err := os.Stat(v.Path); !os.IsNotExist(err) {
		t.Errorf("%s is still there (%v)", v.Path, err)
	}
}

func clones(t *testing.T, b *bench) {
	golden := b.golden()
	b.up()
	b.must("import", b.class.Import(b.ctx, "key", golden))
	b.must("import twice", b.class.Import(b.ctx, "key", golden))
	v, err := b.class.Clone(b.ctx, "key", "one")
	b.must("clone", err)
	compare(t, golden, v.Path)
	b.checkOwner(filepath.Join(v.Path, "base", "table"))
	settled, err := b.class.Settle(b.ctx)
	b.must("settle", err)
	t.Logf("settled: %s", settled)
	// A write to a clone stays its own.
	b.must("write", os.WriteFile(filepath.Join(v.Path, "base", "table"), []byte("mine"), 0o600))
	w, err := b.class.Clone(b.ctx, "key", "two")
	b.must("clone", err)
	compare(t, golden, w.Path)
	if _, err := b.class.Clone(b.ctx, "another", "three"); err == nil {
		t.Error("a golden volume that was not imported was cloned")
	}
}

func clonesSideBySide(t *testing.T, b *bench) {
	golden := b.golden()
	b.up()
	const count = 12
	var all sync.WaitGroup
	for i := range count {
		all.Go(func() {
			name := fmt.Sprintf("v%d", i)
			if err := b.class.Import(b.ctx, "key", golden); err != nil {
				t.Errorf("import: %v", err)
			}
			v, err := b.class.Clone(b.ctx, "key", name)
			if err != nil {
				t.Errorf("clone: %v", err)
				return
			}
			compare(t, golden, v.Path)
			if i%2 == 0 {
				if err := b.class.Delete(b.ctx, v); err != nil {
					t.Errorf("delete: %v", err)
				}
			}
		})
	}
	all.Wait()
}

func refusesBadNames(t *testing.T, b *bench) {
	b.up()
	for _, name := range []string{"", ".", "..", "a/b", "../out"} {
		if v, err := b.class.Provision(b.ctx, name); err == nil {
			t.Errorf("a volume of the name %q was made at %s", name, v.Path)
		}
	}
	if err := b.class.Delete(b.ctx, storage.Volume{Name: "x", Path: b.env.Scratch}); err == nil {
		t.Error("a directory that is not a volume was deleted")
	}
}

func givesSpaceBack(t *testing.T, b *bench) {
	b.up()
	free := func() int64 {
		_, err := b.class.Settle(b.ctx)
		b.must("settle", err)
		return b.class.Describe().Free
	}
	const size = 64 << 20
	// Others write to the same file system: one unmistakable time is enough.
	var seen []int64
	for attempt := range 10 {
		v, err := b.class.Provision(b.ctx, fmt.Sprintf("volume-%d", attempt))
		b.must("provision", err)
		b.must("write", os.WriteFile(filepath.Join(v.Path, "file"), bytes.Repeat([]byte("x"), size), 0o600))
		full := free()
		b.must("delete", b.class.Delete(b.ctx, v))
		back := free() - full
		if back >= size/2 {
			return
		}
		seen = append(seen, back)
	}
	t.Errorf("deleting a volume of %d bytes gave back %v", size, seen)
}

// isSwept leaves everything as a killed Plimsoll would and cleans by the
// journal alone.
func isSwept(t *testing.T, b *bench) {
	b.up()
	v, err := b.class.Provision(b.ctx, "one")
	b.must("provision", err)
	b.must("write", os.WriteFile(filepath.Join(v.Path, "file"), []byte("data"), 0o600))
	state, err := journal.Read(b.path)
	b.must("read the journal", err)
	state.RunID = b.env.RunID
	for _, r := range journal.Sweep(b.ctx, state) {
		if r.Err != nil {
			t.Errorf("sweep %s: %v", r.Object, r.Err)
		}
	}
	if _, err := os.Stat(v.Path); !os.IsNotExist(err) {
		t.Errorf("%s is still there (%v)", v.Path, err)
	}
	for _, left := range journal.Leftovers(b.env.RunID) {
		t.Errorf("left behind: %s", left)
	}
}

func interrupted(t *testing.T, b *bench) {
	ctx, cancel := context.WithCancel(b.ctx)
	golden := b.golden()
	b.up()
	cancel()
	b.must("import", b.class.Import(b.ctx, "key", golden))
	if v, err := b.class.Clone(ctx, "key", "one"); err == nil {
		t.Error("a clone was made although it was cancelled")
	} else if _, err := os.Stat(v.Path); v.Path != "" && !os.IsNotExist(err) {
		t.Errorf("a clone that failed left %s", v.Path)
	}
}

func (b *bench) checkOwner(path string) {
	b.t.Helper()
	if uid, gid := owner(b.t, path); uid != b.env.UID || gid != b.env.GID {
		b.t.Errorf("%s belongs to %d:%d, not to %d:%d", path, uid, gid, b.env.UID, b.env.GID)
	}
}
