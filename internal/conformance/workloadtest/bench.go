package workloadtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/workload"
)

// bench is a suite at work on one instance.
type bench struct {
	Suite
	instance *Instance
	receipts [][]byte    // of all units so far
	paced    atomic.Bool // some session was
}

func (b *bench) target() workload.Target { return b.instance.Target() }

func (b *bench) operations() []string { return b.Workload.Describe(b.Parameters).Operations }

func (b *bench) recorder(t *testing.T) *recorder {
	return &recorder{t: t, operations: len(b.operations())}
}

// users and unitsEach are a little load.
const (
	users     = 3
	unitsEach = 20
)

// playLimit bounds the work of a user on a busy machine.
const playLimit = 5 * time.Minute

func (b *bench) sessions(t *testing.T) {
	receipts, errs := b.work(t, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	b.receipts = append(b.receipts, receipts...)
	if b.Workload.Capabilities().Audit != nil && len(b.receipts) == 0 {
		t.Error("nothing was acknowledged")
	}
}

// work lets every user do so many units, or all that there are of fixed work.
// Once all have begun something may happen.
func (b *bench) work(t *testing.T, happens func()) (receipts [][]byte, errs []error) {
	t.Helper()
	var all [users]*recorder
	var wait, begun sync.WaitGroup
	var mu sync.Mutex
	begun.Add(users)
	over := make(chan struct{})
	for user := range users {
		all[user] = b.recorder(t)
		wait.Go(func() {
			failed := b.play(t, user, all[user], func() { begun.Done(); <-over })
			mu.Lock()
			defer mu.Unlock()
			errs = append(errs, failed...)
		})
	}
	begun.Wait()
	if happens != nil {
		happens()
	}
	close(over)
	wait.Wait()
	seen := make([]int, len(b.operations()))
	for user, rec := range all {
		if n := rec.counts[0]; n != unitsEach && !b.Workload.Describe(b.Parameters).Fixed && len(errs) == 0 {
			t.Errorf("user %d did %d units, want %d", user, n, unitsEach)
		}
		receipts = append(receipts, rec.receipts...)
		for i := range seen {
			seen[i] += rec.counts[i]
		}
	}
	t.Logf("operations %v: %v; %d receipts", b.operations(), seen, len(receipts))
	return receipts, errs
}

// play lets one user do so many units, with one context as drivers do; in their midst, or
// when it cannot begin, it calls half.
func (b *bench) play(t *testing.T, user int, rec *recorder, half func()) (errs []error) {
	half = sync.OnceFunc(half)
	defer half()
	ctx, cancel := context.WithTimeout(t.Context(), playLimit)
	defer cancel()
	s, err := b.Workload.Open(t.Context(), b.target(), b.Parameters, user, seed+uint64(user))
	if err != nil {
		return []error{err}
	}
	n := countdown(unitsEach)
	for next := b.atOnce(s, &n); next() && !s.Broken(); {
		before := rec.counts[0]
		err := s.Do(ctx, rec)
		if errors.Is(err, workload.ErrFinished) {
			break
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("user %d: %w", user, err))
		}
		if done := rec.counts[0] - before; done != 1 && !b.paced.Load() {
			t.Errorf("user %d: a unit was reported %d times", user, done)
		}
		if len(errs) == mostErrors {
			n = 0
		}
		if n < unitsEach/2 {
			half()
		}
	}
	if s.Broken() {
		errs = append(errs, fmt.Errorf("user %d: the session is broken", user))
	}
	return append(errs, closed(s)...)
}

// atOnce has a session do units without a pause. A paced session takes them by itself until
// it reports that all have ended; for other sessions, next reports whether there is one
// more.
func (b *bench) atOnce(s workload.Session, n *countdown) (next func() bool) {
	if p, ok := s.(workload.PacedSession); ok {
		b.paced.Store(true)
		p.Pace(n)
		return func() bool { return true }
	}
	return func() bool { _, more := n.Next(); return more }
}

