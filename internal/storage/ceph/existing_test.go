package ceph

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/journal"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/peers"
	"plimsoll/internal/storage/storagetest"
	"plimsoll/test/nightly"
)

// existingVariable has the directory with what the user of an existing cluster was given:
// ceph.conf and keyring, and the administrator's own configuration.
const existingVariable = "PLIMSOLL_TEST_CEPH"

// TestExisting starts a cluster, as somebody else would have it, and uses it as an existing
// one from a process of its own in the network of the cluster.
func TestExisting(t *testing.T) {
	t.Parallel()
	c := pool(t, Kind{}.Defaults().(*Parameters))
	heals(t, c)
	ctx, dir := t.Context(), t.TempDir()
	for _, name := range []string{"theirs", "others"} {
		if err := c.makePool(ctx, name, 16); err != nil {
			t.Fatal(err)
		}
	}
	kept := filepath.Join(dir, "kept")
	keyring, err := c.run(ctx, "ceph", "auth", "get-or-create", "client.bench", "mon", "profile rbd", "osd", "profile rbd pool=theirs")
	reader, readerErr := c.run(ctx, "ceph", "auth", "get-or-create", "client.reader", "mon", "profile rbd", "osd", "profile rbd-read-only pool=theirs")
	err = errors.Join(err, readerErr,
		c.ceph(ctx, nil, "osd", "pool", "application", "enable", "others", "cephfs"), c.rbd(ctx, "pool", "init", "theirs"),
		os.WriteFile(kept, bytes.Repeat([]byte("plimsoll"), 1<<17), 0o600), c.rbd(ctx, "import", "--no-progress", kept, "theirs/kept"),
		os.WriteFile(filepath.Join(dir, "keyring"), slices.Concat(keyring, reader), 0o600), os.Symlink(c.conf(), filepath.Join(dir, "admin.conf")),
		os.WriteFile(filepath.Join(dir, "ceph.conf"), fmt.Appendf(nil, "[global]\n\tfsid = %s\n\tmon_host = [v2:%[2]s:3300,v1:%[2]s:6789] # one\n", c.fsid, c.machines.Client().Address), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	cmd := c.machines.Client().Command(ctx, os.Args[0], "-test.run", "^TestInExisting$", "-test.v")
	cmd.Env = append(os.Environ(), existingVariable+"="+dir)
	out, err := cmd.CombinedOutput()
	t.Logf("in the network of the cluster:\n%s", out)
	if err != nil {
		t.Error(err)
	}
	if exported, err := c.run(ctx, "rbd", "export", "--no-progress", "theirs/kept", "-"); err != nil || !bytes.Equal(exported, bytes.Repeat([]byte("plimsoll"), 1<<17)) {
		t.Errorf("the image of others holds %d other bytes, %v", len(exported), err)
	}
	if list, err := c.run(ctx, "rbd", "ls", "theirs"); err != nil || strings.TrimSpace(string(list)) != "kept" {
		t.Errorf("left in the pool: %q, %v", list, err)
	}
}

// TestInExisting runs in the network of an existing cluster.
func TestInExisting(t *testing.T) {
	dir := os.Getenv(existingVariable)
	if dir == "" {
		t.Skip("TestExisting runs it in the network of a cluster")
	}
	their := existing{dir: dir, admin: cluster{options: []string{"--conf", filepath.Join(dir, "admin.conf")}, command: here, patience: 30 * time.Second}}
	t.Run("refuses what cannot be", their.refuses)
	t.Run("gives back what a crash left", their.givesBack)
	t.Run("may not write", their.mayNotWrite)
	t.Run("warns", their.warns)
	t.Run("is full", their.isFull)
	t.Run("ends what waits", their.endsWhatWaits)
	t.Run("conforms", func(t *testing.T) {
		nightly.Only(t, "the suite on images of a cluster of our own, and the tests beside this")
		storagetest.Run(t, func(env storage.Env) (storage.Class, error) { return Kind{}.New("theirs", their.parameters(), env) })
	})
}

// existing is a cluster as its user knows it.
type existing struct {
	dir   string
	admin cluster
}

func (e *existing) parameters(change ...func(*Existing)) *Parameters {
	p := Kind{}.Defaults().(*Parameters)
	p.ImageSize = 512 << 20
	p.Existing = &Existing{Conf: filepath.Join(e.dir, "ceph.conf"), Keyring: filepath.Join(e.dir, "keyring"), User: "bench", Pool: "theirs"}
	for _, do := range change {
		do(p.Existing)
	}
	return p
}

// refuses: what is wrong is said before anything is made, with what to do about it.
func (e *existing) refuses(t *testing.T) {
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, c := range map[string]struct {
		change func(*Existing)
		says   []string
	}{
		"a wrong key": {func(x *Existing) {
			x.Keyring = file("keyring", "[client.bench]\n\tkey = "+newKey()+"\n", 0o600)
		}, []string{"existing.keyring", "ceph auth get client.bench"}},
		"a key of another": {func(x *Existing) { x.User = "other" }, []string{"existing.keyring", "ceph auth get client.other"}},
		"keys that others can read": {func(x *Existing) {
			x.Keyring = file("keyring", "[client.bench]\n\tkey = "+newKey()+"\n", 0o644)
		}, []string{"existing.keyring", "chmod 600"}},
		"a pool that is not there":      {func(x *Existing) { x.Pool = "nowhere" }, []string{"no pool nowhere", "theirs", "ceph osd pool create nowhere"}},
		"a pool that is for files":      {func(x *Existing) { x.Pool = "others" }, []string{"not for images", "cephfs"}},
		"a configuration without hosts": {func(x *Existing) { x.Conf = file("ceph.conf", "[global]\nfsid = 1\n", 0o600) }, []string{"existing.conf", "mon host"}},
		"monitors that do not answer": {func(x *Existing) {
			x.Conf = file("ceph.conf", "[global]\nmon host = 127.0.0.1:1\n", 0o600)
		}, []string{"no monitor", "ceph quorum_status"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := e.parameters(c.change)
			t.Parallel()
			if bad := (Kind{}).Validate(p); len(bad) > 0 {
				t.Fatal(bad)
			}
			err := Kind{}.Usable(p)
			for _, want := range c.says {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v does not say %q", err, want)
				}
			}
		})
	}
}

// borrowed uses the cluster in an environment of its own.
func borrowed(t *testing.T, p *Parameters) (b *Borrowed, env storage.Env, path string) {
	t.Helper()
	env, path = environment(t)
	b = class(t, p, env).(*Borrowed)
	if err := b.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b, env, path
}

func (e *existing) there(t *testing.T, image string) bool {
	t.Helper()
	_, there, err := e.admin.marked(t.Context(), image)
	if err != nil {
		t.Fatal(err)
	}
	return there
}

// givesBack: a killed run leaves an image, which the journal has, and which only it may
// remove.
func (e *existing) givesBack(t *testing.T) {
	p := e.parameters()
	b, env, path := borrowed(t, p)
	if d := b.Describe(); !strings.HasPrefix(d.Options["version"], "1") || d.Protection != "replica 3" || d.Free <= 0 {
		t.Errorf("%+v", d)
	}
	v, err := b.Provision(t.Context(), storage.Claim{Name: "one"})
	if err != nil {
		t.Fatal(err)
	}
	if err := flushed(filepath.Join(v.Path, "file"), "load line"); err != nil {
		t.Fatal(err)
	}
	golden := t.TempDir()
	if err := flushed(filepath.Join(golden, "file"), "golden"); err != nil {
		t.Fatal(err)
	}
	if err := b.Import(t.Context(), "key", golden); err != nil {
		t.Fatal(err)
	}
	if v, err := b.Clone(t.Context(), "key", storage.Claim{Name: "two"}); err != nil {
		t.Fatal(err)
	} else if text, err := os.ReadFile(filepath.Join(v.Path, "file")); string(text) != "golden" {
		t.Errorf("the clone holds %q, %v", text, err)
	}
	state, err := journal.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	state.RunID = env.RunID
	for _, r := range journal.Sweep(t.Context(), state) {
		if r.Err != nil {
			t.Errorf("sweep %s: %v", r.Object, r.Err)
		}
	}
	lent := slices.DeleteFunc(state.Objects, func(o journal.Object) bool { return !o.Lent() })
	if len(lent) != 3 {
		t.Fatalf("the journal has %v", lent)
	}
	o := lent[0]
	if !(Kind{}).Lent(p, o) || (Kind{}).Lent(e.parameters(func(x *Existing) { x.Pool = "others" }), o) {
		t.Errorf("whose is %s?", o)
	}
	if _, err := (Kind{}).GiveBack(t.Context(), p, "another-run", o); !errors.Is(err, errNotOurs) || !e.there(t, o.Name) {
		t.Errorf("given back for another run: %v", err)
	}
	wrong := e.parameters(func(x *Existing) { x.Conf = filepath.Join(t.TempDir(), "none") })
	if _, err := (Kind{}).GiveBack(t.Context(), wrong, env.RunID, o); err == nil {
		t.Error("an image of a cluster that is not reached was given back")
	}
	for n, want := range []bool{true, false} {
		if found, err := (Kind{}).GiveBack(t.Context(), p, env.RunID, o); err != nil || found != want || e.there(t, o.Name) {
			t.Errorf("given back %d times: %t, %v", n+1, found, err)
		}
	}
	t.Run("a clone before it was marked, and what it is a clone of", func(t *testing.T) {
		if err := e.admin.rbd(t.Context(), "image-meta", "remove", lent[2].Name, markName); err != nil {
			t.Fatal(err)
		}
		for _, o := range []journal.Object{lent[2], lent[1]} {
			if found, err := (Kind{}).GiveBack(t.Context(), p, env.RunID, o); err != nil || !found || e.there(t, o.Name) {
				t.Errorf("%s: %t, %v", o, found, err)
			}
		}
	})
	t.Run("before it was marked", func(t *testing.T) {
		create := func(args ...string) {
			if err := e.admin.rbd(t.Context(), args...); err != nil {
				t.Fatal(err)
			}
		}
		create("create", o.Name, "--size", "16M")
		if _, err := (Kind{}).GiveBack(t.Context(), p, env.RunID, o); err != nil || e.there(t, o.Name) {
			t.Errorf("an empty image: %v", err)
		}
		create("import", "--no-progress", filepath.Join(e.dir, "kept"), o.Name)
		if _, err := (Kind{}).GiveBack(t.Context(), p, env.RunID, o); !errors.Is(err, errNotOurs) || !e.there(t, o.Name) {
			t.Errorf("an image that holds something: %v", err)
		}
		create("rm", "--no-progress", o.Name)
	})
}

// mayNotWrite: what the user may do shows when the first image is made.
func (e *existing) mayNotWrite(t *testing.T) {
	b, _, _ := borrowed(t, e.parameters(func(x *Existing) { x.User = "reader" }))
	if _, err := b.Provision(t.Context(), storage.Claim{Name: "one"}); err == nil || !strings.Contains(err.Error(), "ceph auth caps client.reader") {
		t.Errorf("an image of a user who may not write: %v", err)
	}
}

// warns: a cluster that is not well is refused, until the study accepts what it warns of.
func (e *existing) warns(t *testing.T) {
	e.must(t, "osd", "set", "noout")
	e.await(t, func(err error) bool { return err != nil })
	err := Kind{}.Usable(e.parameters())
	for _, want := range []string{"HEALTH_WARN", "OSDMAP_FLAGS", "ceph health detail", "accept: [OSDMAP_FLAGS]"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	b, _, _ := borrowed(t, e.parameters(func(x *Existing) { x.Accept = []string{"OSDMAP_FLAGS"} }))
	if notes := strings.Join(b.Describe().Notes, "; "); !strings.Contains(notes, "OSDMAP_FLAGS") || !strings.Contains(notes, "no longer maintains") {
		t.Errorf("notes: %s", notes)
	}
	if doubts := b.Doubts(t.Context()); len(doubts) > 0 {
		t.Errorf("what was there before is no doubt: %v", doubts)
	}
	e.must(t, "osd", "set", "nodown")
	defer e.must(t, "osd", "unset", "nodown")
	defer e.must(t, "osd", "unset", "noout")
	err = peers.Poll(t.Context(), time.Minute, "the flag to be seen", func() (bool, error) {
		doubts := b.Doubts(t.Context())
		return len(doubts) == 1 && strings.Contains(doubts[0].Said.Text, "nodown"), nil
	})
	if err != nil {
		t.Errorf("%v: %v", err, b.Doubts(t.Context()))
	}
}

// isFull: a pool that takes no more is named before a run, and before a volume.
func (e *existing) isFull(t *testing.T) {
	e.await(t, func(err error) bool { return err == nil })
	b, _, _ := borrowed(t, e.parameters())
	e.must(t, "osd", "pool", "set-quota", "theirs", "max_bytes", "1")
	defer e.must(t, "osd", "pool", "set-quota", "theirs", "max_bytes", "0")
	full := func(err error) bool { return err != nil && strings.Contains(err.Error(), "pool theirs is full") }
	e.await(t, full)
	if _, err := b.Provision(t.Context(), storage.Claim{Name: "two"}); !full(err) || !strings.Contains(err.Error(), "set-quota theirs") {
		t.Errorf("a volume on a full pool: %v", err)
	}
	e.must(t, "osd", "pool", "set-quota", "theirs", "max_bytes", "0")
	e.await(t, func(err error) bool { return err == nil })
}

// endsWhatWaits: a volume that cannot be written back, because the pool has become full, is
// named and unmounted, and its image is removed once there is room.
func (e *existing) endsWhatWaits(t *testing.T) {
	nightly.Only(t, "the pool that is full before a volume is made")
	e.await(t, func(err error) bool { return err == nil })
	b, _, _ := borrowed(t, e.parameters())
	v, err := b.Provision(t.Context(), storage.Claim{Name: "one"})
	if err != nil {
		t.Fatal(err)
	}
	e.must(t, "osd", "pool", "set-quota", "theirs", "max_bytes", "1")
	defer e.must(t, "osd", "pool", "set-quota", "theirs", "max_bytes", "0")
	full := func(err error) bool { return err != nil && strings.Contains(err.Error(), "pool theirs is full") }
	e.await(t, full)
	if err := os.WriteFile(filepath.Join(v.Path, "file"), bytes.Repeat([]byte("plimsoll"), 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Settle(t.Context()); !full(err) {
		t.Errorf("settled on a full pool: %v", err)
	}
	if _, err := b.Remount(t.Context()); !full(err) {
		t.Errorf("remounted on a full pool: %v", err)
	}
	err = b.Delete(t.Context(), v)
	if _, thereErr := os.Stat(v.Path); !full(err) || thereErr == nil {
		t.Errorf("unmounted and named: %v, %v", err, thereErr)
	}
	e.must(t, "osd", "pool", "set-quota", "theirs", "max_bytes", "0")
	e.await(t, func(err error) bool { return err == nil })
	if err := b.Delete(t.Context(), v); err != nil || e.there(t, b.images+"/"+b.lent.name("one")) {
		t.Errorf("not removed: %v", err)
	}
}

func (e *existing) must(t *testing.T, args ...string) {
	t.Helper()
	if err := e.admin.ceph(context.WithoutCancel(t.Context()), nil, args...); err != nil {
		t.Fatal(err)
	}
}

// await waits until what a run finds before it begins is as it should be.
func (e *existing) await(t *testing.T, is func(error) bool) {
	t.Helper()
	var last error
	err := peers.Poll(t.Context(), 2*time.Minute, "the cluster to say so", func() (bool, error) {
		last = Kind{}.Usable(e.parameters())
		return is(last), nil
	})
	if err != nil {
		t.Fatalf("%v: %v", err, last)
	}
}

func TestMonitorsOfAConfiguration(t *testing.T) {
	for text, want := range map[string]string{
		"[global]\nmon host = 10.0.0.1,10.0.0.2\n":                                                             "10.0.0.1,10.0.0.2",
		"# x\n[global]\n\tMon_Host=[v2:10.0.0.1:3300,v1:10.0.0.1:6789] ; two\n[client]\nmon host = 10.0.0.9\n": "[v2:10.0.0.1:3300,v1:10.0.0.1:6789]",
		"[client]\nmon host = 10.0.0.9\n":                                                                      "", "": "", "[global]\nmon hosts = 1\n": "",
	} {
		if got := monitorsIn(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// What is written of an existing cluster has nothing that only one of our own is told, and
// is read as it was.
func TestParametersOfAnExistingClusterAreItsOwn(t *testing.T) {
	p := Kind{}.Defaults().(*Parameters)
	p.Existing, p.ImageSize = theirs(), 1<<30
	text, err := json.Marshal(p)
	if err != nil || strings.Contains(string(text), "replicas") || strings.Contains(string(text), "osds") {
		t.Errorf("%s, %v", text, err)
	}
	bare := &Parameters{}
	if err := json.Unmarshal(text, bare); err != nil || len(Kind{}.Validate(bare)) > 0 {
		t.Errorf("without the defaults it is %v, %v", Kind{}.Validate(bare), err)
	}
	again := Kind{}.Defaults().(*Parameters)
	if err := json.Unmarshal(text, again); err != nil || !reflect.DeepEqual(again, p) {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestNamesOfImages(t *testing.T) {
	l := &lent{run: "a-study-20261126-200000-abcdefgh", conf: "/c"}
	short, long, other := l.name("db-000"), l.name(strings.Repeat("long", 40)+"1"), l.name(strings.Repeat("long", 40)+"2")
	for _, name := range []string{short, long, other} {
		if len(name) > longestName || !strings.HasPrefix(name, "plimsoll-"+l.run+".") {
			t.Errorf("%s", name)
		}
	}
	if long == other {
		t.Error("two volumes have one image")
	}
}
