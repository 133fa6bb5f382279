// Package cgroup makes the control groups of a run: one tree named after the run, with a
// group per instance or storage peer that limits its CPU and memory and counts its use of
// them. It works with version 1 (one hierarchy per controller) and version 2 (one
// hierarchy). Where neither is permitted it reports the reason and a remedy.
//
// Groups are made below this process's own group, so that the limits of a container or
// batch system apply to the instances too. They are made elsewhere only when that is not
// possible.
package cgroup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"plimsoll/internal/host/journal"
)

// Versions of the kernel's interface.
const (
	V1   = "v1"
	V2   = "v2"
	None = "none"
)

// Limits bound a group. Zero is no limit.
type Limits struct {
	CPU    float64 // cores
	Memory int64   // bytes, page cache included
}

// Tree is the parent group of one run.
type Tree struct {
	version     string
	controllers []string
	// directories maps a controller ("" for version 2) to the run's own
	// directory in its hierarchy.
	directories map[string]string
	enabled     []enabledController
	notes       []string
	journal     *journal.Journal
}

// New makes the tree of a run, as far as this machine permits; Notes has the rest. The name
// is one of the run's (journal.Name). It fails when the journal cannot be written.
func New(name string, j *journal.Journal) (*Tree, error) {
	return newTree(name, j, limiting(readHierarchies(wanted()...)))
}

func newTree(name string, j *journal.Journal, h hierarchies) (*Tree, error) {
	t := &Tree{version: h.version, directories: map[string]string{}, journal: j}
	var err error
	switch h.version {
	case V1:
		err = t.makeV1(name, h)
	case V2:
		err = t.makeV2(name, h)
	default:
		t.note("no cgroups are mounted on this machine: CPU and memory limits are not enforced")
	}
	if len(t.directories) == 0 {
		t.version = None
	}
	return t, err
}

func (t *Tree) note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

// Version is V1, V2 or None.
func (t *Tree) Version() string { return t.version }

// CPU reports whether CPU limits are enforced.
func (t *Tree) CPU() bool { return slices.Contains(t.controllers, "cpu") }

// Memory reports whether memory limits are enforced.
func (t *Tree) Memory() bool { return slices.Contains(t.controllers, "memory") }

// Notes lists everything that is impossible on this machine, with the reasons.
func (t *Tree) Notes() []string { return t.notes }

// makeDirectory makes a directory of the tree, announced in the journal.
func (t *Tree) makeDirectory(path string) error {
	o := journal.Object{Kind: journal.Cgroup, Path: path}
	if err := t.journal.Making(o); err != nil {
		return err
	}
	err := os.Mkdir(path, 0o755)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	return errors.Join(&unmadeError{err}, t.removed(path))
}

func (t *Tree) removed(path string) error {
	return t.journal.Removed(journal.Object{Kind: journal.Cgroup, Path: path})
}

// unmadeError reports that the kernel refused a group. That is no failure: the run then
// goes without.
type unmadeError struct{ error }

func refused(err error) bool {
	var unmade *unmadeError
	return errors.As(err, &unmade)
}

// Group makes a group below the run's. Limits that the tree cannot enforce
// are left out, as Notes has said.
func (t *Tree) Group(name string, l Limits) (*Group, error) {
	g := &Group{version: t.version, directories: map[string]string{}}
	for controller, parent := range t.directories {
		g.directories[controller] = filepath.Join(parent, name)
	}
	for _, dir := range g.unique() {
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("create the cgroup of %s: %w", name, err)
		}
	}
	if err := t.limit(g, l); err != nil {
		return nil, fmt.Errorf("limit %s: %w", name, err)
	}
	return g, nil
}

func (t *Tree) limit(g *Group, l Limits) error {
	if l.CPU > 0 && t.CPU() {
		if err := g.limitCPU(l.CPU); err != nil {
			return err
		}
	}
	if l.Memory > 0 && t.Memory() {
		return g.limitMemory(l.Memory)
	}
	return nil
}

// Close removes the tree. Every group in it must have been removed or be
// empty.
func (t *Tree) Close(ctx context.Context) error {
	var errs []error
	for _, dir := range unique(t.directories) {
		err := removeEmpty(ctx, dir)
		if err == nil {
			err = t.removed(dir)
		}
		errs = append(errs, err)
	}
	t.undo()
	clear(t.directories)
	t.controllers = nil
	return errors.Join(errs...)
}

func unique(directories map[string]string) []string {
	all := slices.Sorted(maps.Values(directories))
	return slices.Compact(all)
}

// emptyLimit is how long the kernel may take to let go of a group whose last
// process has gone: a moment, but longer on a busy machine.
const emptyLimit = time.Minute

// removeEmpty removes a group and the groups below it.
func removeEmpty(ctx context.Context, dir string) error {
	deadline := time.Now().Add(emptyLimit)
	for {
		err := removeDeepestFirst(dir)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if ctx.Err() != nil || time.Now().After(deadline) {
			return fmt.Errorf("remove the cgroup: %w", err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func removeDeepestFirst(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			if err := removeDeepestFirst(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return os.Remove(dir)
}
