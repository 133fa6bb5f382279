package s3

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/minio/minio-go/v7"

	"plimsoll/internal/client/bucket"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/storage"
	"plimsoll/internal/text/words"
)

type class struct {
	name string
	p    Parameters
	env  storage.Env

	mu      sync.Mutex
	store   *gateways       // nil before it is up
	buckets map[string]bool // names of volumes whose buckets may be there
}

// Capabilities implements storage.Class.
func (c *class) Capabilities() storage.Capabilities {
	return storage.Capabilities{Doubts: c.Doubts, Clones: c.Clones}
}

// Up asks every gateway whether it lets us in.
func (c *class) Up(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.store != nil {
		return nil
	}
	at, err := c.p.store()
	if err != nil {
		return err
	}
	g := newGateways(at)
	if err := c.p.ask(ctx, g); err != nil {
		return err
	}
	c.store = g
	return nil
}

// Describe repeats the study's description: nobody can measure the hardware behind the
// URLs. It adds the route that requests take.
func (c *class) Describe() describe.Storage {
	where := strings.Join(c.p.URLs, ", ")
	text := "buckets of the object store at " + where
	if c.p.Text != "" {
		text = c.p.Text + " (" + text + ")"
	}
	return describe.Storage{
		Class: Name, Media: c.p.Media, MediaKind: describe.MediaKindIn(c.p.Media), Protection: c.p.Protection, FileSystem: "S3",
		Text: text, Durable: true,
		Options: map[string]string{"urls": where, "region": c.p.region(), "addressing": c.p.addressing(), "proxy": "none"},
		Notes:   c.notes(),
	}
}

func (c *class) notes() []string {
	all := []string{"the object store is an existing one: what it keeps objects on, and how, is what the study says of it, and its caches are not dropped between trials"}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.store != nil {
		all = append(all, c.store.notes()...)
	}
	return all
}

// Doubts says what the environment changes: programs of this environment may go another way than the
// users did.
func (c *class) Doubts(context.Context) []storage.Doubt {
	urls := c.p.proxied()
	if len(urls) == 0 {
		return nil
	}
	return []storage.Doubt{{Said: words.Phrase{Text: "all requests went to " + strings.Join(urls, ", ") +
		" directly: programs that use the proxy of this environment (HTTP_PROXY, HTTPS_PROXY) are slower by what it takes"}}}
}

// Devices are none that could be seen from here.
func (*class) Devices() []describe.Device { return nil }

// Nodes are none: they are the store's own.
func (*class) Nodes() []storage.Node { return nil }

// Clones implements storage.SelfCloner.
func (*class) Clones(context.Context) (by, whyNot string, err error) {
	return "", "the buckets of an existing object store are filled one by one", nil
}

// Import has nothing to bring in.
func (c *class) Import(context.Context, string, string) error { return c.clonesNone() }

// Clone makes nothing.
func (c *class) Clone(context.Context, string, storage.Claim) (storage.Volume, error) {
	return storage.Volume{}, c.clonesNone()
}

func (c *class) clonesNone() error {
	return fmt.Errorf("storage class %s: %s does not clone buckets", c.name, Name)
}

// Provision makes an empty bucket. One of its name that this run made before, and did not
// get to remove, is removed first.
func (c *class) Provision(ctx context.Context, claim storage.Claim) (storage.Volume, error) {
	if err := claim.Of(endpoint.Bucket); err != nil {
		return storage.Volume{}, err
	}
	if claim.Name == "" || strings.ContainsAny(claim.Name, "./\x00") {
		return storage.Volume{}, fmt.Errorf("make volume %q: it is no name of a volume", claim.Name)
	}
	g, err := c.take(claim.Name)
	if err != nil {
		return storage.Volume{}, err
	}
	name := bucketName(c.env.RunID, claim.Name)
	if err := c.make(ctx, g, claim.Name, name); err != nil {
		return storage.Volume{}, fmt.Errorf("make volume %s: %w", claim.Name, c.p.explained(err))
	}
	at := g.endpoint()
	s := endpoint.StoreOf(at)
	s.Name = name
	at.Payload = endpoint.With(s)
	return storage.Volume{Name: claim.Name, Reached: at}, nil
}

// take keeps a volume's name for one who makes it.
func (c *class) take(name string) (*gateways, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.store == nil:
		return nil, errors.New("storage class " + c.name + " is not up")
	case c.buckets[name]:
		return nil, fmt.Errorf("storage class %s has a volume %s already", c.name, name)
	}
	c.buckets[name] = true
	return c.store, nil
}

// make makes a bucket through the first gateway. It then checks that objects put through
// each gateway can be removed again, before anybody fills the bucket.
func (c *class) make(ctx context.Context, g *gateways, volume, name string) error {
	err := ctx.Err()
	if err == nil {
		err = g.through(ctx, 0, func(client *minio.Client) error { return c.makeRoom(ctx, client, name) })
	}
	if err == nil {
		err = c.env.Journal.Making(c.p.object(name))
	}
	if err != nil {
		c.forget(volume)
		return err
	}
	err = g.through(ctx, 0, func(client *minio.Client) error {
		return bucket.Make(ctx, client, name, c.p.region(), c.env.RunID)
	})
	for n := 1; n < len(c.p.URLs) && err == nil; n++ {
		err = g.through(ctx, n, func(client *minio.Client) error { return bucket.Try(ctx, client, name) })
	}
	if err == nil {
		return nil
	}
	return errors.Join(err, c.giveUp(ctx, volume, errors.Is(err, bucket.ErrThere)))
}

