package telemetry

import (
	"cmp"
	"slices"

	"plimsoll/internal/result"
)

// Join puts the pieces of series together, which must come in the order of their
// times, and sorts them by machine, kind, name and metric. A quantity that two
// sources measure is taken from the first: pieces of one source share their
// slice.
func Join(sources ...[]result.Series) []result.Series {
	type topic struct{ machine, kind, name, metric string }
	type place struct{ at, source int }
	places := map[topic]place{}
	var out []result.Series
	for source, pieces := range sources {
		for _, s := range pieces {
			t := topic{s.Machine, s.Kind, s.Name, s.Metric}
			p, known := places[t]
			switch {
			case !known:
				places[t] = place{len(out), source}
				s.Times, s.Values = slices.Clip(s.Times), slices.Clip(s.Values) // copied only when something follows
				out = append(out, s)
			case p.source == source:
				out[p.at].Times, out[p.at].Values = append(out[p.at].Times, s.Times...), append(out[p.at].Values, s.Values...)
			}
		}
	}
	slices.SortFunc(out, func(x, y result.Series) int {
		return cmp.Or(cmp.Compare(x.Machine, y.Machine), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Name, y.Name), cmp.Compare(x.Metric, y.Metric))
	})
	return out
}
