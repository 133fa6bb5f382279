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

// makeV2 makes the run's group in the nearest ancestor that hands the cpu and memory
// controllers on to its groups. A group that has processes of its own may not ("no internal
// processes", kernel documentation cgroup-v2), so that is seldom this process's own. Only
// when none does, it changes an ancestor to do so, until Close.
func (t *Tree) makeV2(name string, h hierarchies) error {
	var nearest string
	for _, change := range []bool{false, true} {
		for _, parent := range ancestors(h.mounts[0]) {
			reason, err := t.tryV2(parent, name, change)
			if err != nil || reason == "" {
				return err
			}
			if nearest == "" {
				nearest = reason
			}
		}
	}
	t.note("CPU and memory limits are not enforced: %s; run as root, or under `systemd-run --user --scope -p Delegate=yes`", nearest)
	return nil
}

// ancestors are the group that this process is in and those above it.
func ancestors(m mount) []string {
	all := []string{m.own}
	for dir := m.own; dir != m.root && len(dir) > len(m.root); {
		dir = filepath.Dir(dir)
		all = append(all, dir)
	}
	return all
}

// tryV2 makes the group in parent if limits and a process can be put into it, and otherwise
// returns the reason.
func (t *Tree) tryV2(parent, name string, change bool) (reason string, err error) {
	if change {
		t.handOn(parent)
	}
	if !handsOnAll(parent) {
		t.undo()
		return fmt.Sprintf("%s delegates only the controllers %v", parent, handedOn(parent)), nil
	}
	dir := filepath.Join(parent, name)
	if err := t.makeDirectory(dir); refused(err) {
		t.undo()
		return err.Error(), nil
	} else if err != nil {
		return "", err
	}
	t.directories[""] = dir
	enable(dir)
	t.controllers = handedOn(dir)
	if err := t.probe(); err != nil {
		t.undo()
		return err.Error(), t.giveUp(dir)
	}
	return "", nil
}

func (t *Tree) giveUp(dir string) error {
	delete(t.directories, "")
	t.controllers = nil
	return errors.Join(os.Remove(dir), t.removed(dir))
}

// needed are the controllers that limit.
func needed() []string { return []string{"cpu", "memory"} }

// handOn enables the missing controllers in an ancestor and remembers them.
func (t *Tree) handOn(dir string) {
	before := handedOn(dir)
	enable(dir)
	for _, c := range handedOn(dir) {
		if !slices.Contains(before, c) {
			t.enabled = append(t.enabled, enabledController{dir, c})
		}
	}
}

// enabledController is a controller that this tree enabled in an ancestor.
type enabledController struct{ dir, controller string }

// undo disables what handOn enabled, as far as nobody else has come to use it.
func (t *Tree) undo() {
	for _, e := range t.enabled {
		_ = os.WriteFile(control(e.dir), []byte("-"+e.controller), 0)
	}
	t.enabled = nil
}

func control(dir string) string { return filepath.Join(dir, "cgroup.subtree_control") }

func enable(dir string) {
	for _, c := range needed() {
		_ = os.WriteFile(control(dir), []byte("+"+c), 0) // handedOn shows which are missing
	}
}

func handsOnAll(dir string) bool {
	have := handedOn(dir)
	return !slices.ContainsFunc(needed(), func(c string) bool { return !slices.Contains(have, c) })
}

// handedOn are the controllers that a group's groups can use.
func handedOn(dir string) []string {
	data, err := os.ReadFile(control(dir))
	if err != nil {
		return nil
	}
	return strings.Fields(string(data))
}

// probe puts a process into a group: moving one needs the right to write to
// an ancestor common with where it comes from, which only trying tells.
func (t *Tree) probe() error {
	if !t.CPU() || !t.Memory() {
		return fmt.Errorf("%s cannot delegate its controllers", t.directories[""])
	}
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
