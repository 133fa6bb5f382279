package objects

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/minio/minio-go/v7"

	"plimsoll/internal/bucket"
	"plimsoll/internal/endpoint"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// ownBucket is the bucket of stores that were started for their instance.
const ownBucket = "objects"

// store is a bucket as one user, or the administrator, reaches it.
type store struct {
	core   minio.Core
	bucket string
	region string
	at     endpoint.Endpoint // whose URLs are those of what stands in front of it, if any
}

// reach is the store of a target through the gateway of number n, counted round all of
// them: through what stands in front of it where there is something.
func reach(t workload.Target, n int) (store, error) {
	e := t.Endpoint(storeRole)
	s, err := endpoint.As[endpoint.Store](e)
	if err != nil {
		return store{}, fmt.Errorf("open the store: %w", err)
	}
	if s.URLs = urlsOf(t, balancerRole); len(s.URLs) == 0 {
		s.URLs = urlsOf(t, storeRole)
	}
	e.Payload = endpoint.With(s)
	c, err := bucket.Client(e, n)
	if err != nil {
		return store{}, fmt.Errorf("open the store: %w", err)
	}
	return store{minio.Core{Client: c}, cmp.Or(s.Name, ownBucket), s.Region, e}, nil
}

// urlsOf are those of all servers of a role.
func urlsOf(t workload.Target, role string) (all []string) {
	for _, e := range t.Endpoints {
		if e.Role == role {
			all = append(all, endpoint.StoreOf(e).URLs...)
		}
	}
	return all
}

// identityKey says for whom a bucket was prepared.
const identityKey = ".plimsoll-id"

// identity is what it holds.
type identity struct {
	fileio.Owner
	Volume uint64 `json:"volume,string"` // that stamps carry
}

func ownerOf(t workload.Target, p *Parameters) fileio.Owner {
	return fileio.Owner{Workload: Name, Instance: t.Instance, Shape: p.shape(usersOf(t))}
}

// claim prepares a bucket for its owner. It fails where something is in the bucket.
func (s store) claim(ctx context.Context, o fileio.Owner) (volume uint64, err error) {
	there, err := s.core.BucketExists(ctx, s.bucket)
	if err != nil {
		return 0, classify(fmt.Errorf("look for bucket %s: %w", s.bucket, err))
	}
	if !there {
		if err := bucket.Make(ctx, s.core.Client, s.bucket, s.region, "plimsoll"); err != nil {
			return 0, classify(err)
		}
	}
	if err := s.mustBeEmpty(ctx); err != nil {
		return 0, err
	}
	id := identity{o, fileio.NewIdentity(o.Instance)}
	text, err := json.Marshal(id)
	if err != nil {
		return 0, err
	}
	_, err = s.core.PutObject(ctx, s.bucket, identityKey, strings.NewReader(string(text)), int64(len(text)), "", "", minio.PutObjectOptions{})
	return id.Volume, classify(err)
}

func (s store) mustBeEmpty(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for o := range s.core.Client.ListObjects(ctx, s.bucket, minio.ListObjectsOptions{Recursive: true}) {
		if o.Err != nil {
			return classify(fmt.Errorf("list bucket %s: %w", s.bucket, o.Err))
		}
		if !bucket.IsMark(o.Key) {
			return fmt.Errorf("bucket %s is not empty: it has %s; use an empty bucket", s.bucket, o.Key)
		}
	}
	return nil
}

// identity is what claim gave; it refuses a bucket that was prepared for another owner.
func (s store) identity(ctx context.Context, o fileio.Owner) (volume uint64, err error) {
	body, _, _, err := s.core.GetObject(ctx, s.bucket, identityKey, minio.GetObjectOptions{})
	if err != nil {
		return 0, classify(fmt.Errorf("ask for whom bucket %s was prepared: %w", s.bucket, err))
	}
	defer body.Close()
	return s.volumeIn(body, o)
}

// volumeIn reads an identity, which must be an owner's.
func (s store) volumeIn(body io.Reader, o fileio.Owner) (volume uint64, err error) {
	var found identity
	if err := json.NewDecoder(io.LimitReader(body, longestIdentity)).Decode(&found); err != nil {
		return 0, classify(fmt.Errorf("%s in bucket %s was not written by Plimsoll: %w", identityKey, s.bucket, err))
	}
	if found.Owner != o {
		return 0, fmt.Errorf("bucket %s was prepared for %s, instance %d (%s), not for %s, instance %d (%s)",
			s.bucket, found.Workload, found.Instance, found.Shape, o.Workload, o.Instance, o.Shape)
	}
	return found.Volume, nil
}

// longestIdentity bounds what is read of it, in bytes.
const longestIdentity = 4096
