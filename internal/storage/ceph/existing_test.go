package ceph

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"plimsoll/internal/client/bucket"
	"plimsoll/internal/conformance/storagetest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/peers"
	"plimsoll/internal/storage/s3"
	"plimsoll/test/nightly"
	"plimsoll/test/quick"
)

// existingVariable has the directory with the files given to users of an existing cluster:
// ceph.conf, keyring and keys, and the administrator's own configuration.
const existingVariable = "PLIMSOLL_TEST_CEPH"

// TestExisting starts a cluster, as somebody else would have it, and uses it as an existing
// one from a process of its own in the network of the cluster. What others have in it stays
// as it is, and nothing else stays.
func TestExisting(t *testing.T) {
	quick.Skip(t, quick.Media)
	t.Parallel()
	p := Kind{}.Defaults().(*Parameters)
	p.Access = accessRGW
	c := pool(t, p)
	ctx, dir := t.Context(), t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(name string, text []byte) { must(os.WriteFile(filepath.Join(dir, name), text, 0o600)) }
	for _, name := range []string{"theirs", "others", "files.tables", "files.data"} {
		must(c.makePool(ctx, name, 16))
	}
	must(c.ceph(ctx, nil, "osd", "pool", "application", "enable", "others", "cephfs"))
	must(c.rbd(ctx, "pool", "init", "theirs"))
	write("kept", bytes.Repeat([]byte("plimsoll"), 1<<17))
	must(c.rbd(ctx, "import", "--no-progress", filepath.Join(dir, "kept"), "theirs/kept"))
	must(c.ceph(ctx, nil, "fs", "new", "files", "files.tables", "files.data"))
	must(c.startTables(ctx))
	heals(t, c)
	must(c.subvolume(ctx, nil, "create", "files", "kept"))
	write("keyring", slices.Concat(
		user(t, c, "reader", "mon 'profile rbd' osd 'profile rbd-read-only pool=theirs'"),
		user(t, c, "bench", (&ExistingCluster{Pool: "theirs"}).needs()),
		user(t, c, "files", (&ExistingCluster{FS: "files"}).needs()),
		user(t, c, "store", (&ExistingCluster{Store: &s3.Parameters{}}).needs()),
		user(t, c, "looker", (&ExistingCluster{Store: &s3.Parameters{KeysFile: "keys"}}).needs()),
	))
	address := c.machines.Client().Address
	write("ceph.conf", fmt.Appendf(nil, "[global]\n\tfsid = %s\n\tmon_host = [v2:%[2]s:3300,v1:%[2]s:6789] # one\n", c.fsid, address))
	write("gateway", fmt.Appendf(nil, "http://%s:%d", address, firstPort))
	write("keys", []byte(c.user.User+"\n"+c.user.Password+"\n"))
	write("monitor", fmt.Append(nil, c.daemon("mon.a").pid))
	must(os.Symlink(c.conf(), filepath.Join(dir, "admin.conf")))
	_, parts, _ := strings.Cut(flag.Lookup("test.run").Value.String(), "/") // go test -run TestExisting/flaps
	cmd := c.machines.Client().Command(ctx, os.Args[0], "-test.run", "^TestInExisting$/"+parts, "-test.v")
	cmd.Env = append(os.Environ(), existingVariable+"="+dir)
	out, err := cmd.CombinedOutput()
	t.Logf("in the network of the cluster:\n%s", out)
	if err != nil {
		t.Error(err)
	}
	if exported, err := c.run(ctx, "rbd", "export", "--no-progress", "theirs/kept", "-"); err != nil || !bytes.Equal(exported, bytes.Repeat([]byte("plimsoll"), 1<<17)) {
		t.Errorf("the image of others holds %d other bytes, %v", len(exported), err)
	}
	for want, command := range map[string]string{
		"kept":                   "rbd ls theirs",
		`[ { "name": "kept" } ]`: "ceph fs subvolume ls files",
		`[ "plimsoll" ]`:         "radosgw-admin user list",
		`[]`:                     "radosgw-admin bucket list",
	} {
		if list, err := c.run(ctx, strings.Fields(command)...); err != nil || strings.Join(strings.Fields(string(list)), " ") != want {
			t.Errorf("%s: %s, %v; want %s", command, list, err, want)
		}
	}
}

