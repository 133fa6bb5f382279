package workloadtest

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"plimsoll/internal/workload"
)

// RunOnVolume is the suite for a workload without servers, whose sessions are
// paced and work on a directory. The suite's engine, receipts and damages are
// not used.
func RunOnVolume(t *testing.T, s Suite) {
	t.Run("parameters", s.parameters)
	t.Run("profile", s.profile)
	t.Run("data set", s.inPlace)
	b := &volumeBench{s, s.onDirectory(t)}
	t.Run("a load that is cancelled leaves nothing", b.cancelled)
	t.Run("prepare", b.prepare)
	t.Run("prepare twice is refused", b.prepareAgain)
	t.Run("sessions work, and the audit misses nothing", b.sessions)
}

type volumeBench struct {
	Suite
	target workload.Target
}

func (s Suite) onDirectory(t *testing.T) workload.Target {
	role := s.Workload.Roles(s.Parameters)[0]
	return workload.Target{Users: users, Endpoints: []workload.Endpoint{{Role: role.Name, Kind: workload.Directory, Path: t.TempDir()}}}
}

func (s Suite) inPlace(t *testing.T) {
	kinds := workload.Kinds{s.Workload.Roles(s.Parameters)[0].Name: workload.Directory}
	if d := s.Workload.Dataset(s.Parameters, kinds, seed); d.Key != "" || d.Bytes+d.UserBytes <= 0 || d.Description == "" {
		t.Errorf("%+v is no data set that is prepared in place", d)
	}
	if d := s.Workload.Dataset(s.Parameters, workload.Kinds{}, seed); d != (workload.Dataset{}) {
		t.Errorf("%+v is loaded although nothing fills the role", d)
	}
}

func (b *volumeBench) cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Workload.Prepare(ctx, b.target, b.Parameters, seed, func(float64) {}); err == nil {
		t.Error("no error")
	}
	if left, err := os.ReadDir(b.target.Endpoints[0].Path); err != nil || len(left) > 0 {
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
	var all [users]*recorder
	var wait sync.WaitGroup
	for user := range users {
		all[user] = &recorder{t: t, operations: len(b.Workload.Describe(b.Parameters).Operations)}
		wait.Go(func() { b.play(t, user, all[user]) })
	}
	wait.Wait()
	var receipts [][]byte
	for user, rec := range all {
		if rec.counts[0] != unitsEach {
			t.Errorf("user %d did %d units, want %d", user, rec.counts[0], unitsEach)
		}
		receipts = append(receipts, rec.receipts...)
	}
	if !b.passes(t, receipts) || b.passes(t, receipts[1:]) {
		t.Error("the audit fails, or passes although receipts are missing")
	}
}

// play lets one user do so many units.
func (b *volumeBench) play(t *testing.T, user int, rec *recorder) {
	s, err := b.Workload.Open(t.Context(), b.target, b.Parameters, user, seed+uint64(user))
	if err != nil {
		t.Error(err)
		return
	}
	n := countdown(unitsEach)
	s.(workload.Paced).Pace(&n)
	for err == nil && !s.Broken() {
		err = s.Do(t.Context(), rec)
	}
	if !errors.Is(err, workload.ErrFinished) {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// countdown is a Pace of so many units at once.
type countdown int

func (n *countdown) Next() (time.Time, bool) {
	*n--
	return time.Time{}, *n >= 0
}

func (b *volumeBench) passes(t *testing.T, receipts [][]byte) bool {
	t.Helper()
	a, err := b.Workload.(workload.Auditor).Audit(t.Context(), b.target, b.Parameters, seed, func(yield func([]byte) bool) error {
		for _, r := range receipts {
			if !yield(r) {
				break
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return a.Passed()
}
