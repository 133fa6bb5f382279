package result

import (
	"math"
	"slices"
	"time"
)

// Summarise sums each series over the time from from to to, leaving out values
// that are not known and series that have none. The operation series are left
// out: Trial.Operations sums them exactly.
func Summarise(all []Series, from, to time.Time) []ResourceSummary {
	var out []ResourceSummary
	for _, s := range all {
		if s.Kind == "operation" {
			continue
		}
		values := known(s.Between(from.UnixMilli()-s.Start, to.UnixMilli()-s.Start))
		if len(values) == 0 {
			continue
		}
		slices.Sort(values)
		out = append(out, ResourceSummary{
			Kind: s.Kind, Name: s.Name, Metric: s.Metric, Unit: s.Unit,
			Mean: mean(values), P95: nearestRank(values, 0.95), Max: values[len(values)-1],
		})
	}
	return out
}

// Between gives the values at times in [from, to], milliseconds since the
// common start.
func (s Series) Between(from, to int64) []float64 {
	low, _ := slices.BinarySearch(s.Times, from)
	high, found := slices.BinarySearch(s.Times, to)
	if found {
		high++
	}
	if low >= high || high > len(s.Values) {
		return nil
	}
	return s.Values[low:high]
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
