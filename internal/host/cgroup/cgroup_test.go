package cgroup

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/procfs"

	"plimsoll/internal/host/journal"
)

func runID() string { return "cgtest" + strconv.FormatInt(time.Now().UnixNano(), 36) }

// open makes a tree with limits, and checks for leftovers afterwards.
func open(t *testing.T) *Tree {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("making control groups needs root")
	}
	id, path := runID(), filepath.Join(t.TempDir(), "journal.jsonl")
	j, err := journal.Open(path, id)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := New(journal.Name(id), j)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tree.Close(context.Background()); err != nil {
			t.Error(err)
		}
		j.Close()
		state, err := journal.Read(path)
		if err != nil || len(state.Objects) > 0 {
			t.Errorf("the journal still holds %v, %v", state.Objects, err)
		}
		if left := journal.Leftovers(id); len(left) > 0 {
			t.Errorf("left on the machine: %v", left)
		}
	})
	if tree.Version() == None {
		t.Skipf("no control groups here: %v", tree.Notes())
	}
	return tree
}

func TestGroupHoldsACommandAndItsChildren(t *testing.T) {
	tree := open(t)
	g, err := tree.Group("db", Limits{CPU: 0.5, Memory: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", "sleep 600 & sleep 600 & wait")
	if err := g.Start(cmd); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(time.Minute)
	for len(g.PIDs()) < 3 && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	if pids := g.PIDs(); len(pids) != 3 || !slices.Contains(pids, cmd.Process.Pid) || slices.Contains(pids, os.Getpid()) {
		t.Errorf("pids %v", pids)
	}
	go cmd.Wait() //nolint:errcheck // it is killed
	if err := g.Kill(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := g.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A thread that started a command must not stay in the group: it would keep
// the group from being removed and be charged to it.
func TestThisProcessStaysOutside(t *testing.T) {
	tree := open(t)
	for i := range 20 {
		g, err := tree.Group("db-"+strconv.Itoa(i), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("true")
		if err := g.Start(cmd); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		if err := g.Remove(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMemoryLimitIsCounted(t *testing.T) {
	tree := open(t)
	if !tree.Memory() {
		t.Skipf("no memory controller: %v", tree.Notes())
	}
	g, err := tree.Group("greedy", Limits{Memory: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	o := starve(t, g)
	if o.Processes == 0 {
		t.Error("no process was killed beyond the memory limit")
	}
	if kernelLog() != "" && (o.Task != "tail" || !o.Own || !strings.Contains(o.Says("db", 16<<20), "db reached its memory limit of 16 MiB")) {
		t.Errorf("%+v: %s", o, o.Says("db", 16<<20))
	}
}

// starve has a process take more than its group may have. Where the kernel gave no reason,
// because it gives no more than ten in five seconds and other tests have used them, another
// process does so after that time.
func starve(t *testing.T, g *Group) OutOfMemory {
	t.Helper()
	for {
		reasons := strings.Count(kernelLog(), "oom-kill:")
		cmd := exec.Command("sh", "-c", "head -c 100000000 /dev/zero | tail -n 1")
		if err := g.Start(cmd); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // the shell may or may not be the one that is killed
		o, log := g.OutOfMemory(), kernelLog()
		if o.Task != "" || o.Processes == 0 || log == "" || strings.Count(log, "oom-kill:") > reasons {
			return o
		}
		time.Sleep(5 * time.Second)
	}
}

// A group above, such as a container's, may be the one without memory: the server has not
// reached its own limit then.
func TestMemoryLimitOfAGroupAbove(t *testing.T) {
	tree := open(t)
	if !tree.Memory() || kernelLog() == "" {
		t.Skipf("no memory controller, or no kernel's log: %v", tree.Notes())
	}
	above, err := tree.Group("above", Limits{Memory: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	g, err := tree.Below(above.Directories(), "below", Limits{Memory: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	o := starve(t, g)
	if message := o.Says("db", 64<<20); o.Processes == 0 || o.Own || !strings.HasSuffix(o.Reached, "/above") || !strings.Contains(message, "db is in control group "+o.Reached) {
		t.Errorf("%+v: %s", o, message)
	}
	if err := g.Remove(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestOutOfMemoryIsReadFromTheLog(t *testing.T) {
	const line = "4,1,2,-;oom-kill:constraint=%s,nodemask=(null),cpuset=/,mems_allowed=0%s,task_memcg=/docker/4f2/plimsoll-a/db-000,task=postgres,pid=7,uid=26\n"
	for _, c := range []struct{ constraint, by, message string }{
		{"CONSTRAINT_MEMCG", ",oom_memcg=/docker/4f2/plimsoll-a/db-000", "db reached its memory limit of 1 MiB, and the kernel ended 1 process of it (postgres)"},
		{"CONSTRAINT_MEMCG", ",oom_memcg=/docker/4f2", "db is in control group /docker/4f2, which reached its memory limit"},
		{"CONSTRAINT_NONE", ",global_oom", "the machine had no memory left for db"},
	} {
		o := OutOfMemory{Processes: 1}
		o.explain("/sys/fs/cgroup/plimsoll-a/db-000", fmt.Sprintf(line, c.constraint, c.by)+"6,2,3,-;Killed process\n")
		if message := o.Says("db", 1<<20); !strings.Contains(message, c.message) {
			t.Errorf("%s: %s", c.by, message)
		}
	}
	if o, found := killedIn(fmt.Sprintf(line, "CONSTRAINT_MEMCG", ",oom_memcg=/docker/4f2"), 7); !found || o.Reached != "/docker/4f2" || o.Task != "postgres" {
		t.Errorf("a process by its number: %+v, %v", o, found)
	}
	if _, found := killedIn(line, 8); found {
		t.Error("a process that was not killed")
	}
	// What somebody else logs between two parts of the line makes them records of their own.
	const parted = "6,1,2,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0\n6,2,2,-;loop0: detected capacity change\n" +
		"6,3,2,c;,oom_memcg=/plimsoll-a/db-000,task_memcg=/plimsoll-a/db-000\n4,4,2,-;XFS (loop0): Mounting\n6,5,2,c;,task=tail,pid=7,uid=0\n"
	if o, found := killedIn(parted, 7); !found || o.Reached != "/plimsoll-a/db-000" || o.Task != "tail" {
		t.Errorf("a line in parts: %+v, %v", o, found)
	}
	other := OutOfMemory{Processes: 1}
	other.explain("/sys/fs/cgroup/plimsoll-b/db-000", fmt.Sprintf(line, "CONSTRAINT_NONE", ",global_oom"))
	if message := other.Says("db", 1<<20); !strings.Contains(message, "whose limit that was stands in the kernel's log") {
		t.Errorf("a kill of another run: %s", message)
	}
}

func TestRefusalBecomesANote(t *testing.T) {
	for _, version := range []string{V1, V2} {
		h := hierarchies{version: version, mounts: []mount{{controllers: []string{"memory"}, root: "/nonexistent/group", own: "/nonexistent/group"}}}
		tree, err := newTree(journal.Name(runID()), nil, h)
		if err != nil {
			t.Fatal(err)
		}
		if tree.Version() != None || tree.Memory() || len(tree.Notes()) != 1 || !strings.Contains(tree.Notes()[0], "root") {
			t.Errorf("%s: version %s, notes %q", version, tree.Version(), tree.Notes())
		}
		g, err := tree.Group("db", Limits{CPU: 1, Memory: 1})
		if err != nil || g.Exists() {
			t.Errorf("%s: group %v, %v", version, g, err)
		}
		cmd := exec.Command("true")
		if err := g.Start(cmd); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
}

// Version 2 is played in a directory: this checks which files are written. The
// kernel's part cannot be had where version 1 owns the controllers.
func TestVersion2Files(t *testing.T) {
	dir := t.TempDir()
	g := Group{version: V2, directories: map[string]string{"": dir}}
	for name, text := range map[string]string{
		"memory.swap.max": "max\n", "memory.events": "low 0\noom 3\noom_kill 2\n", "cpu.stat": "usage_usec 7\nnr_throttled 5\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"cpu.max", "memory.max"} { // the kernel makes them; WriteFile here
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tree := Tree{version: V2, controllers: []string{"cpu", "memory"}}
	if err := tree.limit(&g, Limits{CPU: 1.5, Memory: 1 << 30}); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, name := range []string{"cpu.max", "memory.max", "memory.swap.max"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got[name] = string(text)
	}
	want := map[string]string{"cpu.max": "150000 100000", "memory.max": "1073741824", "memory.swap.max": "0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if g.OutOfMemory().Processes != 2 || g.Throttled() != 5 {
		t.Errorf("%d kills, %d throttled", g.OutOfMemory().Processes, g.Throttled())
	}
}

// The kernel's own way into a version 2 group, on machines that mount it alongside version
// 1.
func TestVersion2Start(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("making control groups needs root")
	}
	root := "/sys/fs/cgroup"
	if _, err := os.Stat(root + "/cgroup.controllers"); err != nil {
		root += "/unified"
	}
	if _, err := os.Stat(root + "/cgroup.controllers"); err != nil {
		t.Skip("version 2 is not mounted here")
	}
	dir := filepath.Join(root, "plimsoll-"+runID())
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Skipf("making a group is not permitted: %v", err)
	}
	defer os.Remove(dir)
	g := Group{version: V2, directories: map[string]string{"": dir}}
	cmd := exec.Command("sleep", "600")
	if err := g.Start(cmd); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{cmd.Process.Pid}, g.PIDs()); diff != "" {
		t.Error(diff)
	}
	go cmd.Wait() //nolint:errcheck // it is killed
	if err := g.Kill(t.Context()); err != nil {
		t.Error(err)
	}
	if err := g.Remove(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestArrange(t *testing.T) {
	v1 := func(root, point string, controllers ...string) *procfs.MountInfo {
		options := map[string]string{"rw": ""}
		for _, c := range controllers {
			options[c] = ""
		}
		return &procfs.MountInfo{FSType: "cgroup", Root: root, MountPoint: point, SuperOptions: options}
	}
	v2 := &procfs.MountInfo{FSType: "cgroup2", Root: "/", MountPoint: "/sys/fs/cgroup"}
	for _, c := range []struct {
		name   string
		mounts []*procfs.MountInfo
		groups []procfs.Cgroup
		want   hierarchies
	}{
		{"nothing", nil, nil, hierarchies{version: None}},
		{"version 2", []*procfs.MountInfo{v2}, []procfs.Cgroup{{Path: "/user.slice/x.scope"}},
			hierarchies{version: V2, mounts: []mount{{root: "/sys/fs/cgroup", own: "/sys/fs/cgroup/user.slice/x.scope"}}}},
		{"version 1 before 2", []*procfs.MountInfo{v1("/", "/cg/memory", "memory"), v2},
			[]procfs.Cgroup{{HierarchyID: 4, Controllers: []string{"memory"}, Path: "/job"}, {Path: "/"}},
			hierarchies{version: V1, mounts: []mount{{controllers: []string{"memory"}, root: "/cg/memory", own: "/cg/memory/job"}}}},
		{"two controllers mounted together", []*procfs.MountInfo{v1("/", "/cg/cpu,cpuacct", "cpu", "cpuacct")},
			[]procfs.Cgroup{{HierarchyID: 2, Controllers: []string{"cpu", "cpuacct"}, Path: "/"}},
			hierarchies{version: V1, mounts: []mount{{controllers: []string{"cpu", "cpuacct"}, root: "/cg/cpu,cpuacct", own: "/cg/cpu,cpuacct"}}}},
		{"a container sees its part", []*procfs.MountInfo{v1("/docker/abc", "/cg/memory", "memory")},
			[]procfs.Cgroup{{HierarchyID: 4, Controllers: []string{"memory"}, Path: "/docker/abc/job"}},
			hierarchies{version: V1, mounts: []mount{{controllers: []string{"memory"}, root: "/cg/memory", own: "/cg/memory/job"}}}},
		{"outside what is seen", []*procfs.MountInfo{v2}, []procfs.Cgroup{{Path: "/../other"}},
			hierarchies{version: V2, mounts: []mount{{root: "/sys/fs/cgroup", own: "/sys/fs/cgroup"}}}},
		{"only controllers that do not matter", []*procfs.MountInfo{v1("/", "/cg/pids", "pids")},
			[]procfs.Cgroup{{HierarchyID: 8, Controllers: []string{"pids"}, Path: "/"}}, hierarchies{version: None}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := limiting(arrange(c.mounts, c.groups, wanted()))
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(hierarchies{}, mount{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}
