package ceph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/storage"
	"plimsoll/internal/text/words"
)

// BorrowedCluster is an existing cluster with a run's volumes in it.
type BorrowedCluster struct {
	*clients
	e     *ExistingCluster
	found inspection

	space space           // of the pool, when it was last settled; guarded by mu
	lives map[int]osdLife // of the OSDs when it was last settled
}

var _ storage.Class = (*BorrowedCluster)(nil)

// Capabilities implements storage.Class.
func (b *BorrowedCluster) Capabilities() storage.Capabilities {
	return storage.Capabilities{Remount: b.Remount, Doubts: b.Doubts}
}

func borrow(c *clients) *BorrowedCluster {
	e := c.p.Existing
	b := &BorrowedCluster{clients: c, e: e}
	c.images, c.lent = e.Pool, &loan{run: c.env.RunID, kind: imageKind, conf: e.Conf, room: b.room}
	if c.p.Access == accessCephFS {
		c.images, c.lent.kind = e.FS, subvolumeKind
	}
	return b
}

// Up looks at the cluster and makes the directories that volumes are found in.
func (b *BorrowedCluster) Up(ctx context.Context) error {
	if b.up {
		return nil
	}
	if err := b.enter(ctx); err != nil {
		return err
	}
	if err := b.makeDirectories(); err != nil {
		return err
	}
	b.up = true
	return nil
}

// enter looks at the cluster, whether a run can begin on it.
func (b *BorrowedCluster) enter(ctx context.Context) (err error) {
	if b.cluster, err = b.e.reach(); err == nil {
		err = b.markCommands()
	}
	if err == nil {
		b.found, err = b.e.inspect(ctx, b.cluster)
	}
	if err != nil {
		return fmt.Errorf("use the Ceph cluster of %s: %w", b.e.Conf, err)
	}
	b.version = b.found.version
	b.counts(b.found.space)
	b.warn(b.found.status)
	return nil
}

// Provision makes a volume on an image or in a subvolume of its own.
func (b *BorrowedCluster) Provision(ctx context.Context, claim storage.Claim) (storage.Volume, error) {
	return b.make(ctx, claim, func(v *volume) error { return v.empty(ctx, claim) })
}

func (b *BorrowedCluster) make(ctx context.Context, claim storage.Claim, do func(*volume) error) (storage.Volume, error) {
	return b.makeVolume(ctx, claim, &volume{of: b.clients, name: claim.Name}, func(v *volume) error {
		if err := b.room(ctx); err != nil {
			return err
		}
		return b.e.explained(do(v))
	})
}

// room refuses a pool that is full: writes to it would wait without an end.
func (b *BorrowedCluster) room(ctx context.Context) error {
	_, err := b.e.inspectPool(ctx, b.cluster, b.found.pool)
	return b.e.explained(err)
}

// Import copies a golden volume into an image of its own and takes a snapshot of it, from
// which clones are made without copying.
func (b *BorrowedCluster) Import(ctx context.Context, key, source string) error {
	if b.p.Access == accessDevice {
		return errOnlyFiles
	}
	return b.importGolden(key, source, func(g *golden) error {
		if b.p.Access == accessCephFS { // its clones are copies of the source
			return nil
		}
		if err := b.room(ctx); err != nil {
			return err
		}
		return b.e.explained((&volume{of: b.clients, name: g.name}).bring(ctx, source))
	})
}

// Clone makes a volume of a golden one.
func (b *BorrowedCluster) Clone(ctx context.Context, key string, claim storage.Claim) (storage.Volume, error) {
	g, err := b.imported(key, claim)
	if err != nil {
		return storage.Volume{}, err
	}
	return b.make(ctx, claim, func(v *volume) error { return v.filled(ctx, g, claim) })
}

const (
	// countsStand is how long the cluster's counts must stand still: the reports of OSDs
	// and the manager's sum of them come every few seconds.
	countsStand = 8 * time.Second
	countsLimit = 40 * time.Second // others may write all the time
	countsEvery = 2 * time.Second
)

// Settle writes back this machine's dirty pages, drops them from the page cache, and waits
// until the cluster has counted every write and removal.
func (b *BorrowedCluster) Settle(ctx context.Context) (string, error) {
	err := b.room(ctx)
	if err == nil {
		err = b.drop(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("settle the Ceph cluster of %s: %w", b.e.Conf, err)
	}
	begun := time.Now()
	for still := begun; time.Since(still) < countsStand && time.Since(begun) < countsLimit; {
		now, err := b.spaceOf(ctx, b.found.pool)
		if err != nil {
			return "", b.e.explained(err)
		}
		if b.counts(now) {
			still = time.Now()
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(countsEvery):
		}
	}
	b.lives, err = b.osdLives(ctx)
	return "wrote back dirty pages of clients and dropped them from the page cache; the caches of the existing cluster's OSDs are not ours to drop", b.e.explained(err)
}

// counts notes the cluster's counts, and reports whether they are new.
func (b *BorrowedCluster) counts(now space) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	is := now != b.space
	b.space = now
	return is
}

