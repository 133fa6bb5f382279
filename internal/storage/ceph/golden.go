package ceph

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"plimsoll/internal/host/clone"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/storage"
)

// golden is an image that volumes are clones of.
type golden struct {
	once   sync.Once
	source string
	name   string // of its image
	ready  bool   // there is a snapshot
	err    error
}

// snapshot names what volumes are clones of.
func (v *volume) snapshot() string { return v.image() + "@golden" }

// errOnlyFiles is of a golden volume for volumes that hold no files.
var errOnlyFiles = errors.New("only directories have files to import")

// importGolden brings a golden volume in, once by its key.
func (c *clients) importGolden(key, source string, bring func(*golden) error) error {
	c.mu.Lock()
	g := c.golden[key]
	if g == nil {
		c.imports++
		g = &golden{source: source, name: fmt.Sprintf("golden.%d", c.imports)}
		c.golden[key] = g
	}
	c.mu.Unlock()
	g.once.Do(func() {
		g.err = bring(g)
		g.ready = g.err == nil
	})
	if g.err != nil {
		c.mu.Lock()
		delete(c.golden, key) // the next call tries again
		c.mu.Unlock()
		return fmt.Errorf("import the golden volume %s: %w", key, g.err)
	}
	return nil
}

// imported is a golden volume that was brought in.
func (c *clients) imported(key string, claim storage.Claim) (*golden, error) {
	c.mu.Lock()
	g := c.golden[key]
	c.mu.Unlock()
	if g == nil || !g.ready {
		return nil, fmt.Errorf("clone volume %s: golden volume %q has not been imported", claim.Name, key)
	}
	return g, nil
}

// bring makes the image of a golden volume with a copy of its files, and a snapshot of it.
// One that it cannot finish is removed.
func (v *volume) bring(ctx context.Context, source string) error {
	if err := v.copyOf(ctx, source); err != nil {
		return errors.Join(err, v.remove(context.WithoutCancel(ctx)))
	}
	return nil
}

func (v *volume) copyOf(ctx context.Context, source string) error {
	if err := v.fresh(ctx, v.of.imageSize(storage.Claim{})); err != nil {
		return err
	}
	if _, err := clone.Tree(ctx, source, v.data(), clone.Options{UID: 0, GID: 0}); err != nil {
		return err
	}
	if err := v.unmap(ctx); err != nil {
		return err
	}
	return v.of.rbd(ctx, "snap", "create", "--no-progress", v.snapshot())
}

// cloneOf makes the volume of the snapshot of a golden one. Blocks are shared until they are
// written; only the owner of the files changes.
func (v *volume) cloneOf(ctx context.Context, g *golden, claim storage.Claim) error {
	original := &volume{of: v.of, name: g.name}
	if err := v.makeImage(ctx, "clone", "--rbd-default-clone-format", "2", "--image-feature", "layering", original.snapshot(), v.image()); err != nil {
		return err
	}
	if err := v.again(ctx); err != nil {
		return err
	}
	uid, gid := v.of.env.Owner.For(claim)
	return giveFiles(ctx, v.data(), original.data(), uid, gid)
}

// filled makes the volume of a golden one: of its snapshot or, on CephFS, as a copy.
func (v *volume) filled(ctx context.Context, g *golden, claim storage.Claim) error {
	if v.of.p.Access != accessCephFS {
		return v.cloneOf(ctx, g, claim)
	}
	if err := v.makeCephFS(ctx); err != nil {
		return err
	}
	uid, gid := v.of.env.Owner.For(claim)
	_, err := clone.Tree(ctx, g.source, v.data(), clone.Options{UID: uid, GID: gid})
	return err
}

// fresh makes the image with an empty file system that is mounted.
func (v *volume) fresh(ctx context.Context, bytes int64) error {
	if v.of.p.Access == accessCephFS {
		return v.makeCephFS(ctx)
	}
	if err := v.create(ctx, bytes); err != nil {
		return err
	}
	if err := v.attach(ctx); err != nil {
		return err
	}
	if err := v.of.fs.Make(ctx, v.device.Name()); err != nil {
		return err
	}
	return v.mountFS()
}

// giveFiles gives all files below a directory to a user, and has links that led into the directory
// which it is a copy of lead into itself.
func giveFiles(ctx context.Context, dir, original string, uid, gid int) error {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if d.Type()&fs.ModeSymlink != 0 {
			return relink(path, dir, original)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return safefile.GiveTree(dir, uid, gid)
}

func relink(path, dir, original string) error {
	to, err := os.Readlink(path)
	if err != nil {
		return err
	}
	below, inside := strings.CutPrefix(to, original)
	if !inside || below != "" && below[0] != '/' {
		return nil
	}
	return errors.Join(os.Remove(path), os.Symlink(dir+below, path))
}
