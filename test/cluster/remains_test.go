package cluster

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"plimsoll/test/quick"
)

// machine is what a cluster could leave on the machine, one line each.
func machine(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, command := range []string{
		"cat /proc/self/mounts", "ls /run/netns", "ip -o -brief link", "ip route", "iptables-save", "losetup --noheadings --output NAME,BACK-FILE",
		"sysctl vm.overcommit_memory vm.panic_on_oom kernel.panic kernel.panic_on_oops kernel.keys.root_maxkeys kernel.keys.root_maxbytes",
		// What only these programs make, where they are not told otherwise.
		"ls -d /var/lib/kubelet /var/lib/kube-proxy /var/log/pods /var/log/containers /etc/kubernetes /usr/libexec/kubernetes /opt/cni",
	} {
		out, _ := exec.CommandContext(t.Context(), "sh", "-c", command+" 2>&1").CombinedOutput() // what does not exist is said as well
		for line := range strings.Lines(string(out)) {
			if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, ":") { // iptables-save has times and counters there
				all = append(all, command+": "+strings.TrimSpace(line))
			}
		}
	}
	return all
}

// nothingLeft waits until the machine has nothing of the cluster, whose name is in
// all that it makes, and checks that nothing else has come.
func nothingLeft(t *testing.T, before []string, directory string) {
	t.Helper()
	name := filepath.Base(directory)
	eventually(t, "nothing is left", func(context.Context) error {
		for _, line := range machine(t) {
			if strings.Contains(line, name) {
				return errors.New(line)
			}
		}
		return errors.Join(append(processesOf(name), groupsOf(name))...)
	})
	if _, err := os.Stat(directory); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is there: %v", directory, err)
	}
	for _, line := range machine(t) {
		// Other tests make mounts, links and loop devices at the same time.
		if !slices.Contains(before, line) && !strings.Contains(line, "plimsoll") && !strings.HasPrefix(line, "losetup") {
			t.Errorf("this was not there before: %s", line)
		}
	}
}

func processesOf(name string) (found []error) {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is well-formed
	for _, file := range lines {
		if text, _ := os.ReadFile(file); strings.Contains(string(text), name) {
			found = append(found, errors.New(file+": "+strings.ReplaceAll(string(text), "\x00", " ")))
		}
	}
	return found
}

func groupsOf(name string) error {
	found, _ := filepath.Glob("/sys/fs/cgroup/*/" + name)
	also, _ := filepath.Glob("/sys/fs/cgroup/" + name)
	if all := append(found, also...); len(all) > 0 {
		return errors.New("cgroups " + strings.Join(all, ", "))
	}
	return nil
}

// asChild makes this test binary start a cluster, and wait to be killed.
const asChild = "PLIMSOLL_TEST_CLUSTER_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(asChild) == "" {
		os.Exit(m.Run())
	}
	c, err := Up(context.Background(), Options{})
	if err != nil {
		_, _ = os.Stdout.WriteString("error: " + err.Error() + "\n")
		os.Exit(1)
	}
	_, _ = os.Stdout.WriteString(c.Directory() + "\n")
	select {}
}

// A cluster ends with the process that started it, even if that is killed; the next cluster
// removes anything left.
func TestAKilledTestLeavesNothing(t *testing.T) {
	quick.Skip(t, quick.Cluster)
	if err := Missing(); err != nil {
		t.Skip(err)
	}
	before := machine(t)
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), asChild+"=1")
	directory := startChild(t, child)
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed
	eventually(t, "the cluster has ended", func(context.Context) error { return removeAndLook(directory) })
	nothingLeft(t, before, directory)
}

// When the cluster itself is killed, not even its disk is taken down in order.
func TestAKilledClusterLeavesNothing(t *testing.T) {
	quick.Skip(t, quick.Cluster)
	if err := Missing(); err != nil {
		t.Skip(err)
	}
	before := machine(t)
	c, err := Up(t.Context(), Options{Stays: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Kill(c.pid, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the cluster has ended", func(context.Context) error { return removeAndLook(c.Directory()) })
	nothingLeft(t, before, c.Directory())
}

// removeAndLook does what the start of the next cluster does first.
func removeAndLook(directory string) error {
	if err := removeRemains(); err != nil {
		return err
	}
	if _, err := os.Stat(directory); err == nil {
		return errors.New(directory + " is there")
	}
	return nil
}

// startChild gives the directory of the child's cluster.
func startChild(t *testing.T, child *exec.Cmd) string {
	t.Helper()
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = child.Process.Kill() }) // it has ended unless the test failed
	buffer := make([]byte, 4096)
	n, err := out.Read(buffer)
	text := strings.TrimSpace(string(buffer[:n]))
	if err != nil || !filepath.IsAbs(text) {
		t.Fatalf("the child says %s: %v", strconv.Quote(text), err)
	}
	return text
}
