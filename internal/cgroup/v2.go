package cgroup

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// makeV2 makes the run's group in the nearest ancestor that may hand the cpu
// and memory controllers on. A group that has processes of its own may not
// ("no internal processes", kernel documentation cgroup-v2), so that is
// seldom this process's own.
func (t *Tree) makeV2(name string, h hierarchies) error {
	m := h.mounts[0]
	var reasons []string
	for dir := m.own; ; dir = filepath.Dir(dir) {
		reason, err := t.tryV2(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if reason == "" {
			return nil
		}
		reasons = append(reasons, reason)
		if dir == m.root || len(dir) <= len(m.root) {
			break
		}
	}
	t.note("CPU and memory limits are not enforced: %s; run as root, or under `systemd-run --user --scope -p Delegate=yes`",
		strings.Join(slices.Compact(reasons), "; "))
	return nil
}

// tryV2 makes the group at dir if limits and a process can be put into it,
// and otherwise says why not.
func (t *Tree) tryV2(dir string) (reason string, err error) {
	enable(filepath.Dir(dir))
	if err := t.makeDirectory(dir); err != nil {
		if refused(err) {
			return err.Error(), nil
		}
		return "", err
	}
	t.directories[""] = dir
	t.controllers = enable(dir)
	if !t.CPU() || !t.Memory() {
		reason = fmt.Sprintf("%s hands on only the controllers %v", filepath.Dir(dir), t.controllers)
	} else if err := t.probe(); err != nil {
		reason = err.Error()
	}
	if reason == "" {
		return "", nil
	}
	return reason, t.giveUp(dir)
}

func (t *Tree) giveUp(dir string) error {
	delete(t.directories, "")
	t.controllers = nil
	return errors.Join(os.Remove(dir), t.removed(dir))
}

// enable hands the controllers on to the groups below dir, as far as
// permitted, and tells which are.
func enable(dir string) []string {
	control := filepath.Join(dir, "cgroup.subtree_control")
	for _, c := range []string{"cpu", "memory"} {
		_ = os.WriteFile(control, []byte("+"+c), 0) // what is missing shows below
	}
	data, err := os.ReadFile(control)
	if err != nil {
		return nil
	}
	return strings.Fields(string(data))
}

// probe puts a process into a group: moving one needs the right to write to
// an ancestor common with where it comes from, which only trying tells.
func (t *Tree) probe() error {
	g, err := t.Group("probe", Limits{})
	if err != nil {
		return err
	}
	cmd := exec.Command("true")
	err = g.Start(cmd)
	if err == nil {
		err = cmd.Wait()
	}
	return errors.Join(err, os.Remove(g.directories[""]))
}
