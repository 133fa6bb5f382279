package ceph

import (
	"context"
	"fmt"
	"strings"

	"plimsoll/internal/journal"
)

// makeSubvolume makes a subvolume of an existing CephFS, which is in the journal before, marks
// it as the run's, and gives its path in the file system.
func (v *volume) makeSubvolume(ctx context.Context) (path string, err error) {
	l, fs, name := v.of.lent, v.of.images, v.stored()
	if err := v.of.env.Journal.Making(l.object(v.image())); err != nil {
		return "", err
	}
	for _, command := range [][]string{
		{"create", fs, name, "--mode", "711"},
		{"metadata", "set", fs, name, markName, l.run},
	} {
		if err := v.of.subvolume(ctx, nil, command...); err != nil {
			return "", err
		}
	}
	out, err := v.of.run(ctx, "ceph", "fs", "subvolume", "getpath", fs, name)
	return strings.TrimSpace(string(out)), err
}

// subvolume runs a command on subvolumes.
func (c *cluster) subvolume(ctx context.Context, into any, args ...string) error {
	return c.ceph(ctx, into, append([]string{"fs", "subvolume"}, args...)...)
}

// ownerOf looks for a subvolume and for the run that it is marked as.
func (c *cluster) ownerOf(ctx context.Context, fs, name string) (run string, there bool, err error) {
	var all map[string]string
	err = c.subvolume(ctx, &all, "metadata", "ls", fs, name)
	if says(err, "subvolume '"+name+"' does not exist") {
		return "", false, nil
	}
	return all[markName], err == nil, err
}

// removeSubvolume removes a subvolume that a run has marked, or that nothing was written to
// before a crash left it unmarked, and looks whether it is gone.
func (c *cluster) removeSubvolume(ctx context.Context, fs, name, run string) (found bool, err error) {
	owner, there, err := c.ownerOf(ctx, fs, name)
	if err == nil && there && owner == "" {
		var of struct {
			Used *int64 `json:"bytes_used"`
		}
		if err = c.subvolume(ctx, &of, "info", fs, name); err == nil && of.Used != nil && *of.Used == 0 {
			owner = run
		}
	}
	if err != nil || !there {
		return there, err
	}
	if owner != run {
		return true, fmt.Errorf("remove subvolume %s of %s: %w: it is marked %q, not %q", name, fs, errNotOurs, owner, run)
	}
	if err := c.subvolume(ctx, nil, "rm", fs, name); err != nil {
		return true, err
	}
	if _, there, err = c.ownerOf(ctx, fs, name); err == nil && there {
		err = fmt.Errorf("subvolume %s of %s is still there after it was removed", name, fs)
	}
	return true, err
}

// removeLent removes what an existing cluster has of a run, by what the journal has of it.
func (c *cluster) removeLent(ctx context.Context, o journal.Object, run string) (found bool, err error) {
	switch o.Kind {
	case journal.Image:
		return c.removeMarked(ctx, o.Name, run)
	case journal.Subvolume:
		fs, name, _ := strings.Cut(o.Name, "/")
		return c.removeSubvolume(ctx, fs, name, run)
	case journal.StoreUser:
		return c.removeUser(ctx, o.Name, run)
	}
	return false, fmt.Errorf("%s is nothing that a Ceph cluster lends", o)
}
