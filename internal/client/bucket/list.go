package bucket

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"sync/atomic"

	"github.com/minio/minio-go/v7"
)

// ErrEndless means that a list never ends: its pages begin again, or have nothing.
var ErrEndless = errors.New("the list never ends")

// mostEmpty is how many pages of a list may follow each other that have nothing.
const mostEmpty = 1000

// mostBegun is how often the first name of a list may come again: a list that has a name twice
// is wrong, and one that has it again and again has begun again.
const mostBegun = 3

// Query says what a list is of.
type Query struct {
	Prefix   string // of the keys
	Page     int    // keys of a page; 0: as the store has it
	Versions bool   // all versions and delete markers
	// Measured lists are of the second version, whatever the store answers: others fall back
	// to the first where the store has only that.
	Measured bool
}

// List iterates over the objects of a bucket, page by page. After an error it stops.
func List(ctx context.Context, c *minio.Client, name string, q Query) iter.Seq2[minio.ObjectInfo, error] {
	return func(yield func(minio.ObjectInfo, error) bool) {
		o := minio.ListObjectsOptions{Prefix: q.Prefix, MaxKeys: q.Page, Recursive: true, WithVersions: q.Versions}
		for object, err := range pagesOf(ctx, c, name, o) {
			if err != nil && !q.Measured && !q.Versions && isUnsupported(err) { // or has no token for the next page
				o.UseV1 = true
				break
			}
			if !yield(object, err) {
				return
			}
			o.StartAfter = object.Key
		}
		if !o.UseV1 {
			return
		}
		for object, err := range pagesOf(ctx, c, name, o) {
			if !yield(object, err) {
				return
			}
		}
	}
}

// pages records the pages of one listing that have been requested.
type pages struct {
	asked map[string]bool
	empty atomic.Int32 // since something came
}

// pagesKey is the context key of a listing's pages.
type pagesKey struct{}

func withPages(ctx context.Context) (context.Context, *pages) {
	p := &pages{asked: map[string]bool{}}
	return context.WithValue(ctx, pagesKey{}, p), p
}

// nextPage refuses a request for a page of a list that was asked for before.
func nextPage(r *http.Request) error {
	p, isList := r.Context().Value(pagesKey{}).(*pages)
	if !isList {
		return nil
	}
	if p.asked[r.URL.RawQuery] {
		return fmt.Errorf("%w: %s sends who asks for the next page back to one that it gave before", ErrEndless, originOf(r.URL))
	}
	if p.asked[r.URL.RawQuery] = true; p.empty.Add(1) > mostEmpty {
		return fmt.Errorf("%w: %s gave %d pages with nothing, and says that there are more", ErrEndless, originOf(r.URL), mostEmpty)
	}
	return nil
}

// pagesOf is List of one kind of list.
func pagesOf(ctx context.Context, c *minio.Client, name string, o minio.ListObjectsOptions) iter.Seq2[minio.ObjectInfo, error] {
	return func(yield func(minio.ObjectInfo, error) bool) {
		within, p := withPages(ctx)
		var first minio.ObjectInfo
		begun := 0
		for object := range c.ListObjectsIter(within, name, o) {
			err := object.Err
			if p.empty.Store(0); first.Key == "" {
				first = object
			} else if err == nil && object.Key == first.Key && object.VersionID == first.VersionID {
				if begun++; begun > mostBegun {
					err = fmt.Errorf("%w: %s gives %q again and again", ErrEndless, c.EndpointURL(), first.Key)
				}
			}
			if err != nil {
				yield(object, fmt.Errorf("list bucket %s: %w", name, err))
				return
			}
			if !yield(object, nil) {
				return
			}
		}
		if err := ctx.Err(); err != nil { // where the list has just stopped
			yield(minio.ObjectInfo{}, err)
		}
	}
}
