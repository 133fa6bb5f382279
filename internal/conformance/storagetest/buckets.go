package storagetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/minio/minio-go/v7"

	"plimsoll/internal/client/bucket"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/storage"
	"plimsoll/test/quick"
)

// Buckets is a class whose volumes are buckets of an object store, under test.
type Buckets struct {
	// New makes the class in an environment.
	New func(storage.Env) (storage.Class, error)
	// Client is one of an administrator, who can look for every bucket.
	Client *minio.Client
	// Kind is the kind of buckets in the journal.
	Kind journal.Kind
	// Sweep removes a volume that a killed run left, by what the journal has of it.
	Sweep func(ctx context.Context, run string, o journal.Object) error
}

// RunBuckets checks a class of buckets: what of the suite applies where volumes are reached
// by the S3 protocol alone. Buckets of others must stay as they are.
func RunBuckets(t *testing.T, of Buckets) {
	t.Helper()
	quick.Skip(t, quick.Servers)
	if err := of.Client.MakeBucket(t.Context(), others, minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	putText(t, of.Client, others, "kept")
	t.Cleanup(func() {
		err := of.Client.RemoveObject(context.Background(), others, "kept", minio.RemoveObjectOptions{})
		if err := errors.Join(err, of.Client.RemoveBucket(context.Background(), others)); err != nil {
			t.Error(err)
		}
	})
	for _, p := range []struct {
		name string
		run  func(*testing.T, *bucketBench)
	}{
		{"up and down are idempotent", func(t *testing.T, b *bucketBench) { idempotent(t, b.bench) }},
		{"refuses bad names and kinds", func(t *testing.T, b *bucketBench) { refusesBadNames(t, b.bench) }},
		{"describes itself", describesBuckets},
		{"provisions and deletes", provisionsBuckets},
		{"makes buckets side by side", bucketsSideBySide},
		{"leaves nothing when it is interrupted", interruptedBuckets},
		{"is swept after a crash", bucketsAreSwept},
		{"is told from other runs", runsAreApart},
	} {
		t.Run(p.name, func(t *testing.T) {
			b := &bucketBench{newBench(t, of.New), of}
			p.run(t, b)
			b.down()
			b.onlyOthers()
		})
	}
}

// others is a bucket that the class has nothing to do with.
const others = "of-others"

type bucketBench struct {
	*bench
	of Buckets
}

// onlyOthers looks for buckets that stayed, and for one that should have.
func (b *bucketBench) onlyOthers() {
	b.t.Helper()
	all, err := b.of.Client.ListBuckets(b.ctx)
	b.must("list buckets", err)
	for _, found := range all {
		if found.Name != others {
			b.t.Errorf("bucket %s was left", found.Name)
		}
	}
	_, err = b.of.Client.StatObject(b.ctx, others, "kept", minio.StatObjectOptions{})
	b.must("look for what others keep", err)
}

func (b *bucketBench) provision(name string) storage.Volume {
	b.t.Helper()
	v, err := b.class.Provision(b.ctx, storage.Claim{Name: name, Kind: endpoint.Bucket})
	b.must("provision", err)
	return v
}

// reach returns a client for a volume's bucket, as its users have one, and the bucket's
// name.
func (b *bucketBench) reach(v storage.Volume) (*minio.Client, string) {
	b.t.Helper()
	e := v.Endpoint()
	s, err := endpoint.As[endpoint.Store](e)
	b.must("read the endpoint", err)
	if e.Kind != endpoint.Bucket || s.Name == "" || s.Region == "" || len(s.URLs) == 0 || v.Path != "" {
		b.t.Fatalf("%s is no bucket that could be reached: kind %s, %+v", v.Name, e.Kind, s)
	}
	c, err := bucket.Client(e, 0)
	b.must("reach the bucket", err)
	return c, s.Name
}

func (b *bucketBench) there(name string) bool {
	b.t.Helper()
	there, err := b.of.Client.BucketExists(b.ctx, name)
	b.must("look for the bucket", err)
	return there
}

func describesBuckets(t *testing.T, b *bucketBench) {
	b.up()
	d := b.class.Describe()
	if d.Class == "" || d.FileSystem == "" || d.Text == "" || d.Options["region"] == "" {
		t.Errorf("the description is not complete: %+v", d)
	}
	_, err := b.class.Settle(b.ctx)
	b.must("settle", err)
}

// provisionsBuckets fills a bucket with objects, some of them in parts that never became one.
func provisionsBuckets(t *testing.T, b *bucketBench) {
	b.up()
	v := b.provision("one")
	c, name := b.reach(v)
	for n := range 20 {
		putText(t, c, name, fmt.Sprintf("a/%d/%d", n%3, n))
	}
	core := minio.Core{Client: c}
	upload, err := core.NewMultipartUpload(b.ctx, name, "never completed", minio.PutObjectOptions{})
	b.must("begin an upload", err)
	_, err = core.PutObjectPart(b.ctx, name, "never completed", upload, 1, strings.NewReader("part"), 4, minio.PutObjectPartOptions{})
	b.must("put a part", err)
	if _, err := b.class.Provision(b.ctx, storage.Claim{Name: "one"}); err == nil {
		t.Error("one name was given twice")
	}
	b.must("delete", b.class.Delete(b.ctx, v))
	b.must("delete twice", b.class.Delete(b.ctx, v))
	if b.there(name) {
		t.Error("the bucket is there after it was deleted")
	}
	_, again := b.reach(b.provision("one"))
	for o := range c.ListObjects(b.ctx, again, minio.ListObjectsOptions{Recursive: true}) {
		if o.Err != nil || !bucket.IsMark(o.Key) {
			t.Errorf("a new bucket holds %s (%v)", o.Key, o.Err)
		}
	}
}

func bucketsSideBySide(t *testing.T, b *bucketBench) {
	b.up()
	names := sync.Map{}
	var all sync.WaitGroup
	for n := range 6 {
		all.Go(func() {
			v, err := b.class.Provision(b.ctx, storage.Claim{Name: fmt.Sprintf("A_rather-long-name-of-a-variant-and-its-instance-which-no-bucket-could-have-%d", n)})
			if err != nil {
				t.Errorf("provision: %v", err)
				return
			}
			if other, twice := names.LoadOrStore(endpoint.StoreOf(v.Endpoint()).Name, n); twice {
				t.Errorf("volumes %d and %v have one bucket", n, other)
			}
		})
	}
	all.Wait()
}

func interruptedBuckets(t *testing.T, b *bucketBench) {
	b.up()
	ctx, cancel := context.WithCancel(b.ctx)
	cancel()
	if _, err := b.class.Provision(ctx, storage.Claim{Name: "one"}); err == nil {
		t.Error("a bucket was made although it was cancelled")
	}
	v := b.provision("one")
	if err := b.class.Delete(ctx, v); err == nil {
		t.Error("a bucket was deleted although it was cancelled")
	}
}

// bucketsAreSwept leaves everything as a killed Plimsoll would and cleans by the journal
// alone: a bucket in use, and one that nobody got to mark.
func bucketsAreSwept(t *testing.T, b *bucketBench) {
	b.up()
	v := b.provision("one")
	c, name := b.reach(v)
	putText(t, c, name, "text")
	state, err := journal.Read(b.path)
	b.must("read the journal", err)
	// A class may first have made a user that owns the buckets.
	made := slices.DeleteFunc(state.Objects, func(o journal.Object) bool { return o.Kind != b.of.Kind })
	if len(made) != 1 || made[0].Name != name {
		t.Fatalf("the journal has %v", state.Objects)
	}
	o := made[0]
	if err := b.of.Sweep(b.ctx, "another-run", o); !errors.Is(err, bucket.ErrNotOurs) || !b.there(name) {
		t.Errorf("swept for another run: %v", err)
	}
	b.must("sweep", b.of.Sweep(b.ctx, b.env.RunID, o))
	b.must("sweep twice", b.of.Sweep(b.ctx, b.env.RunID, o))
	if b.there(name) {
		t.Error("the bucket is still there")
	}
	b.must("make the bucket", c.MakeBucket(b.ctx, name, minio.MakeBucketOptions{}))
	if err := b.of.Sweep(b.ctx, b.env.RunID, o); !errors.Is(err, bucket.ErrNotOurs) || !strings.Contains(err.Error(), "with a client of the store") || !b.there(name) {
		t.Errorf("a bucket without a mark was swept: %v", err)
	}
	b.must("remove the bucket", c.RemoveBucket(b.ctx, name))
	b.must("sweep again", b.of.Sweep(b.ctx, b.env.RunID, o))
}

// runsAreApart has two runs on one store, with volumes of the same names.
func runsAreApart(t *testing.T, b *bucketBench) {
	b.up()
	second := &bucketBench{newBench(t, b.of.New), b.of}
	second.up()
	c, first := b.reach(b.provision("one"))
	_, other := second.reach(second.provision("one"))
	if first == other {
		t.Fatalf("both have %s", first)
	}
	putText(t, c, first, "text")
	second.down()
	if second.there(other) || !b.there(first) {
		t.Error("the end of one run took the other's bucket, or left its own")
	}
	_, err := c.StatObject(b.ctx, first, "text", minio.StatObjectOptions{})
	b.must("look for the first run's object", err)
}

func putText(t *testing.T, c *minio.Client, name, key string) {
	t.Helper()
	if _, err := c.PutObject(t.Context(), name, key, strings.NewReader("text"), 4, minio.PutObjectOptions{}); err != nil {
		t.Fatal(err)
	}
}
