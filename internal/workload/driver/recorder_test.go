package driver

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"plimsoll/internal/describe/errorclass"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
)

// What users record in shards of their own adds up to what a single one would have.
func TestShardsAddUp(t *testing.T) {
	const users, operations = 9, 3
	now := time.Now()
	c := newClock(Job{Start: now, Warmup: unit.Duration(1500 * time.Millisecond), Measure: unit.Duration(3 * time.Second)}, now)
	targets := []workload.Target{{Instance: 0, Users: users}, {Instance: 1, Users: users}}
	one := newRecorder(c, operations, targets, 1, 4*time.Millisecond)
	several := newRecorder(c, operations, targets, users*len(targets), 4*time.Millisecond)
	if len(one.shards) != 1 || len(several.shards) < 2 {
		t.Fatalf("%d and %d shards, want 1 and some", len(one.shards), len(several.shards))
	}
	random := rand.New(rand.NewPCG(1, 2))
	written := 0
	for i := range 6000 {
		at, place := now.Add(time.Duration(i)*time.Millisecond), random.IntN(users*len(targets))
		target, operation := place%len(targets), random.IntN(operations)
		outcome, took, kind := workload.Outcome(random.IntN(2)), exponential(random), random.IntN(10)
		for _, s := range []*shard{one.shard(place), several.shard(place)} {
			switch kind {
			case 0:
				s.fail(target, operation, at, []string{errorclass.OutOfSpace, Other}[i%2])
			case 1:
				s.moved(target, operation, int64(i), at)
			default:
				s.observe(target, operation, at, took, outcome)
			}
		}
		if i%1000 == 900 { // the reporter is at work while users are
			sameTallies(t, one.takeSecond(written), several.takeSecond(written))
			written++
		}
	}
	if one.latest() != several.latest() {
		t.Errorf("the latest second is %d and %d", one.latest(), several.latest())
	}
	for written <= one.latest() {
		written++
		sameTallies(t, one.takeSecond(written), several.takeSecond(written))
	}
	for target := range targets {
		a, b := one.instance(target), several.instance(target)
		sameCounts(t, &a.counts, &b.counts)
		if len(a.parts) != operations-1 {
			t.Errorf("%d operations of target %d in addition to the unit of work", len(a.parts), target)
		}
		for operation := 1; operation < operations; operation++ {
			sameCounts(t, a.part(operation), b.part(operation))
		}
	}
	a, _ := one.failures(0)
	b, _ := several.failures(0)
	if a.failed == 0 || a.full == 0 || a != b {
		t.Errorf("failures are %+v and %+v", a, b)
	}
	if a, b := one.behind(), several.behind(); a.count == 0 || a != b {
		t.Errorf("behind are %+v and %+v", a, b)
	}
}

func sameTallies(t *testing.T, one, several []*tally) {
	t.Helper()
	if len(one) == 0 || len(one) != len(several) {
		t.Fatalf("%d and %d tallies", len(one), len(several))
	}
	for i, a := range one {
		b := several[i]
		if a.slot != b.slot || !slices.Equal(a.bytes, b.bytes) || !slices.Equal(a.units, b.units) || a.late != b.late {
			t.Errorf("tallies are %+v and %+v", a, b)
		}
		for operation := range a.operations {
			sameCounts(t, &a.operations[operation], &b.operations[operation])
		}
	}
}

func sameCounts(t *testing.T, a, b *counts) {
	t.Helper()
	if a.done != b.done || a.rolledBack != b.rolledBack || a.bytes != b.bytes || !maps.Equal(a.errors, b.errors) {
		t.Errorf("counts are %+v and %+v", a, b)
	}
	if !slices.Equal(buckets(a), buckets(b)) {
		t.Errorf("histograms of %d and %d times differ", a.times.TotalCount(), b.times.TotalCount())
	}
}

// buckets are the values and counts of a histogram in turn.
func buckets(c *counts) (all []int64) {
	for value, n := range c.times.ForEachBucket {
		all = append(all, value, n)
	}
	return all
}