// user makes one who may do what needs says, and gives the part of a keyring with its key.
func user(t *testing.T, c *Pool, name, needs string) []byte {
	t.Helper()
	args := []string{"ceph", "auth", "get-or-create", "client." + name}
	for _, part := range strings.Split(strings.TrimSuffix(needs, "'"), "'") {
		args = append(args, strings.TrimSpace(part))
	}
	keyring, err := c.run(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return keyring
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
	t.Run("gives back subvolumes that a crash left", their.givesSubvolumesBack)
	t.Run("gives back subvolumes that a killed client holds", their.givesHeldBack)
	t.Run("gives back buckets that a crash left", their.givesBucketsBack)
	t.Run("has two campaigns", their.hasTwoCampaigns)
	t.Run("may not write", their.mayNotWrite)
	t.Run("warns", their.warns)
	t.Run("flaps", their.flaps)
	t.Run("is full", their.isFull)
	t.Run("has no monitor", their.hasNoMonitor)
	t.Run("ends what waits", their.endsWhatWaits)
	t.Run("conforms", their.conforms)
}

// conforms runs the suites of classes.
func (e *existing) conforms(t *testing.T) {
	makes := func(p *Parameters) func(storage.Env) (storage.Class, error) {
		return func(env storage.Env) (storage.Class, error) { return Kind{}.New("theirs", p, env) }
	}
	t.Run(accessRGW, func(t *testing.T) {
		nightly.Only(t, "the suite on buckets of class s3, and the neighbouring tests")
		p := e.buckets(t)
		storagetest.RunBuckets(t, storagetest.Buckets{
			New: makes(p), Client: e.watcher(t), Kind: s3.BucketKind,
			Sweep: func(ctx context.Context, run string, o journal.Object) error {
				if !(Kind{}).Lent(p, o) {
					return errors.New(o.String() + " is not of this class")
				}
				_, err := Kind{}.GiveBack(ctx, p, run, o)
				return err
			},
		})
	})
	for access, p := range map[string]*Parameters{accessRBD: e.parameters(), accessCephFS: e.files()} {
		t.Run(access, func(t *testing.T) {
			nightly.Only(t, "the suite on images of a cluster of our own, and the neighbouring tests")
			storagetest.Run(t, makes(p))
		})
	}
}

// existing is a cluster as its user knows it.
type existing struct {
	dir   string
	admin cluster
}

func (e *existing) parameters(change ...func(*ExistingCluster)) *Parameters {
	p := Kind{}.Defaults().(*Parameters)
	p.ImageSize = 512 << 20
	p.Existing = &ExistingCluster{Conf: filepath.Join(e.dir, "ceph.conf"), Keyring: filepath.Join(e.dir, "keyring"), User: "bench", Pool: "theirs"}
	for _, do := range change {
		do(p.Existing)
	}
	return p
}

// files are the parameters of subvolumes.
func (e *existing) files(change ...func(*ExistingCluster)) *Parameters {
	p := e.parameters(func(x *ExistingCluster) { x.User, x.Pool, x.FS = "files", "", "files" })
	p.Access, p.ImageSize = accessCephFS, 0
	for _, do := range change {
		do(p.Existing)
	}
	return p
}

// buckets are the parameters of buckets, of a user that the run makes.
func (e *existing) buckets(t *testing.T, change ...func(*ExistingCluster)) *Parameters {
	t.Helper()
	gateway, err := os.ReadFile(filepath.Join(e.dir, "gateway"))
	if err != nil {
		t.Fatal(err)
	}
	p := e.parameters(func(x *ExistingCluster) {
		x.User, x.Pool, x.Store = "store", storeData, &s3.Parameters{URLs: []string{string(gateway)}}
	})
	p.Access, p.ImageSize = accessRGW, 0
	for _, do := range change {
		do(p.Existing)
	}
	return p
}

// watcher is a client of the store's administrator, who is refused nothing.
func (e *existing) watcher(t *testing.T) *minio.Client {
	t.Helper()
	out, err := e.admin.run(t.Context(), "radosgw-admin", "user", "create", "--uid=watcher", "--display-name=watcher", "--system")
	var u storeUser
	if err := errors.Join(err, json.Unmarshal(out, &u)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := e.admin.run(context.Background(), "radosgw-admin", "user", "rm", "--uid=watcher"); err != nil {
			t.Error(err)
		}
	})
	at := endpoint.Endpoint{Kind: endpoint.Bucket}
	at.User, at.Password, err = u.keys()
	at.Payload = endpoint.With(endpoint.Store{URLs: e.buckets(t).Existing.Store.URLs, Region: region})
	c, clientErr := bucket.Client(at, 0)
	if err := errors.Join(err, clientErr); err != nil {
		t.Fatal(err)
	}
	return c
}

