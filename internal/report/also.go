package report

import (
	"slices"
	"strings"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/describe"
	"plimsoll/internal/text/words"
)

// also is another way in which work is counted, besides the throughput that verdicts
// rest on.
type also struct {
	head  string
	rung  func(rung.Rung) stats.Interval   // zero where it has none
	trial func(analysis.TrialInfo) float64 // the same
}

// alsoCounted lists variants' additional throughputs: of fixed work until the first user
// finished; without the workload's optional operations; of data moved, if throughput counts
// something else; and the drivers' own ceiling, with the cores that they used for it and
// with the store.
func alsoCounted(work describe.Profile, variants []analysis.Variant) []also {
	all := []also{
		{"stonewalled", func(r rung.Rung) stats.Interval { return r.Stonewalled }, func(t analysis.TrialInfo) float64 { return t.Stonewalled }},
		{"without " + strings.Join(work.Optional, ", "), func(r rung.Rung) stats.Interval { return r.Without }, func(t analysis.TrialInfo) float64 { return t.Without }},
		{"MB/s", func(r rung.Rung) stats.Interval { return r.Payload }, func(t analysis.TrialInfo) float64 { return t.Payload }},
		ofDrivers("driver alone", func(c *rung.Ceiling) float64 { return c.Throughput.Value }),
		ofDrivers("alone MB/s", func(c *rung.Ceiling) float64 { return c.Payload }),
		ofDrivers("alone cores", func(c *rung.Ceiling) float64 { return c.CPU }),
		ofDrivers("driver cores", func(c *rung.Ceiling) float64 { return c.Used }),
	}
	return slices.DeleteFunc(all, func(o also) bool {
		return !slices.ContainsFunc(variants, func(v analysis.Variant) bool {
			return slices.ContainsFunc(v.Rungs, func(r rung.Rung) bool { return o.rung(r).Value != 0 })
		})
	})
}

// ofDrivers is a figure of the drivers' ceiling, or a related one.
func ofDrivers(head string, figure func(*rung.Ceiling) float64) also {
	of := func(c *rung.Ceiling) float64 {
		if c == nil {
			return 0
		}
		return figure(c)
	}
	return also{head, func(r rung.Rung) stats.Interval { return stats.Exactly(of(r.Ceiling)) }, func(t analysis.TrialInfo) float64 { return of(t.Ceiling) }}
}

// column is a column of the table of rungs.
func (o also) column(write func(stats.Interval) string) rungColumn {
	return rungColumn{o.head, func(r rung.Rung) cell {
		if i := o.rung(r); i.Value != 0 {
			return cell{text: write(i)}
		}
		return cell{text: words.Missing}
	}}
}
