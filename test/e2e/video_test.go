package e2e

import (
	"strings"
	"testing"
	"time"

	"plimsoll/internal/result"
)

// onStreams is four capture streams on the smallest dispersed pool there is.
const onStreams = `study: onstreams
workload: {name: video, parameters: {rate: 400kB, read_size: 16KiB, history: 1MB, segment: 4s}}
storage:
  pool: {class: gluster, peers: 6, geometry: 4+2, disk: {media: ssd-sas, size: 1GiB}, options: {network.ping-timeout: "5"}}
ladder: {of: users, rungs: [4]}
phases: {warmup: 2s, measure: 20s, ramp_rate: 0}
objectives: ["rate >= 50%"]
faults: [{at: 3s, do: kill peer 2}, {at: 10s, do: restart peer 2}]
`

// A peer of the pool is killed under streams, and comes back: frames are late, and the
// events say how many; none that was acknowledged is lost, and none was left out.
func TestPeerKilledUnderStreams(t *testing.T) {
	t.Parallel()
	needPool(t, "native")
	s := newSite(t)
	const run = "streams-e2e"
	s.plimsoll(0, "run", s.write("onstreams.yaml", onStreams), "--name", run, "--min-grade", "F", "--error-limit", "1")
	trial := s.trial(run, "pool/4/1")
	contains(t, eventsOf(trial), "fault: kill peer 2", "fault: restart peer 2", "healed: full redundancy")
	o := trial.Whole()
	if !trial.OpenLoop || o.Offered != 4*10*20 {
		t.Errorf("%d operations were offered by 4 streams in 20 s", o.Offered)
	}
	if a := trial.Audit; !a.Passed || a.Acknowledged == 0 || a.Present != a.Acknowledged {
		t.Errorf("audit: %+v", a)
	}
	if done := o.Count + failures(o) + o.Waiting; done < o.Offered {
		t.Errorf("of %d operations that were due %d ended, %d failed and %d waited", o.Offered, o.Count, failures(o), o.Waiting)
	}
	t.Logf("%d frames acknowledged, %d present; %d of %d operations done, %d failed, %d waited; %d later than the next was due, the latest by %v: %s",
		trial.Audit.Acknowledged, trial.Audit.Present, o.Count, o.Offered, failures(o), o.Waiting, laterThan(t, o, 100*time.Millisecond), o.Max, behind(trial))
}

func failures(o result.OperationSummary) (n int64) {
	for _, count := range o.Errors {
		n += count
	}
	return n
}

// laterThan counts the units of work that took longer than a time from when they were due.
func laterThan(t *testing.T, o result.OperationSummary, d time.Duration) (n int64) {
	t.Helper()
	h, err := result.DecodeHistogram(o.Histogram)
	if err != nil {
		t.Fatal(err)
	}
	for _, bar := range h.Distribution() {
		if bar.From > d.Microseconds() {
			n += bar.Count
		}
	}
	return n
}

// behind is what the driver's event says of late operations.
func behind(t *result.Trial) string {
	for _, e := range t.Events {
		if strings.Contains(e.Text, "ended after the next one of their user was due") {
			return e.Text
		}
	}
	return "no operation was late"
}
