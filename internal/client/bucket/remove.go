package bucket

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"golang.org/x/sync/errgroup"

	"plimsoll/internal/client/patience"
)

// ErrKept means that a store keeps what was put into a bucket.
var ErrKept = errors.New("the store keeps what is removed (object lock, a retention or a legal hold)")

// trialObject is the small object by which removal is tried.
const trialObject = ".plimsoll-trial"

// settleLimit is how long a store may go on to show an object that was removed.
const settleLimit = 10 * time.Second

// Try checks, before a bucket is filled, whether objects can be removed from it in the way
// that Empty does: it puts one small object and removes it. If the bucket retains each new
// object for a time, Try puts none.
func Try(ctx context.Context, c *minio.Client, name string) error {
	// Any error means that the store has no such rule, or does not say.
	if mode, validity, unit, err := c.GetBucketObjectLockConfig(ctx, name); err == nil && mode != nil && validity != nil && unit != nil {
		return fmt.Errorf("use bucket %s: %w: each new object is kept for %d %s (%s)", name, ErrKept, *validity, strings.ToLower(string(*unit)), *mode)
	}
	put, err := putSmall(ctx, c, name, trialObject, "removed at once")
	if err != nil {
		return fmt.Errorf("put an object into bucket %s, to see whether it can be removed: %w", name, err)
	}
	versions, err := empty(ctx, c, name)
	if err != nil {
		return fmt.Errorf("remove an object from bucket %s, before it is filled: %w", name, err)
	}
	if !versions && put.VersionID != "" && put.VersionID != "null" {
		err := c.RemoveObject(ctx, name, trialObject, minio.RemoveObjectOptions{VersionID: put.VersionID})
		return errors.Join(fmt.Errorf("use bucket %s: the store keeps versions of objects and does not list them, so that the bucket could not be removed: have it keep none", name), err)
	}
	return gone(ctx, c, name, trialObject)
}

// gone waits until a removed object is not there.
func gone(ctx context.Context, c *minio.Client, name, key string) error {
	still := fmt.Errorf("remove an object from bucket %s, before it is filled: %w: it is there although its removal was acknowledged", name, ErrKept)
	return patience.Try(ctx, settleLimit, func() error {
		_, err := c.StatObject(ctx, name, key, minio.StatObjectOptions{})
		if err == nil {
			return still
		}
		if code := codeOf(err); code == minio.NoSuchKey || code == "NotFound" {
			return nil
		}
		return fmt.Errorf("look for a removed object in bucket %s: %w", name, err)
	}, func(err error) bool { return errors.Is(err, still) })
}

// Empty removes all that is in a bucket but its mark: uploads first, because they may
// become objects.
func Empty(ctx context.Context, c *minio.Client, name string) error {
	if _, err := empty(ctx, c, name); err != nil {
		return fmt.Errorf("empty bucket %s: %w", name, err)
	}
	return nil
}

// empty is Empty. Versions says whether the store lists versions.
func empty(ctx context.Context, c *minio.Client, name string) (versions bool, err error) {
	if err := abortUploads(ctx, c, name); err != nil {
		return false, err
	}
	r := removal{c: c, name: name}
	versions, err = r.all(ctx, true)
	if err == nil || !versions && isWithout(err) {
		_, err = r.all(ctx, false) // also what a store left out that does not know what versions are
	}
	return versions, r.explained(ctx, err)
}

// abortUploads ends the uploads that were never completed, where the store lists them.
func abortUploads(ctx context.Context, c *minio.Client, name string) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop() // ends the listing when one cannot be aborted
	core := minio.Core{Client: c}
	within, p := withPages(ctx)
	for upload := range c.ListIncompleteUploads(within, name, "", true) {
		if isWithout(upload.Err) {
			return nil
		}
		if upload.Err != nil {
			return fmt.Errorf("list uploads: %w", upload.Err)
		}
		p.empty.Store(0)
		if err := core.AbortMultipartUpload(ctx, name, upload.Key, upload.UploadID); err != nil && codeOf(err) != "NoSuchUpload" {
			return fmt.Errorf("abort the upload of %s: %w", upload.Key, err)
		}
	}
	return ctx.Err()
}

// removal is a bucket while it is emptied.
type removal struct {
	c        *minio.Client
	name     string
	oneByOne bool // the store does not remove several objects by one request
}

const (
	// together is how many objects are removed by one request, and removers how many requests
	// are under way where each removes one.
	together = 1000
	removers = 8
	// mostErrors is how many objects are named that could not be removed.
	mostErrors = 3
)

// all removes all objects, with their versions where that is asked for. Listed says whether the
// store gave the list.
func (r *removal) all(ctx context.Context, versions bool) (listed bool, err error) {
	var some []minio.ObjectInfo
	for o, err := range List(ctx, r.c, r.name, Query{Versions: versions}) {
		if err != nil {
			return listed, err
		}
		listed = true
		if o.Key == ownerObject {
			continue
		}
		if some = append(some, o); len(some) < together {
			continue
		}
		if err := r.remove(ctx, some); err != nil {
			return true, err
		}
		some = some[:0]
	}
	return true, r.remove(ctx, some)
}

func (r *removal) remove(ctx context.Context, some []minio.ObjectInfo) error {
	if len(some) == 0 {
		return nil
	}
	if !r.oneByOne {
		err := r.removeTogether(ctx, some)
		answer, _ := errors.AsType[minio.ErrorResponse](err)
		if answer.StatusCode == 0 || !isWithout(err) { // the errors of single objects have no status
			return err
		}
		r.oneByOne = true
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(removers)
	for _, o := range some {
		g.Go(func() error {
			return notGone(o.Key, r.c.RemoveObject(ctx, r.name, o.Key, minio.RemoveObjectOptions{VersionID: o.VersionID}))
		})
	}
	return g.Wait()
}

func (r *removal) removeTogether(ctx context.Context, some []minio.ObjectInfo) error {
	listed := make(chan minio.ObjectInfo, len(some))
	for _, o := range some {
		listed <- o
	}
	close(listed)
	var errs []error
	for e := range r.c.RemoveObjects(ctx, r.name, listed, minio.RemoveObjectsOptions{}) {
		if err := notGone(e.ObjectName, e.Err); err != nil && len(errs) < mostErrors {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// notGone is the error of a removal, unless the object was not there.
func notGone(key string, err error) error {
	if code := codeOf(err); err == nil || code == minio.NoSuchKey || code == "NoSuchVersion" {
		return nil
	}
	return fmt.Errorf("remove object %s: %w", key, err)
}

// explained adds ErrKept to an error where it is why: the store says so, or its bucket has a lock.
func (r *removal) explained(ctx context.Context, err error) error {
	if err == nil || codeOf(err) == "" {
		return err
	}
	said := strings.ToLower(codeOf(err) + " " + err.Error())
	kept := slices.ContainsFunc([]string{"lock", "retention", "retained", "legal hold", "worm", "immutable"}, func(word string) bool { return strings.Contains(said, word) })
	if !kept && codeOf(err) == minio.AccessDenied {
		lock, _, _, _, asked := r.c.GetObjectLockConfig(ctx, r.name)
		kept = asked == nil && lock == "Enabled"
	}
	if !kept {
		return err
	}
	return fmt.Errorf("%w: %w", ErrKept, err)
}
