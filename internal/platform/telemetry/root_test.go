package telemetry

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"plimsoll/internal/result"
	"plimsoll/internal/storage"
	"plimsoll/test/quick"
)

const cgroupRoot = "/sys/fs/cgroup"

// newCgroup makes a group with a CPU limit of half a core, version 1 or 2,
// and gives its directories.
func newCgroup(t testing.TB, number int) map[string]string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("making a cgroup needs root")
	}
	path := fmt.Sprintf("plimsoll-test-%d-%d", os.Getpid(), number)
	dirs := map[string]string{}
	makeOne := func(controller, root, file, value string) {
		dir := filepath.Join(root, path)
		if !readable(filepath.Join(root, "cgroup.procs")) || os.Mkdir(dir, 0o755) != nil {
			return
		}
		t.Cleanup(func() { removeCgroup(t, dir) })
		if file != "" && os.WriteFile(filepath.Join(dir, file), []byte(value), 0o600) != nil {
			return
		}
		dirs[controller] = dir
	}
	if readable(filepath.Join(cgroupRoot, "cgroup.controllers")) {
		makeOne("", cgroupRoot, "cpu.max", "50000 100000")
	} else {
		makeOne("cpu", filepath.Join(cgroupRoot, "cpu"), "cpu.cfs_quota_us", "50000")
		makeOne("cpuacct", filepath.Join(cgroupRoot, "cpuacct"), "", "")
		makeOne("memory", filepath.Join(cgroupRoot, "memory"), "", "")
	}
	if len(dirs) == 0 {
		t.Skip("no cgroup with a CPU limit can be made here")
	}
	return dirs
}

// removeCgroup waits until the kernel has let go of the processes.
func removeCgroup(t testing.TB, dir string) {
	var err error
	for range 300 {
		if err = os.Remove(dir); err == nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("a cgroup of the test stays behind: %v", err)
}

// join moves a process into a group.
func join(t testing.TB, pid int, dirs map[string]string) {
	t.Helper()
	for _, dir := range dirs {
		if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCgroupsAreRead(t *testing.T) {
	quick.Skip(t, quick.Media)
	dirs := newCgroup(t, 0)
	p := begin(t, "busy", "")
	join(t, p.Process.Pid, dirs)
	config := Config{
		Instances: these(Watched{Name: "db-000", Cgroups: dirs}),
		Nodes:     func() []storage.Node { return []storage.Node{{Name: "peer1", Cgroups: dirs, CPU: 0.5}} },
	}
	all := sampleUntil(t, config, "a throttled cgroup", func(all []result.Series) bool {
		return highest(find(all, "instance", "db-000", "cpu")) > 0.05 &&
			highest(find(all, "instance", "db-000", "cpu_user")) > 0.05 &&
			highest(find(all, "instance", "db-000", "throttled")) > 0 &&
			highest(find(all, "node", "peer1", "cpu_utilisation")) > 0.1
	})
	for _, c := range []struct{ kind, name string }{{"instance", "db-000"}, {"node", "peer1"}} {
		for _, metric := range []string{"memory", "processes"} {
			if v := highest(find(all, c.kind, c.name, metric)); !(v > 0) {
				t.Errorf("%s of %s = %g", metric, c.name, v)
			}
		}
	}
}

func TestProcessesThatJoinACgroupAreCounted(t *testing.T) {
	dirs := newCgroup(t, 0)
	var k ticker
	s := Start(t.Context(), Config{Interval: 50 * time.Millisecond, Start: time.Now(), Instances: these(Watched{Name: "db-000", Cgroups: dirs}), Drivers: k.drivers})
	for range 3 {
		join(t, begin(t, "idle", "").Process.Pid, dirs)
		k.wait(t, 3)
	}
	if counts := find(s.Stop(), "instance", "db-000", "processes"); highest(counts) != 3 {
		t.Errorf("numbers of processes = %v, want up to 3", counts.Values)
	}
}

// waitForNetns waits until a process is in another network namespace than the
// tests: ip enters it some time after it began.
func waitForNetns(t *testing.T, pid int) {
	t.Helper()
	own, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		t.Fatal(err)
	}
	for range 3000 {
		if its, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/net", pid)); err == nil && its != own {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("the process does not enter its namespace")
}

func TestTheNetworkOfANodeIsItsOwn(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("making a network namespace needs root")
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("the program ip is not installed")
	}
	name := fmt.Sprintf("plimsoll-test-%d", os.Getpid())
	ip := func(args ...string) error {
		if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %v: %w: %s", args, err, out)
		}
		return nil
	}
	if err := ip("netns", "add", name); err != nil {
		t.Skip("no network namespace can be made here:", err)
	}
	t.Cleanup(func() {
		if err := ip("netns", "del", name); err != nil {
			t.Error(err)
		}
	})
	if err := ip("-n", name, "link", "set", "lo", "up"); err != nil {
		t.Fatal(err)
	}
	const send = `exec 3>/dev/udp/127.0.0.1/9; while sleep 0.05; do echo hello >&3; done`
	p := exec.Command("ip", "netns", "exec", name, "bash", "-c", send)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Process.Kill() //nolint:errcheck // it is waited for next
		p.Wait()         //nolint:errcheck // killed
	})
	nodes := func() []storage.Node { return []storage.Node{{Name: "peer1", Netns: name, PIDs: []int{p.Process.Pid}}} }
	waitForNetns(t, p.Process.Pid)
	sampleUntil(t, Config{Nodes: nodes}, "traffic in a namespace", func(all []result.Series) bool {
		return highest(find(all, "network", "peer1/lo", "send_bytes")) > 0
	})
}
