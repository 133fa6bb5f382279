package bucket

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/tags"
)

// validName is what every store takes as a bucket's name, also as a part of a host's.
var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$`)

// ErrNotOurs says that a bucket does not carry the mark of who wants to remove it.
var ErrNotOurs = errors.New("the bucket is not this run's")

// ErrThere says that there is a bucket of the name that one is to be made by.
var ErrThere = errors.New("there is one of this name; nothing was changed")

// ownerTag is the tag of a bucket that says whose it is, and ownerObject an object that
// says the same on a store without tags of buckets.
const (
	ownerTag    = "plimsoll-run"
	ownerObject = ".plimsoll-run"
)

// Make makes a bucket and marks it as an owner's, such as a run's identifier. One that is
// there already is refused, whoever it belongs to. One that cannot be marked is removed again.
func Make(ctx context.Context, c *minio.Client, name, region, owner string) error {
	if !validName.MatchString(name) {
		return fmt.Errorf("make bucket %q: a name has 3 to 63 small letters, digits and hyphens, and begins and ends with a letter or digit", name)
	}
	there, err := c.BucketExists(ctx, name)
	if err != nil {
		return fmt.Errorf("make bucket %s: %w", name, err)
	}
	if there {
		return fmt.Errorf("make bucket %s: %w", name, ErrThere)
	}
	// No interrupt comes between a bucket and its mark: without it nobody removes the bucket.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), makeLimit)
	defer cancel()
	err = c.MakeBucket(ctx, name, minio.MakeBucketOptions{Region: region})
	if code := minio.ToErrorResponse(err).Code; code == "BucketAlreadyExists" || code == "BucketAlreadyOwnedByYou" {
		err = fmt.Errorf("%w: %w", ErrThere, err)
	}
	if err != nil {
		return fmt.Errorf("make bucket %s: %w", name, err)
	}
	if err := mark(ctx, c, name, owner); err != nil {
		return errors.Join(err, c.RemoveBucket(ctx, name)) // which was made just now
	}
	return nil
}

// makeLimit is how long a store may take to make a bucket and to mark it.
const makeLimit = time.Minute

// mark says whose a bucket is, in an object where the store has no tags of buckets.
func mark(ctx context.Context, c *minio.Client, name, owner string) error {
	t, err := tags.NewTags(map[string]string{ownerTag: owner}, false)
	if err != nil {
		return fmt.Errorf("mark bucket %s as of %s: %w", name, owner, err)
	}
	if err := c.SetBucketTagging(ctx, name, t); err == nil {
		return nil
	} else if !isUnsupported(err) {
		return fmt.Errorf("mark bucket %s as of %s: %w", name, owner, err)
	}
	if _, err := c.PutObject(ctx, name, ownerObject, strings.NewReader(owner), int64(len(owner)), minio.PutObjectOptions{}); err != nil {
		return fmt.Errorf("mark bucket %s as of %s: %w", name, owner, err)
	}
	return nil
}

func isUnsupported(err error) bool {
	code := minio.ToErrorResponse(err).Code
	return code == "NotImplemented" || code == "MethodNotAllowed"
}

// Owner is whom a bucket was made for; empty where it has no mark.
func Owner(ctx context.Context, c *minio.Client, name string) (string, error) {
	t, err := c.GetBucketTagging(ctx, name)
	switch code := minio.ToErrorResponse(err).Code; {
	case err == nil:
		if owner := t.ToMap()[ownerTag]; owner != "" {
			return owner, nil
		}
	case code != "NoSuchTagSet" && code != "NoSuchTagSetError" && !isUnsupported(err):
		return "", fmt.Errorf("ask whose bucket %s is: %w", name, err)
	}
	return ownerIn(ctx, c, name)
}

// ownerIn reads the object that says whose a bucket is.
func ownerIn(ctx context.Context, c *minio.Client, name string) (string, error) {
	o, err := c.GetObject(ctx, name, ownerObject, minio.GetObjectOptions{})
	if err != nil {
		return "", fmt.Errorf("ask whose bucket %s is: %w", name, err)
	}
	defer o.Close()
	text := make([]byte, 200)
	n, err := o.Read(text)
	if n > 0 {
		return string(text[:n]), nil
	}
	if minio.ToErrorResponse(err).Code == "NoSuchKey" {
		return "", nil
	}
	return "", fmt.Errorf("ask whose bucket %s is: %w", name, err)
}

// Remove removes a bucket with all that is in it: objects, their versions and delete
// markers, and uploads that were never completed. It is done when the bucket is not
// there. One without the owner's mark is left alone, with ErrNotOurs.
func Remove(ctx context.Context, c *minio.Client, name, owner string) error {
	there, err := c.BucketExists(ctx, name)
	if err != nil || !there {
		return err
	}
	is, err := Owner(ctx, c, name)
	if err != nil {
		return err
	}
	if is == "" {
		return fmt.Errorf("remove bucket %s: %w: it has no mark; a run that was killed may have left it so, or somebody else has made it: look at it, and remove it with a client of the store if nobody needs what it holds", name, ErrNotOurs)
	}
	if is != owner {
		return fmt.Errorf("remove bucket %s: %w: it is marked %q, not %q", name, ErrNotOurs, is, owner)
	}
	if err := Empty(ctx, c, name); err != nil {
		return err
	}
	if err := unmark(ctx, c, name); err != nil {
		return fmt.Errorf("remove the mark of bucket %s: %w", name, err)
	}
	if err := c.RemoveBucket(ctx, name); err != nil && minio.ToErrorResponse(err).Code != "NoSuchBucket" {
		return fmt.Errorf("remove bucket %s: %w", name, err)
	}
	return nil
}

// Empty removes all that is in a bucket but its mark: uploads first, because they may
// become objects.
func Empty(ctx context.Context, c *minio.Client, name string) error {
	err := abortUploads(ctx, c, name)
	if err == nil {
		err = removeVersions(ctx, c, name)
	}
	if err != nil {
		return fmt.Errorf("empty bucket %s: %w", name, err)
	}
	return nil
}

// unmark removes the object that says whose a bucket is. It goes last, so that what is
// interrupted can be done again.
func unmark(ctx context.Context, c *minio.Client, name string) error {
	err := c.RemoveObject(ctx, name, ownerObject, minio.RemoveObjectOptions{})
	if minio.ToErrorResponse(err).Code == "NoSuchKey" {
		return nil
	}
	return err
}

// IsMark reports whether a key is that of the object that says whose a bucket is.
func IsMark(key string) bool { return key == ownerObject }

func abortUploads(ctx context.Context, c *minio.Client, name string) error {
	core := minio.Core{Client: c}
	for upload := range c.ListIncompleteUploads(ctx, name, "", true) {
		if upload.Err != nil {
			return fmt.Errorf("list uploads: %w", upload.Err)
		}
		if err := core.AbortMultipartUpload(ctx, name, upload.Key, upload.UploadID); err != nil && minio.ToErrorResponse(err).Code != "NoSuchUpload" {
			return fmt.Errorf("abort the upload of %s: %w", upload.Key, err)
		}
	}
	return nil
}

// removeVersions removes all objects in pages of the store's own size.
func removeVersions(ctx context.Context, c *minio.Client, name string) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop() // ends the listing when a removal fails
	listed := make(chan minio.ObjectInfo)
	failed := make(chan error, 1)
	go func() {
		defer close(listed)
		for o := range c.ListObjects(ctx, name, minio.ListObjectsOptions{Recursive: true, WithVersions: true}) {
			if o.Err != nil {
				failed <- fmt.Errorf("list objects: %w", o.Err)
				return
			}
			if o.Key == ownerObject {
				continue
			}
			select {
			case listed <- o:
			case <-ctx.Done():
				return
			}
		}
	}()
	var errs []error
	for e := range c.RemoveObjects(ctx, name, listed, minio.RemoveObjectsOptions{}) {
		if code := minio.ToErrorResponse(e.Err).Code; code != "NoSuchKey" && code != "NoSuchVersion" && len(errs) < 3 {
			errs = append(errs, fmt.Errorf("remove object %s: %w", e.ObjectName, e.Err))
		}
	}
	select {
	case err := <-failed:
		errs = append(errs, err)
	default:
	}
	return errors.Join(errs...)
}
