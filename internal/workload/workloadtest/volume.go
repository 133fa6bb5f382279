package workloadtest

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"plimsoll/internal/endpoint"
	"plimsoll/internal/workload"
)

// RunOnVolume is the suite for a workload without servers, whose sessions are
// paced and work on a directory. The suite's engine, receipts and damages are
// not used.
func RunOnVolume(t *testing.T, s Suite) {
	t.Run("parameters", s.parameters)
	t.Run("profile", s.profile)
	t.Run("data set", s.inPlace)
	b := s.onVolume(t.TempDir())
	t.Run("a load that is cancelled leaves nothing", b.cancelled)
	t.Run("prepare", b.prepare)
	t.Run("prepare twice is refused", b.prepareAgain)
	t.Run("sessions work, and the audit misses nothing", b.sessions)
	t.Run("a session that is cancelled hands over its receipts", s.cancelledSession)
	t.Run("no space for the data set", s.noSpaceBefore)
	t.Run("no space while sessions work", s.noSpaceWhile)
	t.Run("a volume that becomes read-only", s.readOnly)
	t.Run("a volume that vanishes", s.vanishes)
	t.Run("links to what is outside", s.links)
	t.Run("files that somebody removes", s.removed)
	t.Run("files that somebody truncates", s.truncated)
	t.Run("no file handles", s.noHandles)
}

type volumeBench struct {
	Suite
	target workload.Target
}

// onVolume is a bench on a directory.
func (s Suite) onVolume(dir string) *volumeBench {
	role := s.Workload.Roles(s.Parameters)[0]
	return &volumeBench{s, workload.Target{Users: users, Endpoints: []endpoint.Endpoint{endpoint.OfDirectory(role.Name, dir)}}}
}

// prepared is a bench whose data set is there.
func (s Suite) prepared(t *testing.T, dir string) *volumeBench {
	t.Helper()
	b := s.onVolume(dir)
	if err := b.Workload.Prepare(t.Context(), b.target, b.Parameters, seed, func(float64) {}); err != nil {
		t.Fatal(err)
	}
	return b
}

// dir is the volume's directory.
func (b *volumeBench) dir() string { return endpoint.PathOf(b.target.Endpoints[0]) }

func (s Suite) inPlace(t *testing.T) {
	kinds := workload.Kinds{s.Workload.Roles(s.Parameters)[0].Name: endpoint.Directory}
	if d := s.Workload.Dataset(s.Parameters, kinds, seed); d.Key != "" || bytesOf(d) <= 0 || d.Description == "" {
		t.Errorf("%+v is no data set that is prepared in place", d)
	}
	if d := s.Workload.Dataset(s.Parameters, workload.Kinds{}, seed); d != (workload.Dataset{}) {
		t.Errorf("%+v is loaded although nothing fills the role", d)
	}
}

// bytesOf is the space of a data set for all users of the suite.
func bytesOf(d workload.Dataset) int64 { return d.Bytes + users*d.UserBytes }

func (b *volumeBench) cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Workload.Prepare(ctx, b.target, b.Parameters, seed, func(float64) {}); err == nil {
		t.Error("no error")
	}
	if left, err := os.ReadDir(b.dir()); err != nil || len(left) > 0 {
		t.Errorf("it left %v, %v", left, err)
	}
}

func (b *volumeBench) prepare(t *testing.T) {
	last := -1.0
	err := b.Workload.Prepare(t.Context(), b.target, b.Parameters, seed, func(share float64) {
		if share < last || share > 1 {
			t.Errorf("progress goes from %v to %v", last, share)
		}
		last = share
	})
	if err != nil || last != 1 {
		t.Fatalf("progress ends at %v: %v", last, err)
	}
}

func (b *volumeBench) prepareAgain(t *testing.T) {
	err := b.Workload.Prepare(t.Context(), b.target, b.Parameters, seed, func(float64) {})
	if err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("the error does not say that the volume must be empty: %v", err)
	}
}

func (b *volumeBench) sessions(t *testing.T) {
	receipts, errs := b.work(t, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if len(receipts) == 0 || !b.passes(t, receipts) || b.passes(t, receipts[1:]) {
		t.Error("the audit fails, or passes although receipts are missing")
	}
}

// work lets every user do so many units, or all that there are of fixed work.
// Once all have begun something may happen.
func (b *volumeBench) work(t *testing.T, happens func()) (receipts [][]byte, errs []error) {
	t.Helper()
	profile := b.Workload.Describe(b.Parameters)
	var all [users]*recorder
	var wait, begun sync.WaitGroup
	var mu sync.Mutex
	begun.Add(users)
	over := make(chan struct{})
	for user := range users {
		all[user] = &recorder{t: t, operations: len(profile.Operations)}
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
	for user, rec := range all {
		if n := rec.counts[0]; n != unitsEach && !profile.Fixed && len(errs) == 0 {
			t.Errorf("user %d did %d units, want %d", user, n, unitsEach)
		}
		receipts = append(receipts, rec.receipts...)
	}
	return receipts, errs
}

// play lets one user do so many units; in their midst, or when it cannot begin,
// it calls half.
func (b *volumeBench) play(t *testing.T, user int, rec *recorder, half func()) (errs []error) {
	half = sync.OnceFunc(half)
	defer half()
	s, err := b.Workload.Open(t.Context(), b.target, b.Parameters, user, seed+uint64(user))
	if err != nil {
		return []error{err}
	}
	n := countdown(unitsEach)
	s.(workload.Paced).Pace(&n)
	for {
		err := s.Do(t.Context(), rec)
		if errors.Is(err, workload.ErrFinished) {
			break
		}
		if err != nil {
			errs = append(errs, err)
		}
		if len(errs) == mostErrors {
			n = 0
		}
		if s.Broken() {
			errs = append(errs, errors.New("the session is broken"))
			break
		}
		if n < unitsEach/2 {
			half()
		}
	}
	if err := s.Close(); err != nil {
		errs = append(errs, err)
	}
	return errs
}

// mostErrors ends a user's work: sessions pause longer after each.
const mostErrors = 6

// countdown is a Pace of so many units at once.
type countdown int

func (n *countdown) Next() (time.Time, bool) {
	*n--
	return time.Time{}, *n >= 0
}

func (b *volumeBench) passes(t *testing.T, receipts [][]byte) bool {
	t.Helper()
	a, err := b.Workload.(workload.Auditor).Audit(t.Context(), b.target, b.Parameters, seed, asStream(receipts))
	if err != nil {
		t.Logf("the audit: %v", err)
	}
	for _, c := range a.Checks {
		if !c.Passed {
			t.Logf("the audit: %s: expected %d, found %d: %q", c.Name, c.Expected, c.Found, c.Examples)
		}
	}
	return err == nil && a.Passed()
}