func closed(s workload.Session) []error {
	if err := s.Close(); err != nil {
		return []error{fmt.Errorf("close a session: %w", err)}
	}
	return nil
}

// mostErrors ends a user's work: sessions pause longer after each.
const mostErrors = 6

// countdown is a Pace of so many units at once.
type countdown int

func (n *countdown) Next() (time.Time, bool) {
	*n--
	return time.Time{}, *n >= 0
}

// cancelled checks that a session either recovers from a cancelled unit or reports that it
// is broken.
func (b *bench) cancelled(t *testing.T) {
	if b.paced.Load() {
		t.Skip("a paced session has several units under way")
	}
	rec := b.recorder(t)
	s, err := b.Workload.Open(t.Context(), b.target(), b.Parameters, users, seed+users)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Do(ctx, rec); err == nil {
		t.Log("the unit was faster than its cancelling")
	}
	if !s.Broken() {
		if err := s.Do(t.Context(), rec); err != nil && !s.Broken() {
			t.Errorf("the session is not broken, but cannot work: %v", err)
		}
	}
	b.receipts = append(b.receipts, rec.receipts...)
}

// crash kills the server while users work. After the restart it compares the data with the
// units acknowledged before.
func (b *bench) crash(t *testing.T) {
	var wait sync.WaitGroup
	var all []*recorder
	ended, over := make(chan struct{}, users*unitsEach), make(chan struct{})
	for user := range users {
		s, err := b.Workload.Open(t.Context(), b.target(), b.Parameters, user, seed+100+uint64(user))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		rec := b.recorder(t)
		rec.ended = ended
		all = append(all, rec)
		wait.Go(func() { b.playOn(t, s, rec, over) })
	}
	waitFor(ended, &wait)
	b.instance.Kill(t)
	b.instance.Recover(t)
	close(over)
	wait.Wait()
	for _, rec := range all {
		b.receipts = append(b.receipts, rec.receipts...)
	}
	result := b.audit(t, b.receipts)
	t.Logf("%d acknowledged, %d doubtful, %d present", result.Acknowledged, result.Doubtful, result.Present)
	b.mustPass(t, result)
}

// waitFor waits until so many units have ended as ended holds, or all sessions have.
func waitFor(ended <-chan struct{}, sessions *sync.WaitGroup) {
	finished := make(chan struct{})
	go func() { sessions.Wait(); close(finished) }()
	for range cap(ended) {
		select {
		case <-ended:
		case <-finished: // the work was fixed
			return
		}
	}
}

// playOn works until the connection is lost, the work is finished, or it is over: a session
// may have no connection that it could lose.
func (b *bench) playOn(t *testing.T, s workload.Session, rec *recorder, over <-chan struct{}) {
	n := countdown(math.MaxInt)
	for next := b.atOnce(s, &n); next() && !s.Broken(); {
		select {
		case <-over:
			n = 0
		default:
		}
		if err := s.Do(t.Context(), rec); errors.Is(err, workload.ErrFinished) {
			return
		} else if err != nil && !s.Broken() {
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
	ended      chan<- struct{} // notified of every unit, if there is room
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

// Spent implements workload.Recorder.
func (r *recorder) Spent(operation int, e describe.Effort) {
	if operation < 0 || operation >= r.operations || !e.Possible() {
		r.t.Errorf("operation %d took %+v", operation, e)
	}
}

// Receipt implements workload.Recorder.
func (r *recorder) Receipt(receipt []byte) { r.receipts = append(r.receipts, bytes.Clone(receipt)) }

// audit audits the instance against some receipts.
func (b *bench) audit(t *testing.T, receipts [][]byte) describe.Audit {
	t.Helper()
	result, err := b.Workload.Capabilities().Audit(t.Context(), b.target(), b.Parameters, seed, asStream(receipts))
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
	if b.Falsified == nil {
		b.mustFail(t, "a receipt is missing", b.audit(t, b.receipts[1:]))
		return
	}
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
