package cgroup

import (
	"errors"
	"path/filepath"
	"slices"
)

// makeV1 makes a directory in each hierarchy, below this process's own group
// or else at the top.
func (t *Tree) makeV1(name string, h hierarchies) error {
	for _, m := range h.mounts {
		dir, err := t.makeInOneOf(name, m.own, m.root)
		if refused(err) {
			t.note("control groups for %v are not permitted: %v; run as root to enforce limits", m.controllers, err)
			continue
		}
		if err != nil {
			return err
		}
		for _, c := range m.controllers {
			if slices.Contains(wanted(), c) {
				t.directories[c] = dir
				t.controllers = append(t.controllers, c)
			}
		}
	}
	return nil
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
