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
	"hash/crc32"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/platform/local/localtest"
	"plimsoll/internal/storage"
	"plimsoll/test/quick"
)

// limit bounds the tests of one class. It is generous because machines are shared.
const limit = 10 * time.Minute

// part is one thing that a class must do.
type part struct {
	name string
	run  func(*testing.T, *bench)
}

// Run checks a class. It calls make with a fresh environment for each part that takes the
// class down or crashes it. The other parts follow one another on a class that stays up;
// each adds volumes of its own.
func Run(t *testing.T, make func(storage.Env) (storage.Class, error)) {
	t.Helper()
	quick.Skip(t, quick.Media)
	for _, p := range []part{
		{"up and down are idempotent", idempotent},
		{"keeps what was flushed when its power is cut", survivesPowerCuts},
		{"is swept after a crash", isSwept},
	} {
		t.Run(p.name, func(t *testing.T) { p.run(t, newBench(t, make)) })
	}
	shared := newBench(t, make)
	for n, p := range []part{
		{"describes itself", describes},
		{"clones", clones},
		{"provisions and deletes", provisions},
		{"remounts", remounts},
		{"keeps what was flushed when its writer is killed", survivesItsWriter},
		{"refuses bad names and kinds", refusesBadNames},
		{"clones side by side", clonesSideBySide},
		{"gives space back", givesSpaceBack},
		{"leaves nothing when it is interrupted", interrupted},
	} {
		t.Run(p.name, func(t *testing.T) { p.run(t, shared.forPart(t, n)) })
	}
}

// bench is a class under test with its environment.
type bench struct {
	t      *testing.T
	ctx    context.Context
	env    storage.Env
	path   string // of the journal
	golden string // directory of a volume to clone
	prefix string // of the names of volumes
	make   func(storage.Env) (storage.Class, error)
	class  storage.Class
}

func newBench(t *testing.T, make func(storage.Env) (storage.Class, error)) *bench {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	b := &bench{t: t, ctx: ctx, make: make, env: environment(t)}
	b.path = filepath.Join(filepath.Dir(b.env.Scratch), "journal.jsonl")
	b.golden = b.makeGolden()
	b.class = b.again()
	t.Cleanup(b.nothingLeft)
	return b
}

// forPart is the bench for one of the parts that share its class.
func (b *bench) forPart(t *testing.T, n int) *bench {
	part := *b
	part.t, part.prefix = t, fmt.Sprintf("p%d-", n)
	return &part
}

// named is the name of a volume of this part alone.
func (b *bench) named(name string) string { return b.prefix + name }

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
	return storage.Env{
		RunID: runID, Scratch: scratch, Journal: j, Owner: ownerOf,
		Executable: executable, Log: slog.New(slog.DiscardHandler),
	}
}

// ownerOf gives each volume a user of its own, as servers have, where users can be
// distinguished.
func ownerOf(volume string) (uid, gid int) {
	if os.Geteuid() != 0 {
		return os.Geteuid(), os.Getegid()
	}
	id := 65400 + int(crc32.ChecksumIEEE([]byte(volume))%100)
	return id, id
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
	if _, err := b.class.Provision(b.ctx, storage.Claim{Name: b.named("one")}); err != nil {
		t.Error(err)
	}
	b.down()
	b.must("take it down twice", b.class.Down(b.ctx))
	if remount := b.class.Capabilities().Remount; remount != nil {
		if done, err := remount(b.ctx); err == nil {
			t.Errorf("a class that is down remounts: %s", done)
		}
	}
	if _, err := b.class.Provision(b.ctx, storage.Claim{Name: b.named("two")}); err == nil {
		t.Error("a class that is down makes volumes")
	}
}

func provisions(t *testing.T, b *bench) {
	b.up()
	v, err := b.class.Provision(b.ctx, storage.Claim{Name: b.named("one")})
	b.must("provision", err)
	b.checkOwner(v, v.Path)
	if inside, err := os.ReadDir(v.Path); err != nil || len(inside) != 0 {
		t.Errorf("a new volume holds %v (%v)", inside, err)
	}
	if _, err := b.class.Provision(b.ctx, storage.Claim{Name: b.named("one")}); err == nil {
		t.Error("one name was given twice")
	}
	b.must("delete", b.class.Delete(b.ctx, v))
	b.must("delete twice", b.class.Delete(b.ctx, v))
	if _, err := os.Stat(v.Path); !os.IsNotExist(err) {
		t.Errorf("%s is still there (%v)", v.Path, err)
	}
}

