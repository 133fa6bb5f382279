package driver

import (
	"testing"
	"time"

	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
)

// Memory is given back once, when all users have connected, and never while measuring: a
// collection would be among what users wait for.
func TestMemoryIsGivenBackBeforeMeasuring(t *testing.T) {
	start := time.Now()
	job := Job{Users: 2, Targets: make([]workload.Target, 2), Start: start, Ramp: unit.Duration(10 * time.Second), Measure: unit.Duration(10 * time.Second)}
	for _, c := range []struct {
		connected int64
		after     time.Duration
		want      bool
	}{{3, 5 * time.Second, false}, {4, 5 * time.Second, true}, {4, 11 * time.Second, false}, {4, 21 * time.Second, true}} {
		r := &reporter{driver: &driver{job: job, clock: newClock(job, start)}}
		r.driver.connected.Store(c.connected)
		if r.tidy(start.Add(c.after)); r.tidied != c.want {
			t.Errorf("%d of 4 users connected after %v: given back %v, want %v", c.connected, c.after, r.tidied, c.want)
		}
	}
}
