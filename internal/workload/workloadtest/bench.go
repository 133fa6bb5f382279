package workloadtest

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/workload"
)

// bench is a suite at work on one instance.
type bench struct {
	Suite
	instance *Instance
	receipts [][]byte // of all units so far
}

func (b *bench) target() workload.Target { return b.instance.Target() }

// users and unitsEach are a little load.
const (
	users     = 3
	unitsEach = 20
)

// playLimit bounds the orders of a user on a busy machine.
const playLimit = 5 * time.Minute

func (b *bench) sessions(t *testing.T) {
	var all []*recorder
	var wait sync.WaitGroup
	for user := range users {
		rec := &recorder{t: t, operations: len(b.Workload.Describe(b.Parameters).Operations)}
		all = append(all, rec)
		wait.Go(func() { b.play(t, user, rec) })
	}
	wait.Wait()
	seen := make([]int, len(b.Workload.Describe(b.Parameters).Operations))
	for _, rec := range all {
		b.receipts = append(b.receipts, rec.receipts...)
		for i := range seen {
			seen[i] += rec.counts[i]
		}
	}
	t.Logf("operations %v: %v; %d acknowledgements", b.Workload.Describe(b.Parameters).Operations, seen, len(b.receipts))
	if len(b.receipts) == 0 {
		t.Error("nothing was acknowledged")
	}
}

// play lets one user perform a few orders, with one context as drivers do.
func (b *bench) play(t *testing.T, user int, rec *recorder) {
	ctx, cancel := context.WithTimeout(t.Context(), playLimit)
	defer cancel()
	s, err := b.Workload.Open(t.Context(), b.target(), b.Parameters, user, seed+uint64(user))
	if err != nil {
		t.Errorf("user %d: %v", user, err)
		return
	}
	for range unitsEach {
		before := rec.counts[0]
		if err := s.Do(ctx, rec); err != nil {
			t.Errorf("user %d: %v", user, err)
		}
		if n := rec.counts[0] - before; n != 1 {
			t.Errorf("user %d: an order was reported %d times", user, n)
		}
	}
	if s.Broken() {
		t.Errorf("user %d: the session is broken", user)
	}
	if err := s.Close(); err != nil {
		t.Errorf("user %d: close: %v", user, err)
	}
}

// cancelled makes sure that a session either recovers from a cancelled order
// or says that it is broken.
func (b *bench) cancelled(t *testing.T) {
	rec := &recorder{t: t, operations: len(b.Workload.Describe(b.Parameters).Operations)}
	s, err := b.Workload.Open(t.Context(), b.target(), b.Parameters, users, seed+users)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Do(ctx, rec); err == nil {
		t.Log("the order was faster than its cancelling")
	}
	if !s.Broken() {
		if err := s.Do(t.Context(), rec); err != nil && !s.Broken() {
			t.Errorf("the session is not broken, but cannot order: %v", err)
		}
	}
	b.receipts = append(b.receipts, rec.receipts...)
}

// crash kills the server while users order and compares what is there after
// the restart with what was acknowledged before.
func (b *bench) crash(t *testing.T) {
	var wait sync.WaitGroup
	var all []*recorder
	ended := make(chan struct{}, users*unitsEach)
	for user := range users {
		s, err := b.Workload.Open(t.Context(), b.target(), b.Parameters, user, seed+100+uint64(user))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		rec := &recorder{t: t, operations: len(b.Workload.Describe(b.Parameters).Operations), ended: ended}
		all = append(all, rec)
		wait.Go(func() { playUntilBroken(t, s, rec) })
	}
	for range users * unitsEach {
		<-ended
	}
	b.instance.crash(t)
	wait.Wait()
	for _, rec := range all {
		b.receipts = append(b.receipts, rec.receipts...)
	}
	result := b.audit(t, b.receipts)
	t.Logf("%d acknowledged, %d doubtful, %d present", result.Acknowledged, result.Doubtful, result.Present)
	b.mustPass(t, result)
}

// playUntilBroken orders until the connection is lost.
func playUntilBroken(t *testing.T, s workload.Session, rec *recorder) {
	for !s.Broken() {
		if err := s.Do(t.Context(), rec); err != nil && !s.Broken() {
			t.Logf("the session goes on after: %v", err)
		}
	}
}

// recorder keeps what a session reports and checks its form.
type recorder struct {
	t          *testing.T
	operations int
	counts     [64]int
	receipts   [][]byte
	ended      chan<- struct{} // told of every unit, if there is room
}

