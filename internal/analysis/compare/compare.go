// Package compare compares one run, or one variant, with another: which differences are
// more than chance, which differences the trials could have shown, and whether conditions
// for continuous integration hold. It takes two runs and returns a Comparison.
package compare

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"plimsoll/internal/analysis/compare/family"
	"plimsoll/internal/analysis/compare/sides"
	"plimsoll/internal/analysis/grade"
	"plimsoll/internal/analysis/say/warning"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// Side is one of the two things compared.
type Side = sides.Side

// Options define what counts as a difference.
type Options struct {
	// Alpha is the level of the verdict as a whole; 0 takes 0.05.
	Alpha float64
	// Effect is the smallest relative change of the first question's metric at one
	// rung that matters; 0 takes 0.1. A comparison that shows no difference and
	// could not have seen one so large is inconclusive.
	Effect float64
	// MinGrade refuses a verdict that rests on trials of a worse grade, A to F;
	// empty refuses none.
	MinGrade string
	// Margin is the relative change that may be left open where a condition passes;
	// 0 takes the limit of each condition.
	Margin float64
	// FailIf are expressions such as "p95 > +5%"; see family.ParseCondition.
	FailIf []family.Condition
}

// Comparison compares B with A.
type Comparison struct {
	A    string `json:"a"`    // the reference, as named by the user
	B    string `json:"b"`    // the side under judgement, as named by the user
	Unit string `json:"unit"` // of throughput
	// Work is the workload's own description.
	Work  describe.Profile `json:"work"`
	Noun  string           `json:"noun"`  // what a rung counts, singular: "instance"
	Alpha float64          `json:"alpha"` // the level of the verdict as a whole
	// Effect is the smallest relative change that matters.
	Effect float64 `json:"effect"`
	// Margin is the relative change that may be left open where a condition passes; a
	// condition whose limit is wider has that. 0 is the limit of each.
	Margin float64 `json:"margin,omitempty"`
	// GradeA and GradeB are the worst grades of the trials compared; empty for
	// published results.
	GradeA string `json:"grade_a"`
	GradeB string `json:"grade_b"`
	// Differs are the settings in which the two sides differ, in words.
	Differs []string `json:"differs"`
	// LoadLines hold the lines of each variant against each other.
	LoadLines []LinePair `json:"load_lines"`
	// Questions are the basis of the verdict: one metric each, over all rungs.
	Questions []family.Question `json:"questions"`
	// Differences, by variant, rung and metric, throughput first.
	Differences []family.Difference `json:"differences"`
	// Shape holds a run against a published result, in place of questions and differences.
	Shape []Likeness `json:"shape,omitempty"`
	// Verdict sums the questions up: worse if any is worse, else better if any is
	// better.
	Verdict family.Verdict `json:"verdict"`
	Text    string         `json:"text"` // the verdict in words
	// Lost are the rungs at which every trial of one side failed.
	Lost []sides.LostRung `json:"lost,omitempty"`
	// Apart says what only one side measured: variants, rungs, statistics.
	Apart []string `json:"apart,omitempty"`
	// Failed are the conditions that hold, in words; Passed those that are ruled
	// out; Undecided those that the trials neither show nor rule out.
	Failed    []string        `json:"failed"`
	Passed    []string        `json:"passed,omitempty"`
	Undecided []string        `json:"undecided"`
	Warnings  []trust.Warning `json:"warnings"` // where the sides differ in more than they should

	conditions int             // that were asked about
	variants   []sides.Variant // compared with each other
}

// Inconclusive reports whether a condition is undecided or, without conditions, whether
// there is a difference that matters.
func (c *Comparison) Inconclusive() bool {
	if c.conditions > 0 {
		return len(c.Undecided) > 0
	}
	return c.Verdict == family.Inconclusive || c.Verdict == family.Untested
}

// ErrIncomparable says that two sides share no rung.
var ErrIncomparable = errors.New("compare: the two sides have no rung in common with passed trials of the same variant, so there is nothing to compare; name the variants with RUN:VARIANT, or measure the same rungs")

var errSame = errors.New("name another run, or two variants with RUN:VARIANT")

// Runs compares b with a. The verdict answers one question for each primary metric, over
// all common rungs (see family.Ask); the other metrics are shown next to it. A run and a
// published result are compared in shape. The comparison is returned along with any
// *grade.RefusedError.
func Runs(a, b sides.Side, o Options) (*Comparison, error) {
	if a.Run == nil || b.Run == nil {
		return nil, trust.ErrNothing
	}
	a.Run, b.Run = a.Run.Apart(), b.Run.Apart()
	if a.Is(b) {
		return nil, fmt.Errorf("compare: A and B are the same: %s; %w", a.Name(), errSame)
	}
	o = o.withDefaults()
	ea, eb := trust.Sift(a.Run), trust.Sift(b.Run)
	if ea.Any(trial.Published) != eb.Any(trial.Published) {
		return inShape(a, b, ea, eb, o)
	}
	variants := sides.Variants(a, b, ea, eb)
	var all []sides.Pair
	for i := range variants {
		all = append(all, variants[i].Pairs()...)
	}
	gone := sides.LostRungs(variants)
	if len(all)+len(gone) == 0 {
		return nil, ErrIncomparable
	}
	if err := sameUnits(all); err != nil {
		return nil, err
	}
	whole := sides.Whole(variants)
	work := whole[0].A[0].Profile
	c := &Comparison{
		A: a.Name(), B: b.Name(), Unit: work.Unit.Throughput, Work: work, Noun: setup.Noun(ea), Alpha: o.Alpha, Effect: o.Effect,
		Margin: max(o.Margin, 0), Lost: gone,
		conditions: len(o.FailIf), variants: variants, Failed: []string{}, Undecided: []string{}, Differs: sides.Differing(whole[0], a.Run, b.Run),
		Warnings: append(append(comparability(ea, eb, all, whole), ea.Damage...), eb.Damage...),
	}
	c.Apart = c.apart(a, b)
	families := family.Group(all)
	c.Questions = family.Ask(families, family.Primary(ea), c.Alpha)
	c.Differences = family.Differences(families, c.Alpha)
	c.LoadLines = linePairs(variants)
	c.Verdict, c.Text = sumUp(c)
	if len(o.FailIf) > 0 {
		c.holdLost()
	}
	c.hold(family.Hold(o.FailIf, families, family.Terms{Alpha: c.Alpha, Margin: c.Margin, Answered: c.answered, Phrase: c.phrase}))
	return c, c.grade(all, ea, eb, o.MinGrade)
}

