package analysis

import (
	"fmt"
	"math"
	"sort"
)

// sumUp is the verdict over all rungs, from what a reader cares for: the
// throughput, times and errors of the whole order. Of many comparisons some
// show a difference by chance, so only those count here that hold against
// their number.
func sumUp(c *Comparison) (Verdict, string) {
	whole := ofOrders(c.Differences)
	holding := discoveries(whole, c.Alpha)
	worst, best := largest(holding, Worse), largest(holding, Better)
	switch {
	case worst != nil && best != nil:
		return Worse, fmt.Sprintf("`%s` is worse than `%s` in %s and better in %s.", c.B, c.A, c.phrase(worst), c.phrase(best))
	case worst != nil:
		return Worse, fmt.Sprintf("`%s` is worse than `%s`: %s.", c.B, c.A, c.phrase(worst))
	case best != nil:
		return Better, fmt.Sprintf("`%s` is better than `%s`: %s.", c.B, c.A, c.phrase(best))
	}
	alone, tested := 0, 0
	for _, d := range whole {
		if d.Verdict == Better || d.Verdict == Worse {
			alone++
		}
		if d.Verdict != Untested {
			tested++
		}
	}
	switch {
	case tested == 0:
		return Untested, fmt.Sprintf("Too few repetitions to show any difference between `%s` and `%s`: at this level it takes four on each side. The largest change of the medians is %s.", c.A, c.B, c.phrase(largest(whole, Untested)))
	case alone > 0:
		return NoDifference, fmt.Sprintf("No difference between `%s` and `%s` was shown: %d of %d comparisons stand out, as chance alone can make them.", c.A, c.B, alone, len(whole))
	}
	return NoDifference, fmt.Sprintf("No difference between `%s` and `%s` was shown.", c.A, c.B)
}

func ofOrders(all []Difference) []*Difference {
	var out []*Difference
	for i := range all {
		if all[i].Operation == "order" {
			out = append(out, &all[i])
		}
	}
	return out
}

// discoveries are the differences that hold with a false discovery rate of
// alpha (Benjamini and Hochberg, "Controlling the False Discovery Rate", JRSS
// B 57(1), 1995).
func discoveries(all []*Difference, alpha float64) []*Difference {
	sorted := append([]*Difference{}, all...)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].P < sorted[j].P })
	holding := 0
	for i, d := range sorted {
		if d.P <= alpha*float64(i+1)/float64(len(sorted)) {
			holding = i + 1
		}
	}
	return sorted[:holding]
}

// largest is the difference with the given verdict that changed most.
func largest(all []*Difference, v Verdict) *Difference {
	var out *Difference
	for _, d := range all {
		if d.Verdict == v && (out == nil || math.Abs(d.Change.Value) > math.Abs(out.Change.Value)) {
			out = d
		}
	}
	return out
}

// phrase writes one difference: "p95 at 8 instances +12 % (+8 to +17 %)".
func (c *Comparison) phrase(d *Difference) string {
	text := d.Metric
	if d.Operation != "order" {
		text = d.Operation + " " + text
	}
	if d.Variant != "" {
		text += " on `" + d.Variant + "`"
	}
	return fmt.Sprintf("%s at %s %s", text, count(d.Instances, c.Noun), changeText(d.Metric, d.Change))
}

func changeText(metric string, i Interval) string {
	unit := "%"
	if metric == "errors" {
		unit = "points"
	}
	text := fmt.Sprintf("%+.1f %s", i.Value*100, unit)
	if i.Confidence > 0 && i.Low != i.High {
		text += fmt.Sprintf(" (%+.1f to %+.1f)", i.Low*100, i.High*100)
	}
	return text
}
