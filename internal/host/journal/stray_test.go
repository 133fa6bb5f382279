package journal

import (
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// A node of a cluster may run on the machine. The processes of its pods carry the marker of
// a run unknown to the machine, which must not list them. It does list processes of
// Plimsoll's own containers.
func TestProcessesOfPodsAreNoStrays(t *testing.T) {
	needsRoot(t)
	for name, c := range map[string]struct {
		environ []string
		pidns   bool
		stray   bool
	}{
		"of a pod":                      {[]string{"KUBERNETES_SERVICE_HOST=10.0.0.1"}, true, false},
		"of a container":                {nil, true, true},
		"of a Plimsoll in the same pod": {[]string{"KUBERNETES_SERVICE_HOST=10.0.0.1"}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			id := NewRunID("pods")
			cmd := exec.Command("sleep", "600")
			cmd.Env = append(c.environ, MarkerVariable+"="+id+"/driver-0")
			if c.pidns {
				cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				_ = cmd.Process.Kill() // it lives until here
				_ = cmd.Wait()
			})
			awaitEnvironment(t, cmd.Process.Pid)
			found := slices.ContainsFunc(Strays(nil), func(s Stray) bool { return s.RunID == id && strings.HasPrefix(s.What, "process ") })
			if found != c.stray {
				t.Errorf("found as a stray: %t", found)
			}
		})
	}
}
