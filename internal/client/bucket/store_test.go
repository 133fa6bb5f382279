package bucket_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"

	"plimsoll/internal/client/bucket"
	"plimsoll/internal/conformance/buckettest"
)

// A bucket with objects in pages, in directories and with uploads under way is gone when it
// is removed, and no other one is touched.
func TestABucketIsRemovedWithAllThatIsInIt(t *testing.T) {
	g := buckettest.Start(t, "store")
	g.In(t, "mine-1")
	g.In(t, "others")
	put(t, g.Client, "others", "kept")
	for n := range 1100 { // more than a page of a listing has
		put(t, g.Client, "mine-1", fmt.Sprintf("a/%d/%d", n%7, n))
	}
	core := minio.Core{Client: g.Client}
	upload, err := core.NewMultipartUpload(t.Context(), "mine-1", "never completed", minio.PutObjectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := core.PutObjectPart(t.Context(), "mine-1", "never completed", upload, 1, strings.NewReader("part"), 4, minio.PutObjectPartOptions{}); err != nil {
		t.Fatal(err)
	}
	if owner, err := bucket.Owner(t.Context(), g.Client, "mine-1"); err != nil || owner != "test" {
		t.Errorf("it is marked %q, %v", owner, err)
	}
	for range 2 { // once more when it is gone
		if err := bucket.Remove(t.Context(), g.Client, "mine-1", "test"); err != nil {
			t.Fatal(err)
		}
	}
	if there, err := g.Client.BucketExists(t.Context(), "mine-1"); there || err != nil {
		t.Errorf("it is there: %v, %v", there, err)
	}
	if _, err := os.Stat(g.Directory + "/others/kept"); err != nil {
		t.Error(err)
	}
}

func TestABucketOfOthersIsLeftAlone(t *testing.T) {
	g := buckettest.Start(t, "others")
	if err := g.Client.MakeBucket(t.Context(), "unmarked", minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	g.In(t, "of-another-run")
	for _, name := range []string{"unmarked", "of-another-run"} {
		put(t, g.Client, name, "kept")
		if err := bucket.Remove(t.Context(), g.Client, name, "this-run"); !errors.Is(err, bucket.ErrNotOurs) {
			t.Errorf("%s: %v", name, err)
		}
		if err := bucket.Make(t.Context(), g.Client, name, "us-east-1", "this-run"); err == nil || !strings.Contains(err.Error(), "there is one of this name") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := g.Client.StatObject(t.Context(), name, "kept", minio.StatObjectOptions{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := bucket.Make(t.Context(), g.Client, "No_Name", "us-east-1", "this-run"); err == nil || !strings.Contains(err.Error(), "3 to 63") {
		t.Error(err)
	}
}

// A store that lets its users make buckets, but not mark them: neither by tags nor by an object.
func TestABucketThatCannotBeMarkedIsNotLeft(t *testing.T) {
	g := buckettest.Start(t, "strict")
	strict := g.Behind(t, func(w http.ResponseWriter, r *http.Request) bool {
		return (r.URL.Query().Has("tagging") || strings.Contains(r.URL.Path, ".plimsoll-run")) && buckettest.Refuse(w, http.StatusForbidden, "AccessDenied", "")
	})
	c, err := bucket.Client(strict, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := bucket.Make(t.Context(), c, "mine", region, "test"); err == nil || !strings.Contains(err.Error(), "mark bucket mine") {
		t.Errorf("%v", err)
	}
	if there, err := g.Client.BucketExists(t.Context(), "mine"); there || err != nil {
		t.Errorf("it is there: %v, %v", there, err)
	}
}

const region = "us-east-1"

func put(t *testing.T, c *minio.Client, bucket, key string) {
	t.Helper()
	if _, err := c.PutObject(t.Context(), bucket, key, strings.NewReader("text"), 4, minio.PutObjectOptions{}); err != nil {
		t.Fatal(err)
	}
}
