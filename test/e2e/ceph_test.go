package e2e

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/ceph"
	"plimsoll/test/nightly"
)

const theirCephStudy = `study: theirs
workload: {name: files, parameters: {file_size: 4000KB, block_size: 64KiB, files: 2, operation: mixed}}
storage:
  theirs: {class: ceph, %s}
ladder: {of: users, rungs: [1]}
phases: {warmup: 1s, measure: 8s, ramp_rate: 0}
objectives: ["p95 <= 10s"]
`

// Runs on a Ceph cluster that is there already are killed while they drive: clean removes
// their images and subvolumes, and resume ends well. What others have in the cluster stays as
// it is, and nothing else stays there or here.
func TestExistingCeph(t *testing.T) {
	nightly.Only(t, "TestInExisting of the class, which gives back what a crash left")
	c := theirCeph(t)
	c.must("osd", "pool", "create", "theirs", "16")
	c.admin("rbd", "pool", "init", "theirs")
	c.admin("rbd", "create", "theirs/kept", "--size", "16M")
	c.admin("rbd", "bench", "theirs/kept", "--io-type", "write", "--io-total", "16M")
	c.must("fs", "subvolume", "create", "plimsoll", "kept")
	before := c.admin("rbd", "export", "--no-progress", "theirs/kept", "-")
	for name, on := range map[string]string{
		"images": fmt.Sprintf("image_size: 512MiB, existing: {conf: %s, keyring: %s, user: images, pool: theirs}", c.conf,
			c.user("images", "mon", "profile rbd", "osd", "profile rbd pool=theirs")),
		"files": fmt.Sprintf("access: cephfs, existing: {conf: %s, keyring: %s, user: files, fs: plimsoll}", c.conf,
			c.user("files", "mon", "allow r", "mgr", "allow module volumes rw", "mds", "allow rw fsname=plimsoll", "osd", "allow rw tag cephfs data=plimsoll")),
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.netns = c.netns
			b := s.start("run", s.write(name+".yaml", fmt.Sprintf(theirCephStudy, on)), "--name", name, "--json", "--min-grade", "F")
			b.until("the measured phase has begun", b.measuring)
			b.signal(syscall.SIGKILL)
			b.wait()
			if lent := c.lent(); !strings.Contains(lent, journal.Name(s.journalOf(name).RunID)) {
				t.Errorf("a run that works has nothing of its own in the cluster: %s", lent)
			}
			out, _ := s.plimsoll(0, "clean", s.run(name))
			contains(t, out, "Nothing is left")
			if left := s.leftovers(name); len(left) > 0 {
				t.Errorf("clean left here: %v", left)
			}
			c.onlyKept()
			s.plimsoll(0, "run", "--resume", s.run(name), "--min-grade", "F")
			if trial := s.trial(name, "theirs/1/1"); trial.Status != result.Passed || !trial.Audit.Passed {
				t.Errorf("%s: %+v, %+v", trial.Status, trial.Failure, trial.Audit)
			}
			c.onlyKept()
		})
	}
	if after := c.admin("rbd", "export", "--no-progress", "theirs/kept", "-"); after != before {
		t.Error("the image of others is no longer what it was")
	}
}

// cephCluster is one that is there already, with CephFS.
type cephCluster struct {
	t     *testing.T
	dir   string
	conf  string
	netns string // in which its monitor is reached
}

func theirCeph(t *testing.T) *cephCluster {
	t.Helper()
	p := ceph.Kind{}.Defaults().(*ceph.Parameters)
	p.Access = "cephfs"
	if err := (ceph.Kind{}).Usable(p); err != nil {
		t.Skip(err)
	}
	run := fmt.Sprintf("theirs-%d", os.Getpid())
	c := &cephCluster{t: t, dir: t.TempDir()}
	j, err := journal.Open(filepath.Join(c.dir, "journal"), run)
	if err != nil {
		t.Fatal(err)
	}
	scratch := filepath.Join(c.dir, journal.Name(run), "s")
	class, err := ceph.Kind{}.New("theirs", p, storage.Env{RunID: run, Scratch: scratch, Journal: j, Log: slog.New(slog.DiscardHandler), Executable: binary})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := class.Down(context.Background()); err != nil {
			t.Error(err)
		}
		j.Close()
	})
	if err := class.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.conf = filepath.Join(scratch, "ceph.conf")
	for _, n := range class.Nodes() {
		if n.Name == "control" {
			c.netns = n.Netns
		}
	}
	return c
}

// inNetwork makes a process in a named network, or else in the test's own.
func inNetwork(netns string, args ...string) *exec.Cmd {
	if netns != "" {
		args = append([]string{"nsenter", "--net=/run/netns/" + netns, "--"}, args...)
	}
	return exec.Command(args[0], args[1:]...)
}

// admin runs a program of Ceph as the cluster's administrator.
func (c *cephCluster) admin(args ...string) string {
	c.t.Helper()
	out, err := inNetwork(c.netns, append(args, "--conf", c.conf)...).Output()
	if err != nil {
		c.t.Fatalf("%v: %v", args, err)
	}
	return string(out)
}

func (c *cephCluster) must(args ...string) string {
	c.t.Helper()
	return c.admin(append([]string{"ceph"}, args...)...)
}

// user makes a user and gives the path of a keyring with its key.
func (c *cephCluster) user(name string, may ...string) string {
	c.t.Helper()
	path := filepath.Join(c.dir, name+".keyring")
	if err := os.WriteFile(path, []byte(c.must(append([]string{"auth", "get-or-create", "client." + name}, may...)...)), 0o600); err != nil {
		c.t.Fatal(err)
	}
	return path
}

// lent lists the images and subvolumes in the cluster.
func (c *cephCluster) lent() string {
	c.t.Helper()
	return strings.Join(strings.Fields(c.admin("rbd", "ls", "theirs")+c.must("fs", "subvolume", "ls", "plimsoll")), " ")
}

func (c *cephCluster) onlyKept() {
	c.t.Helper()
	if have := c.lent(); have != `kept [ { "name": "kept" } ]` {
		c.t.Errorf("left in the cluster: %s", have)
	}
}
