package driver

import (
	"time"

	"plimsoll/internal/result"
)

// pendingUnits counts the units that had not ended at the end of the measured phase: units
// that users were in, and in the open loop units that were due and not begun. Their
// response times are unknown, and at least their ages. The zero value is none.
type pendingUnits struct {
	counts  *counts // nil where there are none
	offered int64   // that were due in the measured phase of an open loop
	oldest  time.Duration
}

// ages returns the ages of its units.
func (w *pendingUnits) ages() *counts {
	if w.counts == nil {
		none := newCounts()
		w.counts = &none
	}
	return w.counts
}

func (w *pendingUnits) add(age time.Duration) {
	at := w.ages()
	recordTime(at.times, age)
	at.done++
	w.oldest = max(w.oldest, age)
}

// merge adds what waits elsewhere.
func (w *pendingUnits) merge(o *pendingUnits) {
	w.offered += o.offered
	if o.counts == nil {
		return
	}
	w.ages().merge(o.counts)
	w.oldest = max(w.oldest, o.oldest)
}

// waits counts a unit that had begun, or was due, before the end of the
// measured phase and had not ended by then.
func (r *recorder) waits(target int, since time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting[target].add(r.clock.end().Sub(since))
}

// writeWaiting writes the units that waited when the measured phase ended, and
// those that were due in it. A driver that ended before has nothing to say of
// that moment.
func (r *reporter) writeWaiting(now time.Time) {
	d := r.driver
	if now.Before(d.clock.end()) {
		return
	}
	by := d.recorder.waiting
	for n, s := range d.schedules {
		w := &by[n*len(by)/len(d.schedules)] // as many of each target
		s.untaken(d.clock.end(), w.add)
		w.offered += s.offered(d.clock.start.Add(d.clock.measure), d.clock.end())
	}
	var all pendingUnits
	for n := range by {
		all.merge(&by[n])
	}
	r.write(result.Record{Kind: result.KindWaiting, Second: d.clock.slot(now).second, Waiting: r.waitingRecord(&all)})
}

// waitingAt returns the pending units of a target, or nil if they are not requested or
// there are none.
func (r *reporter) waitingAt(target int) *result.WaitingRecord {
	w := &r.driver.recorder.waiting[target]
	if r.driver.job.Tolerate == 0 || w.counts == nil && w.offered == 0 {
		return nil
	}
	return r.waitingRecord(w)
}

func (r *reporter) waitingRecord(w *pendingUnits) *result.WaitingRecord {
	at := w.ages()
	histogram, err := r.encoder.encode(at.times)
	r.keep(err)
	return &result.WaitingRecord{Count: at.done, Offered: w.offered, Oldest: w.oldest.Seconds(), Histogram: histogram}
}
