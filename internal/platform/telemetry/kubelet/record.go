package kubelet

import (
	"cmp"
	"math"
	"slices"
	"time"

	"plimsoll/internal/platform/telemetry"
	"plimsoll/internal/result"
)

// recorder keeps series by the moments of the kubelets.
type recorder struct {
	start  time.Time
	series map[topic]*result.Series
	before map[counter]total
	fresh  []result.Series // of the answer being recorded, one value each
}

type topic struct{ machine, kind, name, metric string }

// counter is a quantity that only grows, of one thing.
type counter struct {
	machine string
	thing   thing
	metric  string
}

type total struct {
	at    time.Time
	value float64
}

func newRecorder(start time.Time) *recorder {
	return &recorder{start: start, series: map[topic]*result.Series{}, before: map[counter]total{}}
}

// add writes a value of a moment in the campaign's clock, unless the one before is
// of the same moment or the value is not known.
func (r *recorder) add(t topic, at time.Time, v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return
	}
	s := r.series[t]
	if s == nil {
		s = &result.Series{
			Kind: t.kind, Name: t.name, Metric: t.metric, Machine: t.machine,
			Unit: telemetry.Unit(t.kind, t.metric), Start: r.start.UnixMilli(),
		}
		r.series[t] = s
	}
	ms := at.Sub(r.start).Milliseconds()
	if n := len(s.Times); n > 0 && ms <= s.Times[n-1] {
		return
	}
	s.Times, s.Values = append(s.Times, ms), append(s.Values, v)
	one := *s
	one.Times, one.Values = []int64{ms}, []float64{v}
	r.fresh = append(r.fresh, one)
}

// since gives the increase of a counter since the previous moment, and how many seconds
// that is; NaN if there is no new reading, or the counter was reset. It must be asked once
// for each reading.
func (r *recorder) since(c counter, at time.Time, v float64) (added, seconds float64) {
	last, known := r.before[c]
	if known && !at.After(last.at) {
		return math.NaN(), math.NaN()
	}
	r.before[c] = total{at, v}
	if !known || v < last.value {
		return math.NaN(), math.NaN()
	}
	return v - last.value, at.Sub(last.at).Seconds()
}

// all gives the series, sorted.
func (r *recorder) all() []result.Series {
	out := make([]result.Series, 0, len(r.series))
	for _, s := range r.series {
		out = append(out, *s)
	}
	slices.SortFunc(out, func(x, y result.Series) int {
		return cmp.Or(cmp.Compare(x.Machine, y.Machine), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Name, y.Name), cmp.Compare(x.Metric, y.Metric))
	})
	return out
}

// resolution is the mean time between the values of a series, over all; 0 when none
// has two.
func (r *recorder) resolution() time.Duration {
	length, steps := int64(0), 0
	for _, s := range r.series {
		if n := len(s.Times); n > 1 {
			length += s.Times[n-1] - s.Times[0]
			steps += n - 1
		}
	}
	if steps == 0 {
		return 0
	}
	return time.Duration(length/int64(steps)) * time.Millisecond
}
