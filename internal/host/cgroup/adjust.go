package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// SetCPU changes the CPU limit of a group whose processes run, in cores; 0
// removes it. Where limits are not enforced it does nothing.
func (g *Group) SetCPU(cores float64) error {
	if g.version == None || !g.Exists() {
		return nil
	}
	if cores > 0 {
		return g.limitCPU(cores)
	}
	if g.version == V2 {
		return g.writeIfPresent("", "cpu.max", "max "+strconv.Itoa(period))
	}
	return g.writeIfPresent("cpu", "cpu.cfs_quota_us", "-1")
}

// Parent makes a group that has groups and no processes: below another, or below
// the run's where that is nil.
func (t *Tree) Parent(above map[string]string, name string) (*Group, error) {
	var g *Group
	var err error
	if len(above) > 0 {
		g, err = t.Below(above, name, Limits{})
	} else {
		g, err = t.Group(name, Limits{})
	}
	if err == nil && t.version == V2 && g.Exists() {
		enable(g.directories[""])
	}
	return g, err
}

// Below makes a group inside another one, such as a node's: what limits that
// one limits both together. Version 2 gives no limits of its own to a group
// whose parent has processes ("no internal processes"); they are left out
// there.
func (t *Tree) Below(parent map[string]string, name string, l Limits) (*Group, error) {
	g := &Group{version: t.version, directories: map[string]string{}}
	for controller, dir := range parent {
		g.directories[controller] = filepath.Join(dir, name)
	}
	for _, dir := range g.unique() {
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("create the cgroup of %s: %w", name, err)
		}
	}
	if t.version == V2 && !handsOnAll(parent[""]) {
		return g, nil
	}
	if err := t.limit(g, l); err != nil {
		return nil, fmt.Errorf("limit %s: %w", name, err)
	}
	return g, nil
}
