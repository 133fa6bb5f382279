package claim

import (
	"context"
	"fmt"
)

// answer is whether the class clones, and how.
type answer struct {
	clones, bySnapshot bool
	why                string // it does not
}

func (a answer) String() string {
	switch {
	case a.clones && a.bySnapshot:
		return "snapshot"
	case a.clones:
		return "volume clone"
	}
	return ""
}

// Clones implements storage.SelfCloner.
func (c *class) Clones(ctx context.Context) (by, whyNot string, err error) {
	way, err := c.way(ctx)
	return way.String(), way.why, err
}

// way is how the class clones. Where the study leaves it open, it is tried once.
func (c *class) way(ctx context.Context) (answer, error) {
	c.asking.Lock()
	defer c.asking.Unlock()
	if c.clones != nil {
		return *c.clones, nil
	}
	way, err := c.find(ctx)
	if err != nil {
		return answer{}, err
	}
	c.clones = &way
	return way, nil
}

func (c *class) find(ctx context.Context) (answer, error) {
	c.mu.Lock()
	err := c.ready()
	c.mu.Unlock()
	if err != nil {
		return answer{}, err
	}
	switch snapshots := c.is.SnapshotClass != ""; {
	case c.p.Clone == None:
		return answer{why: "the study says so (clone: none)"}, nil
	case c.p.Clone == CSI:
		return answer{clones: true}, nil
	case c.p.Clone == Snapshot && !snapshots:
		return answer{}, fmt.Errorf("storage class %s cannot be cloned by snapshots: the cluster has no VolumeSnapshotClass of %s; create one, or use clone: auto", c.name, c.is.Provisioner)
	case c.p.Clone == Snapshot:
		return answer{clones: true, bySnapshot: true}, nil
	}
	return c.try(ctx)
}

// try clones a small claim, and if that does not work one by a snapshot.
func (c *class) try(ctx context.Context) (answer, error) {
	ok, why, err := c.env.Claims.TryClone(ctx, c.is.Name, false)
	if err != nil || ok {
		return answer{clones: ok}, err
	}
	no := fmt.Sprintf("StorageClass %s does not clone claims (%s)", c.is.Name, why)
	if c.is.SnapshotClass == "" {
		return answer{why: no + ", and the cluster has no class of snapshots for it"}, nil
	}
	ok, why, err = c.env.Claims.TryClone(ctx, c.is.Name, true)
	if err != nil || ok {
		return answer{clones: ok, bySnapshot: true}, err
	}
	return answer{why: no + ", nor by snapshots (" + why + ")"}, nil
}
