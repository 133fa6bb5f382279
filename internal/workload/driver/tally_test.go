package driver

import (
	"math/rand/v2"
	"testing"
	"time"

	"plimsoll/internal/result"
	"plimsoll/internal/workload"
)

// exponential draws times as a busy server gives them, 5 ms on average.
func exponential(random *rand.Rand) time.Duration {
	return time.Duration(random.ExpFloat64() * float64(5*time.Millisecond))
}

func TestSparseHistogramsAreReadAsTheOthers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	sparse, dense := newHistogram(), result.NewHistogram()
	for _, d := range []time.Duration{0, -time.Second, 1, 499 * time.Nanosecond, time.Microsecond, 2 * time.Hour} {
		recordTime(sparse, d)
	}
	if sparse.Min() < 1 || sparse.TotalCount() != 6 {
		t.Errorf("%d values from %d ns, want 6 from 1 ns", sparse.TotalCount(), sparse.Min())
	}
	sparse.Reset()
	recordTime(sparse, 650*time.Nanosecond) // stat in memory: not 1 µs
	if mean := sparse.Mean(); mean < 649 || mean > 651 {
		t.Errorf("650 ns are recorded as %g ns", mean)
	}
	sparse.Reset()
	for range 10_000 {
		d := exponential(random)
		recordTime(sparse, d)
		if err := dense.RecordValue(max(1, d.Nanoseconds())); err != nil {
			t.Fatal(err)
		}
	}
	text, err := newEncoder().encode(sparse)
	if err != nil {
		t.Fatal(err)
	}
	read, err := result.DecodeHistogram(text)
	if err != nil {
		t.Fatal(err)
	}
	if !read.Equals(dense) {
		t.Errorf("the histogram changed on its way: mean %v, want %v", read.Mean(), dense.Mean())
	}
}

func BenchmarkObserve(b *testing.B) {
	now := time.Now()
	r := newRecorder(newClock(Job{Start: now}, now), 6, []workload.Target{{}}, 1, 0)
	random := rand.New(rand.NewPCG(1, 2))
	times := make([]time.Duration, 1<<12)
	for i := range times {
		times[i] = exponential(random)
	}
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		r.shard(0).observe(0, i%6, now, times[i%len(times)], workload.Done)
		i++
	}
}
