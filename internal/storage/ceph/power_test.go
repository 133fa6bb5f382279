package ceph

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/peers"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/driver"
	"plimsoll/internal/workload/mix"
	"plimsoll/internal/workload/objects"
	"plimsoll/test/quick"
)

// While users write, read and delete objects, a node loses its power and comes back: every
// object that was acknowledged is there afterwards, whole, and no deleted one.
func TestObjectsOutliveThePowerOfANode(t *testing.T) {
	quick.Skip(t, quick.Media)
	t.Parallel()
	p := Kind{}.Defaults().(*Parameters)
	p.Disk, p.Access, p.Gateways = small(), accessRGW, 2
	c := pool(t, p)
	w := startWorkers(t, c.bucket(t, "store-000"), 4)
	heals(t, c)
	if _, err := c.Settle(t.Context()); err != nil { // disks take their time, and have something to lose
		t.Fatal(err)
	}
	w.await(t, 100)
	loss, err := c.CutPower(t.Context(), "peer 2", 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(loss)
	w.await(t, 100) // writes that the others take
	if done, err := c.Repair(t.Context()); err != nil || len(done) != 1 {
		t.Fatalf("repaired %q, %v", done, err)
	}
	w.await(t, 100) // during recovery
	w.end()
	heals(t, c)
	if _, err := c.Remount(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.audit(t)
}

// workers are users of a bucket, each with a recorder of its own.
type workers struct {
	target  workload.Target
	p       *objects.Parameters
	done    atomic.Int64 // units of work that ended well
	over    chan struct{}
	end     func()
	running sync.WaitGroup
	each    []*receipts
}

// receipts is a recorder that keeps them.
type receipts struct {
	all    [][]byte
	failed map[string]int // units of work by the class of their errors
}

func (*receipts) Observe(int, time.Time, time.Duration, workload.Outcome) {}
func (*receipts) Moved(int, int64)                                        {}
func (*receipts) Spent(int, describe.Effort)                              {}
func (r *receipts) Receipt(one []byte)                                    { r.all = append(r.all, bytes.Clone(one)) }

func startWorkers(t *testing.T, v storage.Volume, users int) *workers {
	t.Helper()
	m, err := mix.ParseVerbs("put:50, get:20, list:5, copy:5, tag:5, delete:15")
	if err != nil {
		t.Fatal(err)
	}
	e := v.Endpoint()
	e.Role = "store"
	w := &workers{target: workload.Target{Users: users, Endpoints: []endpoint.Endpoint{e}}, p: few(), over: make(chan struct{})}
	w.p.Mix = m
	w.end = sync.OnceFunc(func() { close(w.over); w.running.Wait() })
	t.Cleanup(w.end)
	if err := (objects.Workload{}).Prepare(t.Context(), w.target, w.p, 1, func(float64) {}); err != nil {
		t.Fatal(err)
	}
	for n := range users {
		s, err := objects.Workload{}.Open(t.Context(), w.target, w.p, n, uint64(n))
		if err != nil {
			t.Fatal(err)
		}
		r := &receipts{failed: map[string]int{}}
		w.each = append(w.each, r)
		w.running.Go(func() { w.work(t.Context(), s, r) })
	}
	return w
}

func (w *workers) work(ctx context.Context, s workload.Session, r *receipts) {
	defer s.Close()
	for {
		select {
		case <-w.over:
			return
		default:
		}
		if err := s.Do(ctx, r); err != nil {
			r.failed[driver.Classify(err)]++
			continue
		}
		w.done.Add(1)
	}
}

// await waits until the workers have done so many more units.
func (w *workers) await(t *testing.T, more int64) {
	t.Helper()
	until := w.done.Load() + more
	if err := peers.Poll(t.Context(), 5*time.Minute, "the workers", func() (bool, error) { return w.done.Load() >= until, nil }); err != nil {
		t.Fatal(err)
	}
}

func (w *workers) audit(t *testing.T) {
	t.Helper()
	result, err := objects.Workload{}.Audit(t.Context(), w.target, w.p, 1, func(yield func([]byte) bool) error {
		for _, r := range w.each {
			if slices.ContainsFunc(r.all, func(one []byte) bool { return !yield(one) }) {
				return nil
			}
		}
		return nil
	})
	if err != nil || !result.Passed() || result.Acknowledged == 0 || result.Present != result.Acknowledged {
		t.Errorf("%+v, %v", result, err)
	}
	for n, r := range w.each {
		t.Logf("user %d: %d receipts, failed %v", n, len(r.all), r.failed)
	}
	t.Logf("%d acknowledged, %d present, %d doubtful", result.Acknowledged, result.Present, result.Doubtful)
}