// Observe implements workload.Recorder.
func (r *recorder) Observe(operation int, start time.Time, d time.Duration, outcome workload.Outcome) {
	if operation < 0 || operation >= r.operations {
		r.t.Errorf("operation %d of %d", operation, r.operations)
		return
	}
	if d < 0 || start.IsZero() || time.Since(start) < d || outcome > workload.Failed {
		r.t.Errorf("operation %d began at %v, took %v and ended as %d", operation, start, d, outcome)
	}
	r.counts[operation]++
	if operation == 0 && r.ended != nil {
		select {
		case r.ended <- struct{}{}:
		default:
		}
	}
}

// Moved implements workload.Recorder.
func (r *recorder) Moved(operation int, bytes int64) {
	if operation < 0 || operation >= r.operations || bytes < 0 {
		r.t.Errorf("operation %d moved %d bytes", operation, bytes)
	}
}

// Receipt implements workload.Recorder.
func (r *recorder) Receipt(receipt []byte) { r.receipts = append(r.receipts, bytes.Clone(receipt)) }

// audit audits the instance against some receipts.
func (b *bench) audit(t *testing.T, receipts [][]byte) describe.Audit {
	t.Helper()
	result, err := b.Workload.(workload.Auditor).Audit(t.Context(), b.target(), b.Parameters, seed, asStream(receipts))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range result.Checks {
		if len(c.Examples) > 10 {
			t.Errorf("%s: %d examples, at most 10 are wanted", c.Name, len(c.Examples))
		}
	}
	return result
}

// asStream gives receipts as a task gets them: once, and each valid until the
// next.
func asStream(receipts [][]byte) workload.Receipts {
	visited := false
	return func(yield func([]byte) bool) error {
		if visited {
			return errors.New("the receipts were visited before")
		}
		visited = true
		var buffer []byte
		for _, r := range receipts {
			clear(buffer)
			buffer = append(buffer[:0], r...)
			if !yield(buffer) {
				break
			}
		}
		return nil
	}
}

func (b *bench) mustPass(t *testing.T, result describe.Audit) {
	t.Helper()
	for _, c := range result.Checks {
		if !c.Passed {
			t.Errorf("%s: expected %d, found %d: %q", c.Name, c.Expected, c.Found, c.Examples)
		}
	}
	if len(result.Checks) == 0 || result.Present != result.Acknowledged {
		t.Errorf("%d checks; %d acknowledged, %d present", len(result.Checks), result.Acknowledged, result.Present)
	}
}

func (b *bench) mustFail(t *testing.T, why string, result describe.Audit) {
	t.Helper()
	if result.Passed() {
		t.Errorf("%s: the audit passed", why)
	}
}

func (b *bench) auditPasses(t *testing.T) {
	result := b.audit(t, b.receipts)
	b.mustPass(t, result)
	if result.Instance != b.target().Instance {
		t.Errorf("instance %d audited as %d", b.target().Instance, result.Instance)
	}
}

// auditComparesReceipts falsifies the receipts instead of the instance.
func (b *bench) auditComparesReceipts(t *testing.T) {
	for why, receipts := range b.Falsified(slices.Clone(b.receipts)) {
		b.mustFail(t, why, b.audit(t, receipts))
	}
}

func (b *bench) auditExcuses(t *testing.T) {
	for why, receipts := range b.Doubtful(slices.Clone(b.receipts)) {
		t.Run(why, func(t *testing.T) { b.mustPass(t, b.audit(t, receipts)) })
	}
}

func (b *bench) auditFindsDamage(t *testing.T) {
	for _, d := range b.Damages {
		t.Run(d.Name, func(t *testing.T) {
			d.Do(t, b.instance.Admin(), b.receipts)
			result := b.audit(t, b.receipts)
			d.Undo(t, b.instance.Admin(), b.receipts)
			failed := slices.DeleteFunc(slices.Clone(result.Checks), func(c describe.Check) bool { return c.Passed })
			if !slices.ContainsFunc(failed, func(c describe.Check) bool { return c.Name == d.Fails && len(c.Examples) > 0 }) {
				t.Errorf("%q did not fail with examples, but %+v", d.Fails, failed)
			}
			for _, c := range failed {
				t.Logf("%s: expected %d, found %d: %q", c.Name, c.Expected, c.Found, c.Examples)
			}
		})
	}
	b.mustPass(t, b.audit(t, b.receipts))
}
