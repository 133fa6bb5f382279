package ceph

import (
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"

	"plimsoll/internal/client/bucket"
	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
	"plimsoll/internal/workload/mix"
	"plimsoll/internal/workload/objects"
	"plimsoll/test/quick"
)

// Volumes are buckets behind gateways that take turns: an object put through one gateway
// can be read through another, even after the gateways restart. Deleting a bucket removes
// all its objects and no other bucket. The object workload passes its suite on them.
func TestBuckets(t *testing.T) {
	quick.Skip(t, quick.Media)
	t.Parallel()
	p := Kind{}.Defaults().(*Parameters)
	p.Disk, p.Access, p.Gateways = small(), accessRGW, 2
	c := pool(t, p)
	if info, err := os.Stat(c.keyring()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others can read the keys: %v, %v", info.Mode(), err)
	}
	one, other := c.bucket(t, "store-000"), c.bucket(t, "Store_001")
	first, second := client(t, one, 0), client(t, one, 1)
	put(t, first, "store-000", "a/b", "load line")
	put(t, client(t, other, 0), "store-001", "kept", "load line")
	core := minio.Core{Client: first}
	upload, err := core.NewMultipartUpload(t.Context(), "store-000", "never completed", minio.PutObjectOptions{})
	if err == nil {
		_, err = core.PutObjectPart(t.Context(), "store-000", "never completed", upload, 1, strings.NewReader("part"), 4, minio.PutObjectPartOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r, err := c.Remount(t.Context()); err != nil || !strings.Contains(r.Done, "gateways") {
		t.Fatalf("%+v, %v", r, err)
	}
	if text := get(t, second, "store-000", "a/b"); text != "load line" {
		t.Errorf("it holds %q", text)
	}
	for range 2 { // once more when it is gone
		if err := c.Delete(t.Context(), one); err != nil {
			t.Fatal(err)
		}
	}
	all, err := second.ListBuckets(t.Context())
	if err != nil || len(all) != 1 || all[0].Name != "store-001" {
		t.Errorf("there are %v, %v", all, err)
	}
	if text := get(t, second, "store-001", "kept"); text != "load line" {
		t.Errorf("the other holds %q", text)
	}
	if d := c.Describe(); d.Options["gateways"] != "2" || d.FileSystem != "none" {
		t.Errorf("%+v", d)
	}
	t.Run("objects", c.objects)
}

// few are some objects of several sizes.
func few() *objects.Parameters {
	p := objects.Workload{}.Defaults().(*objects.Parameters)
	p.Objects, p.Prefixes, p.Page = 12, 2, 3
	p.Sizes = objects.Sizes{Mix: mix.Sizes{{Bytes: 1, Weight: 1}, {Bytes: 5000, Weight: 5}, {Bytes: 200_000, Weight: 1}}}
	return p
}

// objects runs the suite of the workload on objects on a bucket.
func (p *Pool) objects(t *testing.T) {
	workloadtest.Run(t, workloadtest.Suite{
		Workload: objects.Workload{}, Parameters: few(),
		Environment: workloadtest.Environment{
			Volume: func(t *testing.T, _ platform.Platform, name, kind string) storage.Volume {
				if !slices.Contains(Kind{}.VolumeKinds(p.p), kind) {
					t.Fatalf("there is no %s", kind)
				}
				return p.bucket(t, name)
			},
		},
	})
}

func (p *Pool) bucket(t *testing.T, name string) storage.Volume {
	t.Helper()
	v, err := p.Provision(t.Context(), storage.Claim{Name: name, Kind: endpoint.Bucket})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func client(t *testing.T, v storage.Volume, gateway int) *minio.Client {
	t.Helper()
	c, err := bucket.Client(v.Endpoint(), gateway)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func put(t *testing.T, c *minio.Client, bucket, key, text string) {
	t.Helper()
	if _, err := c.PutObject(t.Context(), bucket, key, strings.NewReader(text), int64(len(text)), minio.PutObjectOptions{}); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, c *minio.Client, bucket, key string) string {
	t.Helper()
	o, err := c.GetObject(t.Context(), bucket, key, minio.GetObjectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	text, err := io.ReadAll(o)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
