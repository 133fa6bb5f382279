package bucket

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/tags"
)

// validName is what every store takes as a bucket's name, also as a part of a host's.
var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$`)

// ErrNotOurs means that a bucket does not carry the mark of who wants to remove it.
var ErrNotOurs = errors.New("the bucket is not this run's")

// ErrThere means that there is a bucket of the name that one is to be made by.
var ErrThere = errors.New("there is one of this name; nothing was changed")

// ownerTag is the tag of a bucket that says whose it is, and ownerObject an object that
// says the same on a store without tags of buckets.
const (
	ownerTag    = "plimsoll-run"
	ownerObject = ".plimsoll-run"
)

// Make makes a bucket, marks it with its owner (a run's identifier, for example) and checks
// that objects can be removed from it (see Try). It refuses a bucket that exists, whoever
// owns it. If the bucket cannot be marked or retains its objects, Make removes it again.
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
	if code := codeOf(err); code == "BucketAlreadyExists" || code == "BucketAlreadyOwnedByYou" {
		err = fmt.Errorf("%w: %w", ErrThere, err)
	}
	if err != nil {
		return fmt.Errorf("make bucket %s: %w", name, err)
	}
	err = mark(ctx, c, name, owner)
	if err == nil {
		err = Try(ctx, c, name)
	}
	if err != nil {
		return errors.Join(err, discard(ctx, c, name))
	}
	return nil
}

// discard removes a bucket that was made just now, with its mark.
func discard(ctx context.Context, c *minio.Client, name string) error {
	err := c.RemoveBucket(ctx, name)
	if codeOf(err) == "BucketNotEmpty" {
		if err = unmark(ctx, c, name); err == nil {
			err = c.RemoveBucket(ctx, name)
		}
	}
	if err != nil {
		return fmt.Errorf("remove bucket %s again: %w", name, err)
	}
	return nil
}

// codeOf is the store's own name of an error; empty where it is none of the store's.
func codeOf(err error) string {
	answer, _ := errors.AsType[minio.ErrorResponse](err)
	return answer.Code
}

// makeLimit is how long a store may take to make a bucket and to mark it.
const makeLimit = 3 * time.Minute

// mark says whose a bucket is, in an object where the store has no tags of buckets, or takes
// them and forgets them.
func mark(ctx context.Context, c *minio.Client, name, owner string) error {
	t, err := tags.NewTags(map[string]string{ownerTag: owner}, false)
	if err != nil {
		return fmt.Errorf("mark bucket %s as of %s: %w", name, owner, err)
	}
	if err := c.SetBucketTagging(ctx, name, t); err == nil {
		if is, err := Owner(ctx, c, name); err == nil && is == owner {
			return nil
		}
	} else if !isWithout(err) {
		return fmt.Errorf("mark bucket %s as of %s: %w", name, owner, err)
	}
	if _, err := putSmall(ctx, c, name, ownerObject, owner); err != nil {
		return fmt.Errorf("mark bucket %s as of %s: %w", name, owner, err)
	}
	return nil
}

// putSmall puts an object as users do: its content is not signed.
func putSmall(ctx context.Context, c *minio.Client, name, key, text string) (minio.UploadInfo, error) {
	return c.PutObject(ctx, name, key, strings.NewReader(text), int64(len(text)), minio.PutObjectOptions{DisableContentSha256: true, DisableMultipart: true})
}

// isUnsupported reports whether a store answers that it does not support a request.
func isUnsupported(err error) bool {
	answer, _ := errors.AsType[minio.ErrorResponse](err)
	switch answer.Code {
	case "NotImplemented", "MethodNotAllowed", "NotSupported", "UnsupportedOperation":
		return true
	}
	return answer.StatusCode == http.StatusNotImplemented || answer.StatusCode == http.StatusMethodNotAllowed
}

// isWithout reports whether a store has something not for us: it does not have it, does not
// know the question (400), or does not allow it.
func isWithout(err error) bool {
	switch codeOf(err) {
	case "InvalidArgument", "InvalidRequest", "InvalidURI", minio.AccessDenied:
		return true
	}
	_, other := errors.AsType[xml.UnmarshalError](err) // the answer to another question
	return other || isUnsupported(err)
}

// Owner is whom a bucket was made for; empty where it has no mark.
func Owner(ctx context.Context, c *minio.Client, name string) (string, error) {
	t, err := c.GetBucketTagging(ctx, name)
	switch code := codeOf(err); {
	case err == nil:
		if owner := t.ToMap()[ownerTag]; owner != "" {
			return owner, nil
		}
	case code != "NoSuchTagSet" && code != "NoSuchTagSetError" && !isWithout(err):
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
	if codeOf(err) == minio.NoSuchKey {
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
	if err := c.RemoveBucket(ctx, name); err != nil && codeOf(err) != minio.NoSuchBucket {
		return fmt.Errorf("remove bucket %s: %w", name, err)
	}
	return nil
}

// unmark removes the object that names a bucket's owner. It runs last, so that an
// interrupted removal can be repeated.
func unmark(ctx context.Context, c *minio.Client, name string) error {
	err := c.RemoveObject(ctx, name, ownerObject, minio.RemoveObjectOptions{})
	if codeOf(err) == minio.NoSuchKey {
		return nil
	}
	return err
}

// IsMark reports whether a key names the object that holds the bucket's owner.
func IsMark(key string) bool { return key == ownerObject }
