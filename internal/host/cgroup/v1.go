package cgroup

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
)

// makeV1 makes a directory in each hierarchy, below this process's own group
// or else at the top.
func (t *Tree) makeV1(name string, h hierarchies) error {
	var lacking []string
	var reason error
	for _, m := range h.mounts {
		dir, err := t.makeInOneOf(name, m.own, m.root)
		if refused(err) {
			lacking, reason = append(lacking, m.controllers...), err
			continue
		}
		if err != nil {
			return err
		}
		t.use(dir, m.controllers)
	}
	if reason != nil {
		t.note("no cgroups for %s, so their limits are not enforced: %v; run as root",
			strings.Join(lacking, ", "), reason)
	}
	return nil
}

func (t *Tree) use(dir string, controllers []string) {
	for _, c := range controllers {
		if slices.Contains(wanted(), c) {
			t.directories[c] = dir
			t.controllers = append(t.controllers, c)
		}
	}
}

func (t *Tree) makeInOneOf(name string, parents ...string) (string, error) {
	var errs []error
	for _, parent := range slices.Compact(parents) {
		dir := filepath.Join(parent, name)
		err := t.makeDirectory(dir)
		if err == nil {
			return dir, nil
		}
		if !refused(err) {
			return "", err
		}
		errs = append(errs, err)
	}
	return "", &unmadeError{errors.Join(errs...)}
}