// Remount unmaps all volumes, which ends their clients with what these keep, and maps them
// again.
func (b *BorrowedCluster) Remount(ctx context.Context) (r storage.RemountResult, err error) {
	if !b.up {
		return r, errors.New("Ceph cluster " + b.name + " is not up")
	}
	if err := b.room(ctx); err != nil {
		return r, err
	}
	if err := b.eachVolume(ctx, (*volume).unmap); err != nil {
		return r, err
	}
	r.Done = "unmounted the volumes, which ends their clients, and mounted them again"
	r.Kept = []string{"the caches of the existing cluster's OSDs, which are not ours to drop"}
	return r, b.eachVolume(ctx, (*volume).again)
}

// Doubts lists the cluster's warnings that are new since the run began, and OSDs that went
// down, for however short a time.
func (b *BorrowedCluster) Doubts(ctx context.Context) (all []storage.Doubt) {
	s, err := b.look(ctx)
	if err != nil {
		return []storage.Doubt{{Said: words.Say("the existing Ceph cluster did not answer after the load: %s", b.e.explained(err))}}
	}
	if now, err := b.osdLives(ctx); err == nil && b.lives != nil {
		if changed := changedLives(b.lives, now); len(changed) > 0 {
			all = append(all, storage.Doubt{Said: words.Say("during the load %s of the existing Ceph cluster went down or came up", strings.Join(changed, ", "))})
		}
	}
	for _, text := range s.warnings() {
		if !slices.Contains(b.found.status.warnings(), text) {
			all = append(all, storage.Doubt{Said: words.Say("the existing Ceph cluster reported %s after the load: %s", s.Health.Status, text)})
		}
	}
	return all
}

// Devices are none that could be seen from here.
func (*BorrowedCluster) Devices() []describe.Device { return nil }

// Nodes are none: they are the cluster's own.
func (*BorrowedCluster) Nodes() []storage.Node { return nil }

// Describe repeats the cluster's own account.
func (b *BorrowedCluster) Describe() describe.Storage {
	b.mu.Lock()
	free, all := b.space.Available, b.space.Available+b.space.Stored
	b.mu.Unlock()
	d := describe.Storage{
		Class: Kind{}.Name(), Media: b.found.media, MediaKind: describe.MediaKindIn(b.found.media), Protection: b.found.protection,
		FileSystem: b.fs.Name(), Durable: true, Reflink: b.fs.Reflink(),
		Capacity: all, Free: free,
		Options: map[string]string{"client": imageClient, "version": b.version, "client version": b.found.client, "pool": b.found.pool, "user": "client." + b.e.user()},
		Notes: append(b.notes(),
			"the cluster is an existing one: others may use it at the same time, and the caches of its OSDs are not dropped between trials"),
	}
	what := "file systems on images by rbd-fuse and loop devices"
	switch b.p.Access {
	case accessDevice:
		d.FileSystem, d.Reflink, what = "none", false, "images as raw devices by rbd-fuse and loop devices"
	case accessCephFS:
		d.FileSystem, d.Reflink, what = onCephFS, false, "subvolumes by ceph-fuse"
		d.Options["client"], d.Options["fs"] = fileClient, b.e.FS
	case accessRGW:
		d.FileSystem, d.Reflink, what = "none", false, "buckets by its gateways"
		d.Options["client"] = "radosgw"
	}
	if b.p.onImages() {
		d.Notes = append(d.Notes, throughFUSE)
	}
	texts := []string{fmt.Sprintf("Existing Ceph cluster %s, pool %s, %s", b.version, b.found.pool, b.found.protection), what}
	if b.e.Text != "" {
		texts = append([]string{b.e.Text}, texts...)
	}
	d.Text = strings.Join(texts, ", ")
	return d
}

// Down removes all volumes with their images, and then the images they were cloned from.
func (b *BorrowedCluster) Down(ctx context.Context) error {
	err := b.eachVolume(ctx, func(v *volume, ctx context.Context) error { return b.delete(ctx, v) })
	for _, g := range b.golden {
		if err == nil && g.ready && b.p.onImages() {
			err = (&volume{of: b.clients, name: g.name, announced: true}).remove(ctx)
		}
	}
	if err != nil {
		return fmt.Errorf("give the Ceph cluster of %s back: %w", b.e.Conf, b.e.explained(err))
	}
	return b.removeDirectories()
}
