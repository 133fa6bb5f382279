package result

import (
	"fmt"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// waitingTotal adds up the units of work that had not ended when the measured phase
// did.
type waitingTotal struct {
	count, offered int64
	oldest         float64
	ages           *hdr.Histogram // nil when there are none
}

func (w *waitingTotal) add(r *WaitingRecord) error {
	h, err := DecodeHistogram(r.Histogram)
	if err != nil {
		return fmt.Errorf("waiting work: %w", err)
	}
	w.count += r.Count
	w.offered += r.Offered
	w.oldest = max(w.oldest, r.Oldest)
	if w.ages == nil {
		w.ages = NewHistogram()
	}
	w.ages.Merge(h)
	return nil
}

// countWaiting gives what waited to the operation that is the unit of work.
func (c *collector) countWaiting() {
	if c.waiting.count == 0 && c.waiting.offered == 0 {
		return
	}
	o := c.operations[c.whole]
	if o == nil {
		o = newOperationTotal()
		c.operations[c.whole] = o
	}
	o.sum.Offered, o.sum.Waiting, o.sum.Oldest = c.waiting.offered, c.waiting.count, c.waiting.oldest
	o.overdue(c.waiting.ages)
}

// overdue counts work that has waited longer than 99 in 100 took, as having
// taken their age, which is the least that they can take. Younger ones tell
// nothing yet, and would only make the times look shorter.
func (o *operationTotal) overdue(ages *hdr.Histogram) {
	o.closeSecond()
	usual := o.whole.ValueAtQuantile(99)
	if o.whole.TotalCount() == 0 {
		usual = 0
	}
	for _, bar := range ages.Distribution() {
		if bar.Count > 0 && bar.To > usual {
			_ = o.whole.RecordValues(bar.To, bar.Count) // of a histogram with the same range
			o.sum.Overdue += bar.Count
		}
	}
}
