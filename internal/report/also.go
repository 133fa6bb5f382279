package report

import (
	"slices"
	"strings"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/interval"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/words"
)

// also is another way in which work is counted, besides the throughput that verdicts
// rest on.
type also struct {
	head  string
	rung  func(rung.Rung) interval.Interval // zero where it has none
	trial func(analysis.TrialInfo) float64  // the same
}

// alsoCounted are those of an analysis: of fixed work that until the first user finished, the throughput
// without the workload's optional operations, that of the drivers by themselves, and what work
// moved that is counted in something else.
func alsoCounted(a *analysis.Analysis) []also {
	all := []also{
		{"stonewalled", func(r rung.Rung) interval.Interval { return r.Stonewalled }, func(t analysis.TrialInfo) float64 { return t.Stonewalled }},
		{"without " + strings.Join(a.Study.Work.Optional, ", "), func(r rung.Rung) interval.Interval { return r.Without }, func(t analysis.TrialInfo) float64 { return t.Without }},
		{"driver alone", func(r rung.Rung) interval.Interval { return r.Ceiling.Rate() }, func(t analysis.TrialInfo) float64 { return t.Ceiling }},
		{"MB/s", func(r rung.Rung) interval.Interval { return r.Payload }, func(t analysis.TrialInfo) float64 { return t.Payload }},
	}
	return slices.DeleteFunc(all, func(o also) bool {
		return !slices.ContainsFunc(a.Variants, func(v analysis.Variant) bool {
			return slices.ContainsFunc(v.Rungs, func(r rung.Rung) bool { return o.rung(r).Value != 0 })
		})
	})
}

func (o also) text(r rung.Rung, write func(interval.Interval) string) string {
	if i := o.rung(r); i.Value != 0 {
		return write(i)
	}
	return words.Missing
}

func alsoHeads(all []also) (heads []string) {
	for _, o := range all {
		heads = append(heads, o.head)
	}
	return heads
}
