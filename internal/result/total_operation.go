package result

import (
	"fmt"
	"math"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"plimsoll/internal/describe"
)

// clock is the time axis of series that come from records: the end of each
// second since the common start, as telemetry stamps its rates.
type clock struct {
	start int64 // Unix milliseconds
	times []int64
}

func secondsClock(start time.Time, seconds int) clock {
	times := make([]int64, seconds)
	for i := range times {
		times[i] = int64(i+1) * 1000
	}
	return clock{start: start.UnixMilli(), times: times}
}

// series makes a series of values by second; seconds that are missing at the
// end get the filler.
func (c clock) series(kind, name, metric, unit string, values []float64, filler float64) Series {
	return Series{
		Kind: kind, Name: name, Metric: metric, Unit: unit,
		Start: c.start, Times: c.times, Values: grown(values, len(c.times), filler),
	}
}

// grown lengthens values to n with a filler.
func grown(values []float64, n int, filler float64) []float64 {
	for len(values) < n {
		values = append(values, filler)
	}
	return values
}

// addAt adds v to the value of a second, with zeros before it.
func addAt(values *[]float64, second int, v float64) {
	*values = grown(*values, second+1, 0)
	(*values)[second] += v
}

// setAt sets the value of a second, with NaN before it.
func setAt(values *[]float64, second int, v float64) {
	*values = grown(*values, second+1, math.NaN())
	(*values)[second] = v
}

// operationTotal adds one operation up over drivers and seconds.
type operationTotal struct {
	sum    OperationSummary
	effort describe.Effort
	whole  *hdr.Histogram // of the measured phase

	// What happened by second, in all phases.
	count, rolledBack, errors []float64
	mean, p50, p95, p99       []float64
	// Response times of the present second, all drivers; nil when there are
	// none. They join whole when the second has passed.
	second          int
	measured, other *hdr.PackedHistogram
	lost            int64 // values too large for the histogram

	bursts *burstTotal // of the unit of work; nil without bursts
}

func newOperationTotal() *operationTotal {
	return &operationTotal{whole: NewHistogram(), sum: OperationSummary{Errors: map[string]int64{}}}
}

func (o *operationTotal) add(r Record) error {
	h, err := decodeSparse(r.Histogram)
	if err != nil {
		return fmt.Errorf("operation %q of second %d: %w", r.Operation, r.Second, err)
	}
	if err := holds(h, r.Histogram, r.Count+r.RolledBack); err != nil {
		return fmt.Errorf("operation %q of second %d %w", r.Operation, r.Second, err)
	}
	errors := int64(0)
	for class, n := range r.Errors {
		errors += n
		if r.Phase == Measure {
			o.sum.Errors[class] += n
		}
	}
	if r.Phase == Measure {
		o.sum.Count += r.Count
		o.sum.RolledBack += r.RolledBack
		o.sum.Bytes += r.Bytes
		if r.Effort != nil {
			o.effort = o.effort.Plus(*r.Effort)
		}
	}
	if o.bursts != nil {
		o.bursts.add(r, h)
	}
	addAt(&o.count, r.Second, float64(r.Count))
	addAt(&o.rolledBack, r.Second, float64(r.RolledBack))
	addAt(&o.errors, r.Second, float64(errors))
	o.addSecond(r.Second, h, r.Phase == Measure)
	return nil
}

// addSecond takes the histogram of one record. One that comes after its second
// has passed only counts in the whole.
func (o *operationTotal) addSecond(second int, h *hdr.PackedHistogram, measured bool) {
	if second < o.second {
		if measured {
			o.lost += h.MergeInto(o.whole)
		}
		return
	}
	if second > o.second {
		o.closeSecond()
		o.second = second
	}
	if measured {
		o.measured = o.joined(o.measured, h)
	} else {
		o.other = o.joined(o.other, h)
	}
}

// joined adds h to sum, which may be nil.
func (o *operationTotal) joined(sum, h *hdr.PackedHistogram) *hdr.PackedHistogram {
	if sum == nil {
		return h
	}
	o.lost += sum.Merge(h)
	return sum
}

// closeSecond notes the percentiles of the present second.
func (o *operationTotal) closeSecond() {
	if o.measured != nil {
		o.lost += o.measured.MergeInto(o.whole)
	}
	all := o.measured
	switch {
	case all == nil:
		all = o.other
	case o.other != nil:
		all.Merge(o.other) // of the same range, so that nothing is dropped
	}
	o.measured, o.other = nil, nil
	if all == nil || all.TotalCount() == 0 {
		return
	}
	at := all.ValueAtPercentilesSlice([]float64{50, 95, 99})
	setAt(&o.mean, o.second, Mean(all))
	setAt(&o.p50, o.second, seconds(float64(at[0])))
	setAt(&o.p95, o.second, seconds(float64(at[1])))
	setAt(&o.p99, o.second, seconds(float64(at[2])))
}

func (o *operationTotal) summary() (OperationSummary, error) {
	o.closeSecond()
	s := o.sum
	s.Effort = Spent(o.effort)
	if len(s.Errors) == 0 {
		s.Errors = nil
	}
	if o.whole.TotalCount() == 0 {
		return s, nil
	}
	at := o.whole.ValueAtPercentilesSlice([]float64{50, 90, 95, 99, 99.9})
	s.Mean, s.Max = Mean(o.whole), seconds(float64(o.whole.Max()))
	s.P50, s.P90, s.P95 = seconds(float64(at[0])), seconds(float64(at[1])), seconds(float64(at[2]))
	s.P99, s.P999 = seconds(float64(at[3])), seconds(float64(at[4]))
	text, err := EncodeHistogram(o.whole)
	s.Histogram = text
	if err == nil && o.lost > 0 {
		err = fmt.Errorf("%d response times above %v are not in the percentiles", o.lost, time.Hour)
	}
	return s, err
}

// series is to be called after summary.
func (o *operationTotal) series(name string, c clock) []Series {
	nan := math.NaN()
	return []Series{
		c.series(describe.OperationKind, name, "count", "1/s", o.count, 0),
		c.series(describe.OperationKind, name, "rolled_back", "1/s", o.rolledBack, 0),
		c.series(describe.OperationKind, name, "errors", "1/s", o.errors, 0),
		c.series(describe.OperationKind, name, "mean", "s", o.mean, nan),
		c.series(describe.OperationKind, name, "p50", "s", o.p50, nan),
		c.series(describe.OperationKind, name, "p95", "s", o.p95, nan),
		c.series(describe.OperationKind, name, "p99", "s", o.p99, nan),
	}
}