func clones(t *testing.T, b *bench) {
	b.up()
	b.must("import", b.class.Import(b.ctx, "key", b.golden))
	b.must("import twice", b.class.Import(b.ctx, "key", b.golden))
	v, err := b.class.Clone(b.ctx, "key", storage.Claim{Name: b.named("one")})
	b.must("clone", err)
	compare(t, b.golden, v.Path)
	b.checkOwner(v, filepath.Join(v.Path, "base", "table"))
	b.closedToOthers()
	settled, err := b.class.Settle(b.ctx)
	b.must("settle", err)
	t.Logf("settled: %s", settled)
	// A write to a clone stays its own.
	b.must("write", os.WriteFile(filepath.Join(v.Path, "base", "table"), []byte("mine"), 0o600))
	w, err := b.class.Clone(b.ctx, "key", storage.Claim{Name: b.named("two")})
	b.must("clone", err)
	compare(t, b.golden, w.Path)
	if _, err := b.class.Clone(b.ctx, "another", storage.Claim{Name: b.named("three")}); err == nil {
		t.Error("a golden volume that was not imported was cloned")
	}
}

func clonesSideBySide(t *testing.T, b *bench) {
	b.up()
	const count = 12
	var all sync.WaitGroup
	for i := range count {
		all.Go(func() {
			name := b.named(fmt.Sprintf("v%d", i))
			if err := b.class.Import(b.ctx, "key", b.golden); err != nil {
				t.Errorf("import: %v", err)
			}
			v, err := b.class.Clone(b.ctx, "key", storage.Claim{Name: name})
			if err != nil {
				t.Errorf("clone: %v", err)
				return
			}
			compare(t, b.golden, v.Path)
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
		if v, err := b.class.Provision(b.ctx, storage.Claim{Name: name}); err == nil {
			t.Errorf("a volume of the name %q was made at %s", name, v.Path)
		}
	}
	if v, err := b.class.Provision(b.ctx, storage.Claim{Name: b.named("other"), Kind: "hologram"}); err == nil {
		t.Errorf("a volume of a kind that the class does not hand out: %+v", v)
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
		v, err := b.class.Provision(b.ctx, storage.Claim{Name: b.named(fmt.Sprintf("volume-%d", attempt))})
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

// isSwept leaves everything as a killed Plimsoll would, with its helpers stopped, and
// cleans by the journal alone.
func isSwept(t *testing.T, b *bench) {
	b.up()
	v, err := b.class.Provision(b.ctx, storage.Claim{Name: b.named("one")})
	b.must("provision", err)
	b.must("write", os.WriteFile(filepath.Join(v.Path, "file"), []byte("data"), 0o600))
	state, err := journal.Read(b.path)
	b.must("read the journal", err)
	state.RunID = b.env.RunID
	for _, f := range journal.Processes(b.env.RunID) {
		b.must("stop "+f.Object, syscall.Kill(f.PID, syscall.SIGSTOP))
	}
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
	b.up()
	cancel()
	b.must("import", b.class.Import(b.ctx, "key", b.golden))
	if v, err := b.class.Clone(ctx, "key", storage.Claim{Name: b.named("one")}); err == nil {
		t.Error("a clone was made although it was cancelled")
	} else if _, err := os.Stat(v.Path); v.Path != "" && !os.IsNotExist(err) {
		t.Errorf("a clone that failed left %s", v.Path)
	}
	v, err := b.class.Clone(b.ctx, "key", storage.Claim{Name: b.named("one")})
	b.must("clone again", err)
	compare(t, b.golden, v.Path)
}

// closedToOthers checks that another user of the machine gets to nothing that the class has
// laid out: volumes and golden copies, images of disks, sockets.
func (b *bench) closedToOthers() {
	b.t.Helper()
	if os.Geteuid() != 0 {
		return // this user is all there is
	}
	var paths []string
	err := filepath.WalkDir(b.env.Scratch, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			paths = append(paths, path)
		}
		return nil
	})
	b.must("look around", err)
	localtest.Closed(b.t, nil, paths...)
}

func (b *bench) checkOwner(v storage.Volume, path string) {
	b.t.Helper()
	wantUID, wantGID := b.env.Owner.Of(v.Name)
	if uid, gid := owner(b.t, path); uid != wantUID || gid != wantGID {
		b.t.Errorf("%s belongs to %d:%d, not to %d:%d", path, uid, gid, wantUID, wantGID)
	}
}
