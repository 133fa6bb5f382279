// Package objectio is what workloads on the objects of a bucket share: how a bucket is reached,
// how it says for whom it was prepared, the classes of errors, and a process that answers in
// a store's place.
package objectio

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/minio/minio-go/v7"

	"plimsoll/internal/client/bucket"
	"plimsoll/internal/client/s3wire"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// Roles of an instance: a store, and what may stand in front of it.
const (
	StoreRole    = "store"
	BalancerRole = "balancer"
)

// ownBucket is the bucket of stores that were started for their instance.
const ownBucket = "objects"

// Store is a bucket as one user, or the administrator, reaches it.
type Store struct {
	Core   minio.Core
	Bucket string
	region string
	at     endpoint.Endpoint // with the URLs of a proxy in front of it, if there is one
}

// Reach returns the store of a target to one of its users, through the gateway of number n,
// counted round all of them: through what stands in front of it where there is something.
func Reach(t workload.Target, n int) (Store, error) { return reach(t, n, bucket.Client) }

// Administer is Reach for requests that are not measured. It repeats them if the store puts
// them off.
func Administer(t workload.Target, n int) (Store, error) { return reach(t, n, bucket.Patient) }

func reach(t workload.Target, n int, open func(endpoint.Endpoint, int) (*minio.Client, error)) (Store, error) {
	e := t.Endpoint(StoreRole)
	s, err := endpoint.As[endpoint.Store](e)
	if err != nil {
		return Store{}, fmt.Errorf("open the store: %w", err)
	}
	if s.URLs = urlsOf(t, BalancerRole); len(s.URLs) == 0 {
		s.URLs = urlsOf(t, StoreRole)
	}
	e.Payload = endpoint.With(s)
	c, err := open(e, n)
	if err != nil {
		return Store{}, fmt.Errorf("open the store: %w", err)
	}
	return Store{minio.Core{Client: c}, cmp.Or(s.Name, ownBucket), s.Region, e}, nil
}

// urlsOf returns the URLs of all servers of a role.
func urlsOf(t workload.Target, role string) (all []string) {
	for _, e := range t.Endpoints {
		if e.Role == role {
			all = append(all, endpoint.StoreOf(e).URLs...)
		}
	}
	return all
}

// Connect returns a connection of one user's own to the gateway of number n.
func (s Store) Connect(n int) (*s3wire.Conn, error) { return s3wire.New(s.at, s.Bucket, n) }

// Load gives work a connection to the gateway of number n, by which objects are put that are
// there when the load begins.
func (s Store) Load(n int, work func(*s3wire.Conn) error) error {
	c, err := s.Connect(n)
	if err != nil {
		return err
	}
	c.Unhurried()
	return errors.Join(work(c), c.Close())
}

// IdentityKey is the object that says for whom a bucket was prepared.
const IdentityKey = ".plimsoll-id"

// Identity is the content of the object at IdentityKey.
type Identity struct {
	fileio.Owner
	Volume uint64 `json:"volume,string"` // that stamps carry
}

// Claim prepares a bucket for its owner, and makes it where the store was started for the
// instance. It fails where something is in the bucket.
func (s Store) Claim(ctx context.Context, o fileio.Owner) (volume uint64, err error) {
	there, err := s.Core.BucketExists(ctx, s.Bucket)
	if err != nil {
		return 0, Classify(fmt.Errorf("look for bucket %s: %w", s.Bucket, err))
	}
	if !there {
		if err := bucket.Make(ctx, s.Core.Client, s.Bucket, s.region, "plimsoll"); err != nil {
			return 0, Classify(err)
		}
	}
	if err := s.mustBeEmpty(ctx); err != nil {
		return 0, err
	}
	id := Identity{o, fileio.NewIdentity(o.Instance)}
	text, err := json.Marshal(id)
	if err != nil {
		return 0, err
	}
	_, err = s.Core.PutObject(ctx, s.Bucket, IdentityKey, strings.NewReader(string(text)), int64(len(text)), "", "", minio.PutObjectOptions{})
	return id.Volume, Classify(err)
}

func (s Store) mustBeEmpty(ctx context.Context) error {
	for o, err := range bucket.List(ctx, s.Core.Client, s.Bucket, bucket.Query{}) {
		if err != nil {
			return Classify(err)
		}
		if !bucket.IsMark(o.Key) {
			return fmt.Errorf("bucket %s is not empty: it has %s; use an empty bucket", s.Bucket, o.Key)
		}
	}
	return nil
}

// Clear removes what a load that failed has put.
func (s Store) Clear(ctx context.Context) error { return bucket.Empty(ctx, s.Core.Client, s.Bucket) }

// Identity is what Claim gave; it refuses a bucket that was prepared for another owner.
func (s Store) Identity(ctx context.Context, o fileio.Owner) (volume uint64, err error) {
	body, _, _, err := s.Core.GetObject(ctx, s.Bucket, IdentityKey, minio.GetObjectOptions{})
	if err != nil {
		return 0, s.unidentified(err)
	}
	defer body.Close()
	return s.volumeIn(body, o)
}

// Identify is Identity on a user's own connection.
func (s Store) Identify(ctx context.Context, c *s3wire.Conn, o fileio.Owner) (volume uint64, err error) {
	body, err := c.Get(ctx, IdentityKey, 0, 0)
	if err != nil {
		return 0, s.unidentified(err)
	}
	volume, err = s.volumeIn(body, o)
	c.Release()
	return volume, err
}

func (s Store) unidentified(err error) error {
	return Classify(fmt.Errorf("ask for whom bucket %s was prepared: %w", s.Bucket, err))
}

// volumeIn reads an identity, which must be an owner's.
func (s Store) volumeIn(body io.Reader, o fileio.Owner) (volume uint64, err error) {
	var found Identity
	if err := json.NewDecoder(io.LimitReader(body, longestIdentity)).Decode(&found); err != nil {
		return 0, Classify(fmt.Errorf("%s in bucket %s was not written by Plimsoll: %w", IdentityKey, s.Bucket, err))
	}
	if found.Owner != o {
		return 0, fmt.Errorf("bucket %s was prepared for %s, instance %d (%s), not for %s, instance %d (%s)",
			s.Bucket, found.Workload, found.Instance, found.Shape, o.Workload, o.Instance, o.Shape)
	}
	return found.Volume, nil
}

// longestIdentity bounds the size of an identity object, in bytes.
const longestIdentity = 4096
