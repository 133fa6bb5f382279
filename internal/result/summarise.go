package result

import (
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"plimsoll/internal/describe"
)

// Summarise sums each series over the time from from to to, leaving out values
// that are not known and series that have none. The operation series are left
// out: Trial.Operations sums them exactly.
func Summarise(all []Series, from, to time.Time) []ResourceSummary {
	var out []ResourceSummary
	between := func(s Series) []float64 {
		return finiteValues(s.Between(from.UnixMilli()-s.Start, to.UnixMilli()-s.Start))
	}
	lists := map[string]int{} // of the sessions of a server
	for _, s := range all {
		if s.Kind == describe.TimeKind && s.Metric == describe.SessionsMetric {
			lists[s.Name] = len(between(s))
		}
	}
	for _, s := range all {
		if s.Kind == describe.OperationKind {
			continue
		}
		values := between(s)
		if len(values) == 0 {
			continue
		}
		if server, _, _ := strings.Cut(s.Name, "/"); s.Kind == describe.WaitKind && lists[server] > len(values) {
			values = append(values, make([]float64, lists[server]-len(values))...) // nobody had waited for it yet
		}
		slices.Sort(values)
		out = append(out, ResourceSummary{
			Machine: s.Machine, Kind: s.Kind, Name: s.Name, Metric: s.Metric, Unit: s.Unit,
			Mean: mean(values), P95: nearestRank(values, 0.95), Max: values[len(values)-1],
		})
	}
	return out
}

// finiteValues gives the values that are neither NaN nor infinite.
func finiteValues(values []float64) []float64 {
	out := make([]float64, 0, len(values))
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			out = append(out, v)
		}
	}
	return out
}

// Between gives the values that describe the time from from to to, in
// milliseconds since the common start. A value describes the time since the
// one before it, so it belongs where the middle of that time lies.
func (s Series) Between(from, to int64) []float64 {
	if len(s.Times) != len(s.Values) {
		return nil
	}
	low := sort.Search(len(s.Times), func(i int) bool { return s.middle(i) >= from })
	high := sort.Search(len(s.Times), func(i int) bool { return s.middle(i) > to })
	return s.Values[low:max(low, high)]
}

// middle is the middle of the time that value i describes. The first value is
// taken to describe as long a time as the second.
func (s Series) middle(i int) int64 {
	switch {
	case i > 0:
		return (s.Times[i-1] + s.Times[i]) / 2
	case len(s.Times) > 1:
		return s.Times[0] - (s.Times[1]-s.Times[0])/2
	}
	return s.Times[0]
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// nearestRank is the smallest value that at least the share q of the sorted
// values does not exceed.
func nearestRank(sorted []float64, q float64) float64 {
	rank := int(math.Ceil(q * float64(len(sorted))))
	return sorted[max(rank, 1)-1]
}
