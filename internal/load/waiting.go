package load

import (
	"time"

	"plimsoll/internal/result"
)

// waiting takes the units that had not ended when the measured phase did: those
// that users were in, and in the open loop those that were due and that nobody
// had begun. How long they would have taken nobody knows; it is at least their
// age.
type waiting struct {
	counts counts
	oldest time.Duration
}

func newWaiting() waiting { return waiting{counts: newCounts()} }

func (w *waiting) add(age time.Duration) {
	recordTime(w.counts.times, age)
	w.counts.done++
	w.oldest = max(w.oldest, age)
}

// waits counts a unit that had begun, or was due, before the end of the
// measured phase and had not ended by then.
func (r *recorder) waits(since time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting.add(r.clock.end().Sub(since))
}

// writeWaiting writes the units that waited when the measured phase ended, and
// those that were due in it. A driver that ended before has nothing to say of
// that moment.
func (r *reporter) writeWaiting(now time.Time) {
	c := r.driver.clock
	if now.Before(c.end()) {
		return
	}
	w, offered := &r.driver.recorder.waiting, int64(0)
	for _, s := range r.driver.schedules {
		s.untaken(c.end(), w.add)
		offered += s.offered(c.start.Add(c.measure), c.end())
	}
	histogram, err := r.encoder.encode(w.counts.times)
	r.keep(err)
	r.write(result.Record{Kind: result.KindWaiting, Second: c.slot(now).second, Waiting: &result.WaitingRecord{
		Count: w.counts.done, Offered: offered, Oldest: w.oldest.Seconds(), Histogram: histogram,
	}})
}
