package driver

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"plimsoll/internal/result"
)

// One of two instances is gone: all that its users do fails, and much more often than the
// users of the other one finish anything.
func oneGone(t *testing.T, tolerate int) (stream, error) {
	f := newFake(5 * time.Second)
	f.gone = map[int]bool{1: true}
	job := fakeJob(t, 2, 2)
	job.ErrorLimit, job.Tolerate = 0.5, tolerate
	return run(t, t.Context(), job, f)
}

func TestAToleratedTargetDoesNotEndTheDriver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if _, err := oneGone(t, 0); err == nil || !strings.Contains(err.Error(), "more than the limit of 50 %") {
			t.Errorf("without tolerance: %v", err)
		}
		s, err := oneGone(t, 1)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(s.instances, func(r result.InstanceRecord) bool { return r.Instance == 1 })
		if at < 0 || s.instances[at].Count != 0 || s.instances[at].Errors["refused"] == 0 || s.instances[1-at].Errors != nil || s.instances[1-at].Count == 0 {
			t.Errorf("instances are %+v", s.instances)
		}
	})
}

// A driver of one target has no other one that could go on.
func TestTheOnlyTargetIsNotTolerated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, job := newFake(0), fakeJob(t, 1, 2)
		f.gone = map[int]bool{0: true}
		job.ErrorLimit, job.Tolerate = 0.5, 3
		if _, err := run(t, t.Context(), job, f); err == nil || !strings.Contains(err.Error(), "more than the limit") {
			t.Errorf("got %v", err)
		}
	})
}

// What waits at the end is told by target where one may have to be left out.
func TestWaitingIsToldByTarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, job := newFake(time.Hour), fakeJob(t, 2, 2)
		f.gone = map[int]bool{1: true}
		job.Rate = 2
		for tolerate := range 2 {
			job.Tolerate = tolerate
			s, err := run(t, t.Context(), job, f)
			if err != nil {
				t.Fatal(err)
			}
			var all result.WaitingRecord
			for _, r := range s.records {
				if r.Kind == result.KindWaiting {
					all = *r.Waiting
				}
			}
			var count, offered int64
			for _, i := range s.instances {
				if i.Waiting != nil {
					count, offered = count+i.Waiting.Count, offered+i.Waiting.Offered
				}
			}
			if want := int64(tolerate); all.Count == 0 || all.Offered == 0 || count != want*all.Count || offered != want*all.Offered {
				t.Errorf("tolerate %d: %d of %d wait, of %d of %d offered", tolerate, count, all.Count, offered, all.Offered)
			}
		}
	})
}
