package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"plimsoll/bench/stand"
	"plimsoll/internal/client/bucket"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/result"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload/driver"
	"plimsoll/internal/workload/mix"
	"plimsoll/internal/workload/objects"
)

// objectCPU is how much more CPU an object may take than with wrk, as a share. wrk signs no
// request, makes no content and looks at none.
const objectCPU = 0.5

// manyCPU is the same for 64 users, who have a thread each; wrk has one for all.
const manyCPU = 1.5

// object is one operation on objects of one size.
type object struct {
	verb  string // get or put
	size  unit.Bytes
	users int
}

func (o object) name() string {
	return fmt.Sprintf("wrk, %s objects of %s, %d users", o.verb, o.size, o.users)
}

func allObjects() (all []object) {
	for _, verb := range []string{"get", "put"} {
		for _, size := range []unit.Bytes{4 << 10, 4 << 20} {
			for _, users := range []int{1, 8, 64} {
				all = append(all, object{verb, size, users})
			}
		}
	}
	return all
}

// runObjects compares users of objects with wrk, which sends requests that were signed
// before, to the same gateway of an object store.
func runObjects(ctx context.Context, s settings, t *table) error {
	for _, o := range allObjects() {
		if !t.wants(o.name()) {
			continue
		}
		if err := o.compare(ctx, s, t); err != nil {
			return err
		}
	}
	return nil
}

// compare has a gateway of its own, so that no setting finds more objects than another.
func (o object) compare(ctx context.Context, s settings, t *table) (err error) {
	b := &objectBench{object: o, length: s.time}
	if err := s.serve(func() error { return b.start(ctx, cmp.Or(s.dir, inMemory)) }); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.server.Close(ctx), s.join()) }()
	bound := objectCPU
	if o.users == 64 {
		bound = manyCPU
	}
	return t.compare(ctx, comparison{name: o.name(), cpu: bound, cpuOnly: true, own: b.own, peer: b.wrk})
}

// objectBench is a gateway with objects.
type objectBench struct {
	object
	server *stand.Stand
	length time.Duration
	script string // of wrk
}

// ofEach is how many objects each user has.
const ofEach = 4

// parameters make contents that are as random as stamped ones, and do not look at what comes.
func (b *objectBench) parameters() *objects.Parameters {
	p := objects.Workload{}.Defaults().(*objects.Parameters)
	p.Mix, p.Sizes = mix.Verbs{{Verb: b.verb, Weight: 1}}, objects.Sizes{Mix: mix.Sizes{{Bytes: int64(b.size), Weight: 1}}}
	p.Objects, p.Verify = ofEach, false
	return p
}

func (b *objectBench) start(ctx context.Context, dir string) (err error) {
	if b.server, err = stand.Start(ctx, dir, "versitygw", b.users, objects.Workload{}); err != nil {
		return err
	}
	b.server.Target.Users, b.server.Admin.Users = b.users, b.users
	if err = b.server.Load(ctx, b.parameters()); err == nil {
		err = b.prepareWrk(ctx)
	}
	if err != nil {
		return errors.Join(err, b.server.Close(ctx))
	}
	return nil
}

// wrkBucket is the bucket of the objects that wrk requests.
const wrkBucket = "wrk"

// prepareWrk signs a request for each of some objects.
func (b *objectBench) prepareWrk(ctx context.Context) error {
	c, err := bucket.Client(b.server.Admin.Endpoints[0], 0)
	if err == nil {
		err = c.MakeBucket(ctx, wrkBucket, minio.MakeBucketOptions{})
	}
	if err != nil {
		return err
	}
	content := make([]byte, b.size)
	var script bytes.Buffer
	fmt.Fprintf(&script, "local at = 0\nlocal all\nlocal body = nil\n")
	if b.verb == "put" {
		fmt.Fprintf(&script, "body = string.rep('x', %d)\n", b.size)
	}
	script.WriteString("function init(args)\nall = {\n")
	for n := range 2 * ofEach {
		key := fmt.Sprintf("o%08d", n)
		if _, err := c.PutObject(ctx, wrkBucket, key, bytes.NewReader(content), int64(b.size), minio.PutObjectOptions{}); err != nil {
			return err
		}
		u, err := c.Presign(ctx, strings.ToUpper(b.verb), wrkBucket, key, time.Hour, nil)
		if err != nil {
			return err
		}
		fmt.Fprintf(&script, "wrk.format('%s', '%s', nil, body),\n", strings.ToUpper(b.verb), u.RequestURI())
	}
	script.WriteString("}\nend\nfunction request()\nat = at % #all + 1\nreturn all[at]\nend\n")
	b.script = filepath.Join(b.server.Dir, "objects.lua")
	return os.WriteFile(b.script, script.Bytes(), 0o600)
}

// own runs one turn of the driver.
func (b *objectBench) own(ctx context.Context) (s sample, err error) {
	parameters, err := json.Marshal(b.parameters())
	if err != nil {
		return s, err
	}
	done, failed := int64(0), 0
	job := driver.Job{Parameters: parameters, Users: b.users, Measure: unit.Duration(b.length)}
	cpu, err := b.server.Drive(ctx, job, func(r result.Record) error {
		if r.Kind == result.KindOperation && r.Operation == "object" {
			done += r.Count
			failed += len(r.Errors)
		}
		return nil
	})
	if err == nil && (done == 0 || failed > 0) {
		err = fmt.Errorf("%d objects came, with errors in %d seconds", done, failed)
	}
	return b.sample(float64(done), cpu), err
}

func (b *objectBench) sample(done float64, cpu time.Duration) sample {
	none := math.NaN() // of what wrk does, its CPU and how much it does count
	return sample{throughput: done / b.length.Seconds(), p50: none, p95: none, p99: none, cpu: cpu.Seconds() / done}
}

// wrk runs one turn of wrk.
func (b *objectBench) wrk(ctx context.Context) (sample, error) {
	at := endpoint.StoreOf(b.server.Target.Endpoints[0]).URLs[0]
	done, cpu, err := wrkRequests(ctx, b.users, b.length, b.script, at)
	return b.sample(done, cpu), err
}
