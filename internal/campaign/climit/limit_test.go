package climit_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"plimsoll/internal/campaign/climit"
	"plimsoll/internal/campaign/climit/climittest"
	"plimsoll/test/nightly"
)

// TestLimitIsLearned has made-up systems do work whose pieces take about 10 s, under a limit
// that begins with 8. Of a hundred runs two may settle elsewhere: noise may have it that work
// which waits for nothing seems to go on faster.
func TestLimitIsLearned(t *testing.T) {
	const most = 4000
	for _, beyond := range []climittest.Beyond{climittest.Waits, climittest.Refused, climittest.Shared, climittest.Slows} {
		for _, takes := range []int{1, 2, 3, 5, 8, 20, 70, 200} {
			t.Run(fmt.Sprintf("%s/%d", beyond, takes), func(t *testing.T) {
				t.Parallel()
				n, all, elsewhere := 1000+50*takes, 0.0, 0
				seeds := nightly.Times(50, 500)
				for seed := range seeds {
					s := climittest.System{Takes: takes, Beyond: beyond, Work: 10 * time.Second, Noise: 0.1 + 0.2*float64(seed%2), Again: time.Second, Seed: uint64(seed)}
					r := s.Do(climit.New(8, most), n)
					if least, largest := slices.Min(r.Limits), slices.Max(r.Limits); least < 1 || largest > most {
						t.Fatalf("seed %d: limits from %d to %d, want 1 to %d", seed, least, largest, most)
					}
					settled := slices.Sorted(slices.Values(r.Limits[n/2:]))
					if l := settled[len(settled)/2]; l > 2*takes || 2*l < takes {
						t.Logf("seed %d: in the second half the limit is mostly %d", seed, l)
						elsewhere++
					}
					best := time.Duration(n) * s.Work / time.Duration(takes)
					share := best.Seconds() / r.Took.Seconds()
					if share < 0.4 {
						t.Errorf("seed %d: %s, at best %s", seed, r.Took, best)
					}
					all += share / float64(seeds)
				}
				if elsewhere > seeds/50 {
					t.Errorf("in %d of %d runs the limit is not within twice what the system takes", elsewhere, seeds)
				}
				t.Logf("%.2f of the best rate, learning included", all)
				if all < 0.65 {
					t.Errorf("on average %.2f of the best rate, want 0.65 at least", all)
				}
			})
		}
	}
}

// TestLimitFollows has a system take less than when the limit was learned.
func TestLimitFollows(t *testing.T) {
	l := climit.New(8, 1000)
	s := climittest.System{Takes: 100, Beyond: climittest.Refused, Work: 10 * time.Second, Noise: 0.2, Again: time.Second}
	s.Do(l, 5000)
	before := l.Now()
	s.Takes = 10
	s.Do(l, 2000)
	if after := l.Now(); before < 50 || after > 20 {
		t.Errorf("the limit is %d of a system that takes 100, and %d once it takes 10", before, after)
	}
}

func TestFixedLimitStays(t *testing.T) {
	s := climittest.System{Takes: 3, Beyond: climittest.Refused, Work: 10 * time.Second, Noise: 0.2, Again: time.Second}
	for _, l := range s.Do(climit.Fixed(8), 500).Limits {
		if l != 8 {
			t.Fatalf("the limit is %d", l)
		}
	}
}

// TestFewPiecesTeachNothing is what keeps a small trial as it is.
func TestFewPiecesTeachNothing(t *testing.T) {
	s := climittest.System{Takes: 100, Beyond: climittest.Waits, Work: 10 * time.Second, Noise: 0.2}
	if r := s.Do(climit.New(8, 1000), 16); slices.Max(r.Limits) != 8 {
		t.Errorf("limits of 16 pieces of work: %v", r.Limits)
	}
}
