package result

import (
	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// CorrectedTimes are response times of a closed loop with those that a stall hid: users
// who wait begin no work, which would have waited as well (coordinated omission).
// Times are in seconds.
type CorrectedTimes struct {
	// Interval is the time from one such operation of a user to the next one
	// outside the stall, and Added how many operations were added.
	Interval float64 `json:"interval"`
	Added    int64   `json:"added"`

	Mean      float64 `json:"mean"`
	P50       float64 `json:"p50"`
	P90       float64 `json:"p90"`
	P95       float64 `json:"p95"`
	P99       float64 `json:"p99"`
	P999      float64 `json:"p999"`
	Max       float64 `json:"max"`
	Histogram string  `json:"histogram"`
}

// Correct adds the times that the operation hid by taking least seconds or longer: for a
// time v it adds v-interval, v-2*interval and so on down to the interval, as HdrHistogram's
// correction for an expected interval does. It is nil if there is nothing to correct or no
// histogram.
func (o OperationSummary) Correct(interval, least float64) *CorrectedTimes {
	raw, err := DecodeHistogram(o.Histogram)
	if err != nil || !(interval > 0) || raw.TotalCount() == 0 {
		return nil
	}
	all := NewHistogram()
	all.Merge(raw)
	for _, bar := range raw.Distribution() {
		if v := seconds(float64(bar.To)); bar.Count > 0 && v >= least {
			addHidden(all, v, interval, bar.Count)
		}
	}
	text, err := EncodeHistogram(all)
	if err != nil || all.TotalCount() == raw.TotalCount() {
		return nil
	}
	return &CorrectedTimes{
		Interval: interval, Added: all.TotalCount() - raw.TotalCount(), Histogram: text,
		Mean: Mean(all), P50: Quantile(all, 0.5), P90: Quantile(all, 0.9), P95: Quantile(all, 0.95),
		P99: Quantile(all, 0.99), P999: Quantile(all, 0.999), Max: seconds(float64(all.Max())),
	}
}

// mostSteps bounds the work of a correction. A longer one takes steps of several intervals,
// each standing for as many times.
const mostSteps = 10_000

func addHidden(h *hdr.Histogram, v, interval float64, count int64) {
	together := max(1, int64(v/interval)/mostSteps)
	step := interval * float64(together)
	for at := v - step; at >= interval; at -= step {
		RecordTimes(h, at, count*together)
	}
}

// Judged is the summary whose times the objectives are held against: the corrected
// ones where there are any.
func (o OperationSummary) Judged() OperationSummary {
	if c := o.Corrected; c != nil {
		o.Mean, o.P50, o.P90, o.P95, o.P99, o.P999, o.Max = c.Mean, c.P50, c.P90, c.P95, c.P99, c.P999, c.Max
		o.Histogram = c.Histogram
	}
	return o
}
