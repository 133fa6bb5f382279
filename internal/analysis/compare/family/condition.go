// This file decides whether the conditions of continuous integration hold in a comparison:
// each fails it, passes, or stays undecided.

package family

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/study"
)

// Condition is a reason to fail a comparison, for continuous integration.
type Condition struct {
	Operation string  // empty for the unit of work
	Metric    string  // throughput, mean, p50, p90, p95, p99, p99.9, errors
	Above     bool    // ">": the change lies above Change; else below
	Change    float64 // relative: 0.05 for +5%
	Text      string  // as written
}

// conditionMetrics are those that a condition may name.
var conditionMetrics = []string{"throughput", "mean", "p50", "p90", "p95", "p99", "p99.9", "errors"}

// beforeSign finds the word that stands where a metric should.
var beforeSign = regexp.MustCompile(`^\s*(?:\S+\s+)?([^\s<>]+)\s*[<>]`)

// nearMetric asks whether another metric was meant.
//
// Needs: A condition on a metric that one side lacks.
func nearMetric(text string) string {
	m := beforeSign.FindStringSubmatch(text)
	if m == nil || slices.Contains(conditionMetrics, m[1]) {
		return ""
	}
	if near := study.Nearest(m[1], conditionMetrics); near != "" {
		return " (there is no metric " + strconv.Quote(m[1]) + ": did you mean " + near + "?)"
	}
	return ""
}

var conditionPattern = regexp.MustCompile(`^\s*(?:([a-z][a-z0-9_-]*)\s+)?(throughput|mean|p50|p90|p95|p99|p99\.9|errors)\s*([<>])\s*([+-]?[0-9]*\.?[0-9]+)\s*%\s*$`)

// ParseCondition reads "p95 > +5%", "throughput < -3%", "login mean > +10%" or
// "errors > +0.1%" (of errors, the difference of the shares).
func ParseCondition(text string) (Condition, error) {
	m := conditionPattern.FindStringSubmatch(text)
	if m == nil {
		return Condition{}, fmt.Errorf("%q is not a condition%s: write [OPERATION] METRIC > +N%% or METRIC < -N%%, with a metric of throughput, mean, p50, p90, p95, p99, p99.9 or errors, such as \"p95 > +5%%\"", text, nearMetric(text))
	}
	v, err := strconv.ParseFloat(m[4], 64)
	if err != nil || !stats.IsFinite(v) {
		return Condition{}, fmt.Errorf("%q is not a condition: %q is not a number", text, m[4])
	}
	return Condition{Operation: m[1], Metric: m[2], Above: m[3] == ">", Change: v / 100, Text: strings.TrimSpace(text)}, nil
}

// Terms are the criteria of a comparison, and how it writes its results.
type Terms struct {
	// Alpha is the level of the verdict as a whole.
	Alpha float64
	// Margin is the relative change that may be left open where a condition passes; 0 is
	// the limit of each.
	Margin float64
	// Answered and Phrase write a mean change and the change at one rung.
	Answered func(Question) string
	Phrase   func(*Difference) string
}

// Outcome is what became of conditions, in words.
type Outcome struct {
	Failed    []string // those that hold
	Passed    []string // those that are ruled out
	Undecided []string // those that the trials neither show nor rule out
}

// Hold judges each condition by intervals, never by medians alone. It holds where
// a mean change over the rungs, or the change at one rung, lies beyond the limit with
// its whole one-sided interval; half of the level is for the means, half for the rungs. It
// passes where the one-sided interval of every rung, at the level of the comparison, stays
// within the margin, and no mean change lies beyond the limit (Schuirmann, "A Comparison of
// the Two One-Sided Tests Procedure and the Power Approach for Assessing the Equivalence of
// Average Bioavailability", Journal of Pharmacokinetics and Biopharmaceutics 15(6), 1987).
// Anything between is undecided. The conditions share the level of the terms.
func Hold(conditions []Condition, families []*Family, by Terms) (all Outcome) {
	for _, f := range conditions {
		f.hold(families, by, by.Alpha/float64(len(conditions)), &all)
	}
	return all
}

func (f Condition) hold(families []*Family, by Terms, alpha float64, all *Outcome) {
	i := slices.IndexFunc(families, func(of *Family) bool {
		return (of.Operation == f.Operation || of.Whole && f.Operation == "") && of.Metric == f.Metric
	})
	if i < 0 {
		all.Undecided = append(all.Undecided, say.F("%s: no rung has this metric on both sides", f.Text))
		return
	}
	if held := f.violations(families[i], by, alpha); len(held) > 0 {
		all.Failed = append(all.Failed, held...)
		return
	}
	g := gate{f, by, families[i]}
	if g.passes() {
		all.Passed = append(all.Passed, g.pass())
	} else {
		all.Undecided = append(all.Undecided, g.doubt())
	}
}

// violations are the changes beyond the limit, in words.
func (f Condition) violations(of *Family, by Terms, alpha float64) []string {
	var out []string
	half := alpha / 2
	if len(of.Rungs) == 1 {
		half = alpha
	}
	names, rungs := of.Variants()
	for _, name := range names {
		mean := of.Contrast.Mean(rungs[name])
		change := of.Change(mean, 1-2*half/float64(len(names)))
		if len(of.Rungs) > 1 && mean.Known() && f.beyond(farEnd(change, !f.Above)) {
			q := Question{Variant: name, Metric: f.name(), Rungs: len(rungs[name]), Change: of.Change(mean, stats.Confidence)}
			out = append(out, say.F("%s: %s", f.Text, by.Answered(q)))
		}
	}
	for i, e := range of.Contrast.Each {
		if e.Known() && f.beyond(farEnd(of.Change(e, 1-2*half/float64(len(of.Rungs))), !f.Above)) {
			d := of.Difference(i, alpha)
			out = append(out, say.F("%s: %s", f.Text, by.Phrase(&d)))
		}
	}
	return out
}

func (f Condition) name() string {
	if f.Operation == "" {
		return f.Metric
	}
	return f.Operation + " " + f.Metric
}

// farEnd is the upper bound, or the lower one.
func farEnd(i stats.Interval, upper bool) float64 {
	if upper {
		return i.High
	}
	return i.Low
}

func (f Condition) beyond(change float64) bool {
	if f.Above {
		return change > f.Change
	}
	return change < f.Change
}