// refuses checks that problems are reported before anything is made, with their remedies.
func (e *existing) refuses(t *testing.T) {
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, c := range map[string]struct {
		of     *Parameters // images where it is nil
		change func(*ExistingCluster)
		says   []string
	}{
		"a wrong key": {nil, func(x *ExistingCluster) {
			x.Keyring = file("keyring", "[client.bench]\n\tkey = "+newKey()+"\n", 0o600)
		}, []string{"existing.keyring", "ceph auth get client.bench"}},
		"a key of another": {nil, func(x *ExistingCluster) { x.User = "other" }, []string{"existing.keyring", "ceph auth get client.other"}},
		"keys that others can read": {nil, func(x *ExistingCluster) {
			x.Keyring = file("keyring", "[client.bench]\n\tkey = "+newKey()+"\n", 0o644)
		}, []string{"existing.keyring", "chmod 600"}},
		"a pool that is not there":      {nil, func(x *ExistingCluster) { x.Pool = "nowhere" }, []string{"no pool nowhere", "theirs", "ceph osd pool create nowhere"}},
		"a pool that is for files":      {nil, func(x *ExistingCluster) { x.Pool = "others" }, []string{"not for images", "cephfs"}},
		"a configuration without hosts": {nil, func(x *ExistingCluster) { x.Conf = file("ceph.conf", "[global]\nfsid = 1\n", 0o600) }, []string{"existing.conf", "mon host"}},
		"monitors that do not answer": {nil, func(x *ExistingCluster) {
			x.Conf = file("ceph.conf", "[global]\nmon host = 127.0.0.1:1\n", 0o600)
		}, []string{"no monitor", "ceph quorum_status"}},
		"a file system that is not there": {e.files(), func(x *ExistingCluster) { x.FS = "nowhere" }, []string{"no file system nowhere", "files"}},
		"a user without file systems":     {e.files(), func(x *ExistingCluster) { x.User = "bench" }, []string{"ceph auth caps client.bench", "allow module volumes rw"}},
		"a user who may not make users":   {e.buckets(t), func(x *ExistingCluster) { x.User = "bench" }, []string{"ceph auth caps client.bench", "tag rgw"}},
		"keys that the store refuses": {e.buckets(t), func(x *ExistingCluster) {
			x.User, x.Store.KeysFile = "looker", file("keys", "one\nother\n", 0o600)
		}, []string{"does not accept the keys"}},
		"a pool that is for images": {e.buckets(t), func(x *ExistingCluster) { x.Pool = "theirs" }, []string{"not for objects", "rbd"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := e.parameters()
			if c.of != nil {
				p = c.of
			}
			c.change(p.Existing)
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
func borrowed(t *testing.T, p *Parameters) (b *BorrowedCluster, env storage.Env, path string) {
	t.Helper()
	env, path = environment(t)
	b = class(t, p, env).(*BorrowedCluster)
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
	lent := swept(t, env, path, imageKind, imageKind, imageKind)
	o := lent[0]
	if !(Kind{}).Lent(p, o) || (Kind{}).Lent(e.parameters(func(x *ExistingCluster) { x.Pool = "others" }), o) {
		t.Errorf("whose is %s?", o)
	}
	if _, err := (Kind{}).GiveBack(t.Context(), p, "another-run", o); !errors.Is(err, errNotOurs) || !e.there(t, o.Name) {
		t.Errorf("given back for another run: %v", err)
	}
	wrong := e.parameters(func(x *ExistingCluster) { x.Conf = filepath.Join(t.TempDir(), "none") })
	if _, err := (Kind{}).GiveBack(t.Context(), wrong, env.RunID, o); err == nil {
		t.Error("an image of a cluster that is not reached was given back")
	}
	for n, want := range []bool{true, false} {
		if found, err := (Kind{}).GiveBack(t.Context(), p, env.RunID, o); err != nil || found != want || e.there(t, o.Name) {
			t.Errorf("given back %d times: %t, %v", n+1, found, err)
		}
	}
	for _, o := range []journal.Object{lent[2], lent[1]} { // the clone, and the image it depends on
		if found, err := (Kind{}).GiveBack(t.Context(), p, env.RunID, o); err != nil || !found || e.there(t, o.Name) {
			t.Errorf("%s: %t, %v", o, found, err)
		}
	}
	t.Run("before it was marked", func(t *testing.T) {
		if err := e.admin.rbd(t.Context(), "create", o.Name, "--size", "16M"); err != nil {
			t.Fatal(err)
		}
		staysUnmarked(t, p, env.RunID, o, "rbd rm "+o.Name)
		if err := e.admin.rbd(t.Context(), "rm", "--no-progress", o.Name); err != nil {
			t.Fatal(err)
		}
		if found, err := (Kind{}).GiveBack(t.Context(), p, env.RunID, o); err != nil || found {
			t.Errorf("it was removed by hand: %t, %v", found, err)
		}
	})
	t.Run("an image of its name", func(t *testing.T) {
		name := b.images + "/" + b.lent.name("three")
		if err := e.admin.rbd(t.Context(), "create", name, "--size", "16M"); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Provision(t.Context(), storage.Claim{Name: "three"}); !errors.Is(err, errNotOurs) || !e.there(t, name) {
			t.Errorf("%v", err)
		}
		if err := e.admin.rbd(t.Context(), "rm", "--no-progress", name); err != nil {
			t.Fatal(err)
		}
	})
}

// staysUnmarked: what has no mark is not removed, though nothing was written to it, and what
// to do about it is said.
func staysUnmarked(t *testing.T, p *Parameters, run string, o journal.Object, by string) {
	t.Helper()
	if found, err := (Kind{}).GiveBack(t.Context(), p, run, o); !errors.Is(err, errNotOurs) || !found || !strings.Contains(err.Error(), by) {
		t.Errorf("%s has no mark: %t, %v", o, found, err)
	}
}

// swept leaves everything as a killed run would, cleans this machine by the journal alone,
// and returns the cluster's remaining objects of these kinds.
func swept(t *testing.T, env storage.Env, path string, kinds ...journal.Kind) (lent []journal.Object) {
	t.Helper()
	state, err := journal.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	state.RunID = env.RunID
	for _, r := range journal.Sweep(t.Context(), state) {
		if err := errors.Join(r.Err, env.Journal.Removed(r.Object)); err != nil {
			t.Errorf("sweep %s: %v", r.Object, err)
		}
	}
	var have []journal.Kind
	for _, o := range state.Objects {
		if slices.Contains(append(Kind{}.Lends(), s3.BucketKind), o.Kind) {
			lent, have = append(lent, o), append(have, o.Kind)
		}
	}
	if !slices.Equal(have, kinds) {
		t.Fatalf("the journal has %v", lent)
	}
	return lent
}

// gone has an object given back, first for another run, and looks that there is nothing to
// give back then.
func gone(t *testing.T, p *Parameters, run string, o journal.Object) {
	t.Helper()
	if !(Kind{}).Lent(p, o) {
		t.Errorf("whose is %s?", o)
	}
	if found, err := (Kind{}).GiveBack(t.Context(), p, "another-run", o); err == nil || errors.Is(err, errNotOurs) == errors.Is(err, bucket.ErrNotOurs) {
		t.Errorf("%s given back for another run: %t, %v", o, found, err)
	}
	for n, want := range []bool{true, false} {
		if found, err := (Kind{}).GiveBack(t.Context(), p, run, o); err != nil || found != want {
			t.Errorf("%s given back %d times: %t, %v", o, n+1, found, err)
		}
	}
}

// givesSubvolumesBack: a killed run leaves subvolumes, which the journal has, and which only
// it may remove.
func (e *existing) givesSubvolumesBack(t *testing.T) {
	p := e.files()
	b, env, path := borrowed(t, p)
	v, err := b.Provision(t.Context(), storage.Claim{Name: "one"})
	if err != nil {
		t.Fatal(err)
	}
	if err := flushed(filepath.Join(v.Path, "file"), "load line"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Remount(t.Context()); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(v.Path, "file")); string(text) != "load line" {
		t.Errorf("it holds %q, %v", text, err)
	}
	if d := b.Describe(); d.Options["fs"] != "files" || d.Options["pool"] != "files.data" || d.Protection != "replica 3" || d.Free <= 0 {
		t.Errorf("%+v", d)
	}
	if _, err := b.Provision(t.Context(), storage.Claim{Name: "two"}); err != nil {
		t.Fatal(err)
	}
	if err := b.eachVolume(t.Context(), (*volume).unmap); err != nil { // a client that is killed holds its files for a minute
		t.Fatal(err)
	}
	lent := swept(t, env, path, subvolumeKind, subvolumeKind)
	_, name, _ := strings.Cut(lent[0].Name, "/")
	byHand := func(args ...string) {
		t.Helper()
		if err := e.admin.subvolume(t.Context(), nil, args...); err != nil {
			t.Fatal(err)
		}
	}
	byHand("metadata", "rm", "files", name, markName)
	by := "ceph fs subvolume rm files " + name
	staysUnmarked(t, p, env.RunID, lent[0], by)
	byHand("metadata", "set", "files", name, markName, env.RunID)
	gone(t, p, env.RunID, lent[1])
	gone(t, p, env.RunID, lent[0])
	byHand("create", "files", name)
	staysUnmarked(t, p, env.RunID, lent[0], by)
	byHand("rm", "files", name)
	others := b.lent.name("three")
	byHand("create", "files", others)
	if _, err := b.Provision(t.Context(), storage.Claim{Name: "three"}); !errors.Is(err, errNotOurs) {
		t.Errorf("there is one of its name: %v", err)
	}
	byHand("rm", "files", others)
}

// givesHeldBack: CephFS takes a client that was killed for one that is there, and its removal
// waits for so long that the cluster warns of it. A run that follows waits until it does not,
// and is refused when that takes too long.
func (e *existing) givesHeldBack(t *testing.T) {
	nightly.Only(t, "the subvolumes whose clients have ended")
	p := e.files()
	b, env, path := borrowed(t, p)
	v, err := b.Provision(t.Context(), storage.Claim{Name: "one"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(v.Path, "file"), bytes.Repeat([]byte("plimsoll"), 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	// The warning comes after 30 s and a few more, and a command may take 120 s.
	e.must(t, "fs", "set", "files", "session_timeout", "90")
	defer e.must(t, "fs", "set", "files", "session_timeout", "60")
	lent := swept(t, env, path, subvolumeKind)
	given := make(chan error, 1)
	go func() {
		found, err := Kind{}.GiveBack(t.Context(), p, env.RunID, lent[0])
		if !found {
			err = errors.Join(err, errors.New("there was nothing to give back"))
		}
		given <- err
	}()
	var warned status
	err = peers.Poll(t.Context(), commandLimit, "the cluster to warn of slow requests", func() (is bool, err error) {
		warned, err = e.admin.look(t.Context())
		return slices.Equal(p.Existing.unaccepted(warned), []string{slowRequest}), err
	})
	if err != nil {
		t.Error(err)
	} else if _, err := p.Existing.awaitWell(t.Context(), e.admin, warned, 0); err == nil || !strings.Contains(err.Error(), "accept: [MDS_SLOW_REQUEST]") {
		t.Errorf("slow requests that stay are not refused: %v", err)
	} else {
		t.Logf("refused: %v", err)
	}
	if err := <-given; err != nil {
		t.Error(err)
	}
	if err := (Kind{}).Usable(p); err != nil {
		t.Errorf("no run can follow: %v", err)
	}
}

// givesBucketsBack: a killed run leaves a bucket and its user, which is removed last.
// Buckets made with keys from the study are handled by class s3.
func (e *existing) givesBucketsBack(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*ExistingCluster)
		kinds  []journal.Kind
	}{
		"of a user of the run's own": {func(*ExistingCluster) {}, []journal.Kind{userKind, s3.BucketKind}},
		"of keys that are given": {func(x *ExistingCluster) {
			x.User, x.Store.KeysFile = "looker", filepath.Join(e.dir, "keys")
		}, []journal.Kind{s3.BucketKind}},
	} {
		t.Run(name, func(t *testing.T) {
			p := e.buckets(t, c.change)
			if err := (Kind{}).Usable(p); err != nil {
				t.Fatal(err)
			}
			env, path := environment(t)
			b, err := Kind{}.New("pool", p, env)
			if err != nil {
				t.Fatal(err)
			}
			if err := b.Up(t.Context()); err != nil {
				t.Fatal(err)
			}
			v, err := b.Provision(t.Context(), storage.Claim{Name: "one"})
			if err != nil {
				t.Fatal(err)
			}
			put(t, client(t, v, 0), endpoint.StoreOf(v.Endpoint()).Name, "key", "load line")
			if d := b.Describe(); d.Options["urls"] == "" || d.Options["pool"] != storeData || d.FileSystem != "none" {
				t.Errorf("%+v", d)
			}
			lent := swept(t, env, path, c.kinds...)
			if o := lent[0]; o.Kind == userKind {
				if found, err := (Kind{}).GiveBack(t.Context(), p, env.RunID, o); err == nil || !found {
					t.Errorf("a user with buckets was removed: %t, %v", found, err)
				}
			}
			for _, o := range slices.Backward(lent) {
				gone(t, p, env.RunID, o)
				if err := env.Journal.Removed(o); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// hasTwoCampaigns: two runs with volumes of one name have each its own, and the end of one
// leaves the other's alone.
func (e *existing) hasTwoCampaigns(t *testing.T) {
	var paths []string
	var runs []*BorrowedCluster
	for range 2 {
		b, _, _ := borrowed(t, e.files())
		v, err := b.Provision(t.Context(), storage.Claim{Name: "one"})
		if err != nil {
			t.Fatal(err)
		}
		runs, paths = append(runs, b), append(paths, filepath.Join(v.Path, "file"))
		if err := flushed(filepath.Join(v.Path, "file"), b.env.RunID); err != nil {
			t.Fatal(err)
		}
	}
	if err := runs[1].Down(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := runs[0].Remount(t.Context()); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(paths[0]); string(text) != runs[0].env.RunID {
		t.Errorf("the first run's volume holds %q, %v", text, err)
	}
}

// mayNotWrite: missing rights show when the first image is made.
func (e *existing) mayNotWrite(t *testing.T) {
	b, _, _ := borrowed(t, e.parameters(func(x *ExistingCluster) { x.User = "reader" }))
	if _, err := b.Provision(t.Context(), storage.Claim{Name: "one"}); err == nil || !strings.Contains(err.Error(), "ceph auth caps client.reader") {
		t.Errorf("an image of a user who may not write: %v", err)
	}
}

// warns: an unhealthy cluster is refused until the study accepts its warnings.
func (e *existing) warns(t *testing.T) {
	e.must(t, "osd", "set", "noout")
	e.await(t, func(err error) bool { return err != nil })
	err := Kind{}.Usable(e.parameters())
	for _, want := range []string{"HEALTH_WARN", "OSDMAP_FLAGS", "ceph health detail", "accept: [OSDMAP_FLAGS]"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	b, _, _ := borrowed(t, e.parameters(func(x *ExistingCluster) { x.Accept = []string{"OSDMAP_FLAGS"} }))
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

// flaps: an OSD that was taken for lost in the load and is back after it is named.
func (e *existing) flaps(t *testing.T) {
	nightly.Only(t, "TestOSDsThatFlap, and what a cluster warns of")
	e.await(t, func(err error) bool { return err == nil })
	env, _ := environment(t)
	c := class(t, e.buckets(t), env).(*borrowedStore)
	if err := c.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	settle := func() {
		if _, err := c.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	settle()
	e.must(t, "osd", "down", "1")
	e.rejoins(t, 1, c.cluster.lives[1])
	e.await(t, func(err error) bool { return err == nil })
	if all := c.Capabilities().Doubts(t.Context()); len(all) != 1 || !strings.Contains(all[0].Said.Text, "osd.1 of") {
		t.Errorf("%v", all)
	}
	settle()
	if all := c.Capabilities().Doubts(t.Context()); len(all) > 0 {
		t.Errorf("what was before the load is no doubt of it: %v", all)
	}
}

// rejoins waits until an OSD is up again, and every placement group has since reported that
// it is clean: earlier reports are from before it went down. All have a copy on every OSD.
func (e *existing) rejoins(t *testing.T, osd int, was osdLife) {
	t.Helper()
	var last any
	err := peers.Poll(t.Context(), 2*time.Minute, "the OSD to be one of the cluster again", func() (bool, error) {
		lives, err := e.admin.osdLives(t.Context())
		if last = lives; err != nil || lives[osd].Up == 0 || lives[osd].From == was.From {
			return false, err
		}
		var groups struct {
			All []struct {
				State string
				Told  json.Number `json:"reported_epoch"`
			} `json:"pg_stats"`
		}
		err = e.admin.ceph(t.Context(), &groups, "pg", "ls")
		for _, g := range groups.All {
			if told, err := g.Told.Int64(); err != nil || told < int64(lives[osd].From) || !strings.HasPrefix(g.State, "active+clean") {
				last = g
				return false, err
			}
		}
		return len(groups.All) > 0, err
	})
	if err != nil {
		t.Fatalf("%v: %+v", err, last)
	}
}

// hasNoMonitor: without a quorum no volume is made, what cannot be asked is a doubt, and a
// volume that cannot be removed now is removed later.
func (e *existing) hasNoMonitor(t *testing.T) {
	nightly.Only(t, "the monitors that do not answer before a run")
	e.await(t, func(err error) bool { return err == nil })
	b, _, _ := borrowed(t, e.parameters())
	v, err := b.Provision(t.Context(), storage.Claim{Name: "one"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(e.dir, "monitor"))
	if err != nil {
		t.Fatal(err)
	}
	monitor, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatal(err)
	}
	signal := func(s syscall.Signal) {
		if err := syscall.Kill(monitor, s); err != nil {
			t.Error(err)
		}
	}
	signal(syscall.SIGSTOP)
	defer signal(syscall.SIGCONT)
	silent := func(err error) bool {
		return err != nil && strings.Contains(err.Error(), "no monitor of existing.conf")
	}
	if _, err := b.Provision(t.Context(), storage.Claim{Name: "two"}); !silent(err) {
		t.Errorf("a volume without a quorum: %v", err)
	}
	if all := b.Doubts(t.Context()); len(all) != 1 || !strings.Contains(all[0].Said.Text, "no monitor of existing.conf") {
		t.Errorf("doubts: %v", all)
	}
	err = b.Delete(t.Context(), v)
	if _, thereErr := os.Stat(v.Path); !silent(err) || thereErr == nil {
		t.Errorf("unmounted and named: %v, %v", err, thereErr)
	}
	signal(syscall.SIGCONT)
	e.await(t, func(err error) bool { return err == nil })
	if err := b.Delete(t.Context(), v); err != nil || e.there(t, b.images+"/"+b.lent.name("one")) {
		t.Errorf("not removed: %v", err)
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

// await waits until a run finds the expected state before it begins.
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

// A run waits for requests that a killed client may hold up, and for nothing else that the
// cluster warns of. Slow requests that stay are refused.
func TestSlowRequests(t *testing.T) {
	const well = `"status": "HEALTH_OK"`
	warns := func(checks ...string) string {
		for n, name := range checks {
			checks[n] = fmt.Sprintf(`%q: {"severity": "HEALTH_WARN", "summary": {"message": "so it is"}}`, name)
		}
		return `"status": "HEALTH_WARN", "checks": {` + strings.Join(checks, ", ") + `}`
	}
	slow, both := warns(slowRequest), warns(slowRequest, "OSD_DOWN")
	for name, c := range map[string]struct {
		accept []string
		limit  time.Duration
		said   []string // by the cluster, one after another
		asked  int      // how often the cluster is
		says   []string // by what refuses it
	}{
		"it is well":              {nil, time.Hour, []string{well, slow}, 1, nil},
		"they end":                {nil, time.Hour, []string{slow, slow, well, slow}, 3, nil},
		"they are accepted":       {[]string{slowRequest}, time.Hour, []string{slow, well}, 1, nil},
		"they stay":               {nil, 0, []string{slow, slow, well}, 2, []string{"waited for 0 s", "session_timeout", "ceph health detail", "accept: [MDS_SLOW_REQUEST]"}},
		"there is something else": {nil, time.Hour, []string{both, well}, 1, []string{"accept: [MDS_SLOW_REQUEST, OSD_DOWN]"}},
		"something else comes":    {nil, time.Hour, []string{slow, both, well}, 2, []string{"(MDS_SLOW_REQUEST: so it is; OSD_DOWN: so it is)"}},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			there := cluster{command: func(ctx context.Context, _ ...string) *exec.Cmd {
				asked++
				return here(ctx, "echo", `{"health": {`+c.said[asked-1]+`}, "osdmap": {}, "pgmap": {}, "mgrmap": {}}`)
			}}
			first, err := there.look(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			_, err = (&ExistingCluster{Accept: c.accept}).awaitWell(t.Context(), there, first, c.limit)
			if asked != c.asked || (err != nil) != (len(c.says) > 0) {
				t.Errorf("asked %d times: %v", asked, err)
			}
			for _, want := range c.says {
				if err != nil && !strings.Contains(err.Error(), want) {
					t.Errorf("%v does not say %q", err, want)
				}
			}
		})
	}
}

// An error of a Ceph program comes with the attempted action and a remedy.
func TestExplainedErrors(t *testing.T) {
	images, files := &ExistingCluster{Conf: "/theirs.conf", Pool: "theirs"}, &ExistingCluster{Conf: "/theirs.conf", FS: "files"}
	for name, c := range map[string]struct {
		of            *ExistingCluster
		command, said string
		says          []string
	}{
		"a pool that is full":        {images, "rbd create theirs/one --size 16M", "(28) No space left on device", []string{"pool theirs is full", "set-quota theirs", "rbd create theirs/one: "}},
		"a file system that is full": {files, "ceph fs subvolume create files one --mode 711", "Error ENOSPC: No space left on device", []string{"file system files takes no more", "ceph df detail", "ceph fs subvolume create files one: "}},
		"a cluster that is too old":  {files, "ceph fs subvolume metadata ls files one", "no valid command found; 10 closest matches:", []string{"16.2.8", "ceph versions"}},
		"a user who may not":         {files, "ceph fs subvolume ls files", "Error EACCES: access denied", []string{"ceph auth caps client.admin mon 'allow r' mgr"}},
	} {
		t.Run(name, func(t *testing.T) {
			there := cluster{command: func(ctx context.Context, _ ...string) *exec.Cmd {
				return here(ctx, "sh", "-c", `echo "$0" >&2; exit 1`, c.said)
			}}
			_, err := there.run(t.Context(), strings.Fields(c.command)...)
			err = c.of.explained(err)
			for _, want := range append(c.says, c.said) {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v does not say %q", err, want)
				}
			}
		})
	}
	t.Run("a command that does not end", func(t *testing.T) {
		there := cluster{command: func(ctx context.Context, _ ...string) *exec.Cmd { return here(ctx, "sleep", "1000") }}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		err := files.explained(there.ceph(ctx, nil, "fs", "subvolume", "ls", "files"))
		if err == nil || !errors.Is(err, errNoEnd) || !strings.Contains(err.Error(), "ceph fs subvolume ls files: ") || !strings.Contains(err.Error(), "ceph health detail") {
			t.Errorf("%v", err)
		}
	})
}

func TestOSDsThatFlap(t *testing.T) {
	then := map[int]osdLife{0: {1, 8}, 1: {1, 9}, 2: {0, 4}, 3: {1, 9}}
	now := map[int]osdLife{0: {1, 8}, 1: {1, 12}, 2: {0, 4}, 3: {0, 9}, 4: {1, 13}}
	if names := changedLives(then, now); !slices.Equal(names, []string{"osd.1", "osd.3", "osd.4"}) {
		t.Errorf("%v", names)
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

// The written parameters of an existing cluster contain nothing that applies only to one of
// our own, and are read back unchanged.
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
	l := &loan{run: "a-study-20261126-200000-abcdefgh", conf: "/c"}
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
