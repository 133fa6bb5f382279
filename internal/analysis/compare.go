package analysis

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"plimsoll/internal/result"
	"plimsoll/internal/words"
)

// Side is one of the two things compared: a variant of a run, or all of its
// trials where Variant is empty and the run has one variant, or the run's
// variants by the same names as those of the other side.
type Side struct {
	Run     *result.Run
	Variant string
	Label   string // for the text; the variant's or run's name when empty
}

// CompareOptions say what a difference is.
type CompareOptions struct {
	// Alpha is the level of the verdict as a whole; 0 takes 0.05.
	Alpha float64
	// Effect is the smallest relative change of the first question's metric at one
	// rung that matters; 0 takes 0.1. A comparison that shows no difference and
	// could not have seen one so large is inconclusive.
	Effect float64
	// MinGrade refuses a verdict that rests on trials of a worse grade, A to F;
	// empty refuses none.
	MinGrade string
	// Unit overrides the workload's unit of throughput.
	Unit string
	// FailIf are expressions such as "p95 > +5%"; see ParseCondition.
	FailIf []Condition
}

// Verdict of a difference, from the view of B.
type Verdict string

// Verdicts. NoDifference means that none was shown, not that there is none.
const (
	Better       Verdict = "better"
	Worse        Verdict = "worse"
	NoDifference Verdict = "no difference shown"
	// Inconclusive: no difference was shown, and one that matters could not have
	// been seen.
	Inconclusive Verdict = "inconclusive"
	// Untested: nothing was repeated, so that nothing tells a difference from
	// chance.
	Untested Verdict = "too few repetitions"
)

// Comparison is B held against A.
type Comparison struct {
	A     string  `json:"a"`     // what is held against: as named by the user
	B     string  `json:"b"`     // what is judged: as named by the user
	Unit  string  `json:"unit"`  // of throughput: "OPM"
	Noun  string  `json:"noun"`  // what a rung counts, singular: "instance"
	Alpha float64 `json:"alpha"` // the level of the verdict as a whole
	// Effect is the smallest relative change that matters.
	Effect float64 `json:"effect"`
	// GradeA and GradeB are the worst grades of the trials compared; empty for
	// published results.
	GradeA string `json:"grade_a"`
	GradeB string `json:"grade_b"`
	// Differs are the settings in which the two sides differ, in words.
	Differs []string `json:"differs"`
	// LoadLines hold the lines of each variant against each other.
	LoadLines []LinePair `json:"load_lines"`
	// Questions are what the verdict rests on: one metric each, over all rungs.
	Questions []Question `json:"questions"`
	// Differences, by variant, rung and metric, throughput first.
	Differences []Difference `json:"differences"`
	// Verdict sums the questions up: worse if any is worse, else better if any is
	// better.
	Verdict Verdict `json:"verdict"`
	Text    string  `json:"text"` // the verdict in words
	// Failed are the conditions that hold, in words; Undecided those that the
	// trials neither show nor rule out.
	Failed    []string  `json:"failed"`
	Undecided []string  `json:"undecided"`
	Warnings  []Warning `json:"warnings"` // where the sides differ in more than they should

	conditions int // that were asked about
}

// Inconclusive says that a condition is undecided or, without conditions, whether
// there is a difference that matters.
func (c *Comparison) Inconclusive() bool {
	if c.conditions > 0 {
		return len(c.Undecided) > 0
	}
	return c.Verdict == Inconclusive || c.Verdict == Untested
}

// ErrIncomparable says that two sides share no rung.
var ErrIncomparable = errors.New("compare: the two sides have no rung in common with passed trials of the same variant, so there is nothing to compare; name the variants with RUN:VARIANT, or measure the same rungs")

