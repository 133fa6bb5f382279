package driver

import (
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/workload"
)

// Histograms have the range and precision of package result's, so that they
// merge, but are sparse: a few kilobytes instead of 180 each.
const histogramDigits = 3

func newHistogram() *hdr.PackedHistogram {
	return hdr.NewPacked(1, result.HistogramMax, histogramDigits)
}

// recordTime counts a time in nanoseconds. A time out of range counts as the nearest in
// range.
func recordTime(h *hdr.PackedHistogram, d time.Duration) {
	_ = h.RecordValue(min(max(1, d.Nanoseconds()), result.HistogramMax)) // cannot fail within the range
}

// counts is how often something ended how.
type counts struct {
	done, rolledBack int64
	bytes            int64            // of payload; of an instance only
	errors           map[string]int64 // nil until there is one
	times            *hdr.PackedHistogram
}

func newCounts() counts { return counts{times: newHistogram()} }

func (c *counts) add(d time.Duration, outcome workload.Outcome) {
	if outcome == workload.RolledBack {
		c.rolledBack++
	} else {
		c.done++
	}
	recordTime(c.times, d)
}

func (c *counts) fail(class string) { c.failed(class, 1) }

func (c *counts) failed(class string, n int64) {
	if c.errors == nil {
		c.errors = map[string]int64{}
	}
	c.errors[class] += n
}

// merge adds what others counted.
func (c *counts) merge(o *counts) {
	c.done += o.done
	c.rolledBack += o.rolledBack
	c.bytes += o.bytes
	for class, n := range o.errors {
		c.failed(class, n)
	}
	_ = c.times.Merge(o.times) // of the same range, so that nothing is dropped
}

// instanceCounts counts one target's units of work and the operations that they consist of.
type instanceCounts struct {
	counts
	parts map[int]*counts // by operation; nil until one ended
}

// part returns the counts of an operation.
func (c *instanceCounts) part(operation int) *counts {
	if operation == whole {
		return &c.counts
	}
	p := c.parts[operation]
	if p == nil {
		if c.parts == nil {
			c.parts = map[int]*counts{}
		}
		fresh := newCounts()
		p = &fresh
		c.parts[operation] = p
	}
	return p
}

func (c *instanceCounts) merge(o *instanceCounts) {
	c.counts.merge(&o.counts)
	for operation, p := range o.parts {
		c.part(operation).merge(p)
	}
}

func (c *counts) empty() bool { return c.done == 0 && c.rolledBack == 0 && c.errors == nil }

func (c *counts) reset() {
	c.done, c.rolledBack, c.errors = 0, 0, nil
	c.times.Reset()
}

// tally counts the units and operations that ended in one slot.
type tally struct {
	slot       slot
	operations []counts
	bytes      []int64                 // by operation
	efforts    map[int]describe.Effort // by operation; nil until there is one
	units      []int64                 // ended, by target
	late       lateness
}

func newTally(operations, targets int) *tally {
	t := &tally{operations: make([]counts, operations), bytes: make([]int64, operations), units: make([]int64, targets)}
	for i := range t.operations {
		t.operations[i] = newCounts()
	}
	return t
}

// reuse empties a tally for another slot.
func (t *tally) reuse(s slot) *tally {
	t.slot, t.late = s, lateness{}
	for i := range t.operations {
		t.operations[i].reset()
	}
	clear(t.bytes)
	t.efforts = nil
	clear(t.units)
	return t
}

// merge adds what ended in the same slot elsewhere.
func (t *tally) merge(o *tally) {
	for i := range t.operations {
		t.operations[i].merge(&o.operations[i])
		t.bytes[i] += o.bytes[i]
	}
	for i, e := range o.efforts {
		t.spend(i, e)
	}
	for i, n := range o.units {
		t.units[i] += n
	}
	t.late.merge(o.late)
}

// spend adds an effort to an operation's.
func (t *tally) spend(operation int, e describe.Effort) {
	if t.efforts == nil {
		t.efforts = map[int]describe.Effort{}
	}
	t.efforts[operation] = t.efforts[operation].Plus(e)
}

// lateness sums by how much sleepers woke too late.
type lateness struct {
	count    int64
	sum, max time.Duration
}

func (l *lateness) add(d time.Duration) {
	d = max(0, d)
	l.count++
	l.sum += d
	l.max = max(l.max, d)
}

// beyond counts a unit that took longer than the gap to the next one, if there is such a
// gap.
func (l *lateness) beyond(took, gap time.Duration) {
	if gap > 0 && took > gap {
		l.add(took - gap)
	}
}

func (l *lateness) merge(o lateness) {
	l.count += o.count
	l.sum += o.sum
	l.max = max(l.max, o.max)
}

func (l lateness) mean() time.Duration {
	if l.count == 0 {
		return 0
	}
	return l.sum / time.Duration(l.count)
}
