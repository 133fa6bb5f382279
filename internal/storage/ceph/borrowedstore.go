package ceph

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"plimsoll/internal/client/bucket"
	"plimsoll/internal/describe"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/s3"
)

// borrowedStore is an existing cluster with a run's buckets in it. The buckets are volumes
// of class s3 and belong to a user that the run makes, unless the study gives keys.
type borrowedStore struct {
	storage.Class // of the buckets
	cluster       *BorrowedCluster
	user          storeUser
	made          bool // there may be the user
}

// Capabilities adds the cluster's doubts to the abilities of the buckets' class.
func (b *borrowedStore) Capabilities() storage.Capabilities {
	return storage.Capabilities{Doubts: b.cluster.Doubts, Clones: b.Class.Capabilities().Clones}
}

func borrowStore(of *BorrowedCluster) (b *borrowedStore, err error) {
	b = &borrowedStore{cluster: of}
	p := of.e.Store
	if of.e.ownUser() {
		p = p.With(func() (access, secret string, err error) { return b.user.keys() })
	}
	b.Class, err = s3.Kind{}.New(of.name, p, of.env)
	return b, err
}

// Up looks at the cluster, makes the user, and asks every gateway whether it lets it in.
func (b *borrowedStore) Up(ctx context.Context) error {
	if !b.cluster.up {
		if err := b.cluster.enter(ctx); err != nil {
			return err
		}
		if err := b.makeUser(ctx); err != nil {
			return fmt.Errorf("make a user of the object store of %s: %w", b.cluster.e.Conf, b.cluster.e.explained(err))
		}
		b.cluster.up = true
	}
	return b.Class.Up(ctx)
}

// object is the user in the journal.
func (b *borrowedStore) object() journal.Object {
	return journal.Object{Kind: userKind, Name: journal.Name(b.cluster.env.RunID, b.cluster.name), Path: b.cluster.e.Conf}
}

func (b *borrowedStore) makeUser(ctx context.Context) (err error) {
	if !b.cluster.e.ownUser() {
		return nil
	}
	if err := b.cluster.env.Journal.Making(b.object()); err != nil {
		return err
	}
	b.made = true
	b.user, err = b.cluster.makeStoreUser(ctx, b.object().Name, userMark(b.cluster.env.RunID))
	return err
}

// Provision makes an empty bucket, unless the pool is full: writes to it would wait without
// an end.
func (b *borrowedStore) Provision(ctx context.Context, claim storage.Claim) (storage.Volume, error) {
	if b.cluster.up {
		if err := b.cluster.room(ctx); err != nil {
			return storage.Volume{}, err
		}
	}
	return b.Class.Provision(ctx, claim)
}

// Settle notes the state of the OSDs before the load; there is nothing to write back.
func (b *borrowedStore) Settle(ctx context.Context) (done string, err error) {
	if err := b.cluster.room(ctx); err != nil {
		return "", err
	}
	if b.cluster.lives, err = b.cluster.osdLives(ctx); err != nil {
		return "", b.cluster.e.explained(err)
	}
	return b.Class.Settle(ctx)
}

// Describe repeats the cluster's own account, and adds the way to its buckets.
func (b *borrowedStore) Describe() describe.Storage {
	d := b.cluster.Describe()
	maps.Copy(d.Options, b.Class.Describe().Options)
	return d
}

// Down removes all buckets, and then the user.
func (b *borrowedStore) Down(ctx context.Context) error {
	if err := b.Class.Down(ctx); err != nil {
		return err
	}
	if b.made {
		if _, err := b.cluster.removeUser(ctx, b.object(), b.cluster.env.RunID); err != nil {
			return fmt.Errorf("give the Ceph cluster of %s back: %w", b.cluster.e.Conf, b.cluster.e.explained(err))
		}
		if err := b.cluster.env.Journal.Removed(b.object()); err != nil {
			return err
		}
	}
	b.made, b.cluster.up, b.cluster.warnings = false, false, nil
	return b.cluster.env.Journal.Removed(b.cluster.commands())
}

// giveBackBucket removes a bucket that a run made as a user of its own.
func (e *ExistingCluster) giveBackBucket(ctx context.Context, c cluster, run string, o journal.Object) (found bool, err error) {
	out, err := c.run(ctx, "radosgw-admin", "bucket", "stats", "--bucket="+o.Name)
	if isMissing(err) || says(err, "(2002)") {
		return false, nil
	}
	var is struct{ Owner string }
	if err == nil {
		err = json.Unmarshal(out, &is)
	}
	if err != nil {
		return true, e.explained(err)
	}
	u, there, err := c.storeUser(ctx, is.Owner)
	if err != nil {
		return true, e.explained(err)
	}
	if !there || u.Name != userMark(run) || !strings.HasPrefix(is.Owner, journal.Name(run)+".") {
		return true, fmt.Errorf("remove %s: %w: it belongs to user %q, whom the run did not make. It stays; on a node of the cluster, `radosgw-admin bucket stats --bucket=%s` shows it", o, bucket.ErrNotOurs, is.Owner, o.Name)
	}
	return s3.Kind{}.GiveBack(ctx, e.Store.With(u.keys), run, o)
}