// Compare holds b against a. The verdict answers one question for each primary
// metric, over all common rungs (see questionsOf); every other metric is shown
// beside them. A *RefusedError comes with the comparison.
func Compare(a, b Side, o CompareOptions) (*Comparison, error) {
	if a.Run == nil || b.Run == nil {
		return nil, ErrNothing
	}
	o = o.withDefaults()
	sa, sb := newSubject(a.Run, Options{Unit: o.Unit}), newSubject(b.Run, Options{Unit: o.Unit})
	if sa.unit != sb.unit {
		return nil, fmt.Errorf("compare: one side counts %s and the other %s, which cannot be compared; compare runs of the same workload", sa.unit.name, sb.unit.name)
	}
	variants := variantPairs(a, b, sa, sb)
	var all []pair
	for i := range variants {
		all = append(all, variants[i].pairs()...)
	}
	if len(all) == 0 {
		return nil, ErrIncomparable
	}
	c := &Comparison{
		A: a.label(), B: b.label(), Unit: sa.unit.name, Noun: sa.noun, Alpha: o.Alpha, Effect: o.Effect,
		conditions: len(o.FailIf), Failed: []string{}, Undecided: []string{}, Differs: differing(all[0], a.Run, b.Run),
		Warnings: append(append(comparability(sa, sb, all), sa.damage...), sb.damage...),
	}
	families := familiesOf(all, sa, sb)
	c.ask(families, sa.primary())
	c.Differences = differencesOf(families, c.Alpha)
	c.LoadLines = linePairs(variants)
	c.Verdict, c.Text = sumUp(c)
	for _, f := range o.FailIf {
		f.hold(c, families, o.Alpha/float64(len(o.FailIf)))
	}
	return c, c.grade(all, sa, sb, o.MinGrade)
}

func (o CompareOptions) withDefaults() CompareOptions {
	if o.Alpha <= 0 || o.Alpha >= 1 {
		o.Alpha = 0.05
	}
	if o.Effect <= 0 {
		o.Effect = 0.1
	}
	return o
}

func (s Side) label() string {
	switch {
	case s.Label != "":
		return s.Label
	case s.Variant != "":
		return s.Variant
	}
	return s.Run.ID
}

// grade sets the grades of both sides and refuses a comparison that rests on
// worse ones than asked for.
func (c *Comparison) grade(all []pair, sa, sb *subject, minimum string) error {
	var ta, tb []*result.Trial
	for _, p := range all {
		ta, tb = append(ta, p.a...), append(tb, p.b...)
	}
	wa, ga := sa.gradesOf(ta)
	wb, gb := sb.gradesOf(tb)
	c.GradeA, c.GradeB = ga, gb
	minimum = strings.ToUpper(strings.TrimSpace(minimum))
	worst := max(ga, gb)
	if minimum == "" || worst <= minimum {
		return nil
	}
	return &RefusedError{Grade: worst, Minimum: minimum, Reasons: gravest(append(wa, wb...))}
}

// gradesOf gives the warnings about some trials and the worst of their grades.
func (s *subject) gradesOf(trials []*result.Trial) (about []Warning, worst string) {
	warnings, grades := s.distrust()
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

// comparability warns where the two sides differ in more than they should.
func comparability(a, b *subject, all []pair) []Warning {
	warnings := []Warning{}
	add := func(severity, text string, args ...any) {
		warnings = append(warnings, Warning{Kind: "comparability", Severity: severity, Text: fmt.Sprintf(text, args...)})
	}
	ua, za := a.usersOf("")
	ub, zb := b.usersOf("")
	if ua != ub || za != zb {
		add(Caution, "the load differs: %d users with a think time of %s against %d with %s", ua, words.Seconds(za), ub, words.Seconds(zb))
	}
	if da, db := firstDataset(a.run), firstDataset(b.run); da != db {
		add(Caution, "the data set differs: %s against %s", da, db)
	}
	if a.cores != 0 && b.cores != 0 && a.cores != b.cores {
		add(Caution, "the machines differ: %s cores against %s", words.Figures(a.cores), words.Figures(b.cores))
	}
	if a.anyTrial(published) != b.anyTrial(published) {
		add(Caution, "one side is a published result from other hardware: compare shapes and conclusions, not figures")
	}
	if fa, fb := failedBeside(all, true), failedBeside(all, false); fa+fb > 0 {
		add(Serious, "failed trials at the common rungs are left out, which favours that side: %d of A and %d of B", fa, fb)
	}
	if !takeTurns(all) {
		add(Note, "one side was measured after the other, so any change to the machine in between counts as a difference; a single study with both as variants alternates between them")
	}
	return warnings
}

func failedBeside(all []pair, ofA bool) (failed int) {
	for _, p := range all {
		if ofA {
			failed += p.failedA
		} else {
			failed += p.failedB
		}
	}
	return failed
}

// takeTurns says that neither side was over before the other began; not known
// counts as true.
func takeTurns(all []pair) bool {
	var first, last [2]int64
	for i := range first {
		first[i], last[i] = math.MaxInt64, math.MinInt64
	}
	for _, p := range all {
		for i, trials := range [2][]*result.Trial{p.a, p.b} {
			for _, t := range trials {
				if t.Begun.IsZero() || published(t) {
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
