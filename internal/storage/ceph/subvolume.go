package ceph

import (
	"context"
	"strings"
)

// makeSubvolume makes a subvolume of an existing CephFS, which is in the journal before, marks
// it as the run's, and gives its path in the file system.
func (v *volume) makeSubvolume(ctx context.Context) (path string, err error) {
	fs, name := v.of.images, v.stored()
	if err := v.announce(ctx); err != nil {
		return "", err
	}
	for _, command := range [][]string{
		{"create", fs, name, "--mode", "711"},
		{"metadata", "set", fs, name, markName, v.of.lent.run},
	} {
		if err := v.of.subvolume(context.WithoutCancel(ctx), nil, command...); err != nil {
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

// markedSubvolume looks for a subvolume and for the run that it is marked as.
func (c *cluster) markedSubvolume(ctx context.Context, fs, name string) (run string, there bool, err error) {
	var all map[string]string
	err = c.subvolume(ctx, &all, "metadata", "ls", fs, name)
	if says(err, "subvolume '"+name+"' does not exist") {
		return "", false, nil
	}
	return all[markName], err == nil, err
}