// makeRoom removes a bucket that this run made before, and refuses where it is anybody else's.
func (c *class) makeRoom(ctx context.Context, client *minio.Client, name string) error {
	there, err := client.BucketExists(ctx, name)
	if err != nil || !there {
		return err
	}
	owner, err := bucket.Owner(ctx, client, name)
	if err != nil {
		return err
	}
	if owner != c.env.RunID {
		return fmt.Errorf("bucket %s is there already: %w: it is marked %q; nothing was changed", name, bucket.ErrNotOurs, owner)
	}
	return bucket.Remove(ctx, client, name, owner)
}

// giveUp removes the remains of a bucket that could not be made, unless it belongs to
// another. Where that fails, Down tries again.
func (c *class) giveUp(ctx context.Context, volume string, others bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askLimit)
	defer cancel()
	if !others {
		return c.delete(ctx, volume)
	}
	c.forget(volume)
	return c.env.Journal.Removed(c.p.object(bucketName(c.env.RunID, volume)))
}

// Delete removes a bucket with all that is in it.
func (c *class) Delete(ctx context.Context, v storage.Volume) error {
	if v.Path != "" || v.Reached.Kind != endpoint.Bucket {
		return fmt.Errorf("storage class %s has made no volume %s at %s", c.name, v.Name, v.Path)
	}
	return c.delete(ctx, v.Name)
}

func (c *class) delete(ctx context.Context, volume string) error {
	g := c.with(volume)
	if g == nil {
		return nil
	}
	err := g.through(ctx, 0, func(client *minio.Client) error {
		return bucket.Remove(ctx, client, bucketName(c.env.RunID, volume), c.env.RunID)
	})
	if err != nil {
		return fmt.Errorf("remove volume %s: %w", volume, c.p.explained(err))
	}
	c.forget(volume)
	return c.env.Journal.Removed(c.p.object(bucketName(c.env.RunID, volume)))
}

// with is the store where it may have a volume's bucket, and nil where it has not.
func (c *class) with(volume string) *gateways {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.buckets[volume] {
		return nil
	}
	return c.store
}

func (c *class) forget(volume string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.buckets, volume)
}

// Settle has nothing to write back, and cannot drop what others cache.
func (*class) Settle(context.Context) (string, error) {
	return "the caches of the object store are not ours to drop", nil
}

// Down removes all buckets that were made.
func (c *class) Down(ctx context.Context) error {
	c.mu.Lock()
	volumes := slices.Sorted(maps.Keys(c.buckets))
	c.mu.Unlock()
	var errs []error
	for _, v := range volumes {
		errs = append(errs, c.delete(ctx, v))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.store = nil
	return nil
}

// addressing is the study's choice, or the default.
func (p *Parameters) addressing() string {
	if p.Addressing == Virtual {
		return Virtual
	}
	return Path
}

// bucketPrefix begins the names of all buckets that runs make.
const bucketPrefix = "plimsoll-"

// longestName is the greatest length of a bucket's name.
const longestName = 63

// bucketName names the bucket of a run's volume. A hash of both makes it unique; the
// legible part of the volume's name is included.
func bucketName(run, volume string) string {
	sum := sha256.Sum256([]byte(run + "\x00" + volume))
	name := bucketPrefix + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10])) + "-" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(volume))
	return strings.TrimRight(name[:min(len(name), longestName)], "-")
}

// BucketKind is the kind of a bucket in the journal. Its Path is the URL of its object store.
const BucketKind journal.Kind = "bucket"

// object is a bucket in the journal.
func (p *Parameters) object(name string) journal.Object {
	return journal.Object{Kind: BucketKind, Name: name, Path: p.URLs[0]}
}

// Lends implements storage.Lender.
func (Kind) Lends() []journal.Kind { return []journal.Kind{BucketKind} }

// ByHand implements storage.Lender.
func (Kind) ByHand(journal.Object) string {
	return "remove it with all that is in it, with a client of the store"
}

// Lent implements storage.Lender.
func (Kind) Lent(parameters any, o journal.Object) bool {
	p, ok := parameters.(*Parameters)
	return ok && len(p.URLs) > 0 && o == p.object(o.Name)
}

// GiveBack implements storage.Lender: a bucket that a run made is removed.
func (Kind) GiveBack(ctx context.Context, parameters any, run string, o journal.Object) (found bool, err error) {
	p := parameters.(*Parameters)
	at, err := p.store()
	if err != nil {
		return false, err
	}
	err = newGateways(at).through(ctx, 0, func(client *minio.Client) error {
		there, err := client.BucketExists(ctx, o.Name)
		if err != nil || !there {
			return err
		}
		found = true
		return bucket.Remove(ctx, client, o.Name, run)
	})
	return found, p.explained(err)
}