// hold adds what became of the conditions.
func (c *Comparison) hold(o family.Outcome) {
	c.Failed, c.Passed, c.Undecided = append(c.Failed, o.Failed...), append(c.Passed, o.Passed...), append(c.Undecided, o.Undecided...)
}

// sameUnits refuses to hold one kind of work against the other.
func sameUnits(all []sides.Pair) error {
	for _, p := range all {
		if ua, ub := p.A[0].Profile.Unit, p.B[0].Profile.Unit; ua != ub {
			return fmt.Errorf("compare: one side counts %s in %s and the other %s in %s, which cannot be compared; compare runs of the same workload", ua.Plural, ua.Throughput, ub.Plural, ub.Throughput)
		}
	}
	return nil
}

func (o Options) withDefaults() Options {
	if o.Alpha <= 0 || o.Alpha >= 1 {
		o.Alpha = 0.05
	}
	if o.Effect <= 0 {
		o.Effect = 0.1
	}
	return o
}

// grade sets the grades of both sides and refuses a comparison that rests on
// worse ones than asked for.
func (c *Comparison) grade(all []sides.Pair, a, b *trust.Evidence, minimum string) error {
	var ta, tb []*result.Trial
	for _, p := range all {
		ta, tb = append(ta, p.A...), append(tb, p.B...)
	}
	wa, ga := gradesOf(a, ta)
	wb, gb := gradesOf(b, tb)
	c.GradeA, c.GradeB = ga, gb
	warning.Write(c.Warnings)
	warnings := append(wa, wb...)
	warning.Write(warnings)
	return grade.Refusal(max(ga, gb), minimum, warnings)
}

// gradesOf gives the warnings about some trials and the worst of their grades.
func gradesOf(e *trust.Evidence, trials []*result.Trial) (about []trust.Warning, worst string) {
	warnings := e.Doubts()
	grades := trust.Grades(e.Run.Trials, warnings)
	for _, t := range trials {
		worst = max(worst, grades[t.ID])
	}
	for _, w := range warnings {
		if slices.ContainsFunc(trials, func(t *result.Trial) bool { return t.ID == w.Trial }) {
			about = append(about, w)
		}
	}
	return about, worst
}

// comparability warns where the two sides differ in more than they should: at the
// common rungs, and in the whole of each variant.
//
// Needs: Settings, machines and data of the common rungs, as recorded.
func comparability(a, b *trust.Evidence, all, whole []sides.Pair) []trust.Warning {
	warnings := []trust.Warning{}
	add := func(severity trust.Severity, form trust.Form, args ...trust.Arg) {
		warnings = append(warnings, trust.Warn(trust.Comparability, severity, form, args...))
	}
	la, lb := whole[0].A[0].Variant.Load, whole[0].B[0].Variant.Load
	if la.Users != lb.Users || la.ThinkTime != lb.ThinkTime {
		add(trust.Caution, trust.DifferentLoad, trust.Count(la.Users), trust.Seconds(la.ThinkTime.D().Seconds()), trust.Count(lb.Users), trust.Seconds(lb.ThinkTime.D().Seconds()))
	}
	if da, db := firstDataset(a.Run), firstDataset(b.Run); da != db {
		add(trust.Caution, trust.DifferentData, trust.Name(da), trust.Name(db))
	}
	if a.Cores != 0 && b.Cores != 0 && a.Cores != b.Cores {
		add(trust.Caution, trust.DifferentMachines, trust.Number(a.Cores), trust.Number(b.Cores))
	}
	if fa, fb := failedBeside(all, true), failedBeside(all, false); fa+fb > 0 {
		add(trust.Serious, trust.DifferentFailures, trust.Count(fa), trust.Count(fb))
	}
	if len(all) == 0 {
		return warnings
	}
	if !takeTurns(all) {
		add(trust.Note, trust.DifferentTimes)
	}
	return warnings
}

func failedBeside(all []sides.Pair, ofA bool) (failed int) {
	for _, p := range all {
		if ofA {
			failed += p.FailedA
		} else {
			failed += p.FailedB
		}
	}
	return failed
}

// takeTurns reports whether neither side was over before the other began; not known
// counts as true.
func takeTurns(all []sides.Pair) bool {
	var first, last [2]int64
	for i := range first {
		first[i], last[i] = math.MaxInt64, math.MinInt64
	}
	for _, p := range all {
		for i, trials := range [2][]*result.Trial{p.A, p.B} {
			for _, t := range trials {
				if t.Begun.IsZero() || trial.Published(t) {
					return true
				}
				first[i], last[i] = min(first[i], t.Begun.UnixNano()), max(last[i], t.Begun.UnixNano())
			}
		}
	}
	return first[0] <= last[1] && first[1] <= last[0]
}

func firstDataset(run *result.Run) string {
	for _, t := range run.Trials {
		if t.Dataset != "" {
			return t.Dataset
		}
	}
	return ""
}
