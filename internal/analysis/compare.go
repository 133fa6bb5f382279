package analysis

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/perf/benchmath"

	"plimsoll/internal/result"
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
	// Alpha is the level of the test; 0 takes 0.05.
	Alpha float64
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
	// Untested: too few repetitions for a test at this level, or none at all.
	Untested Verdict = "too few repetitions"
)

// Comparison is B held against A.
type Comparison struct {
	A     string  `json:"a"`
	B     string  `json:"b"`
	Unit  string  `json:"unit"`
	Noun  string  `json:"noun"`
	Alpha float64 `json:"alpha"`
	// Differences, by variant, rung and metric, throughput first.
	Differences []Difference `json:"differences"`
	// Verdict sums them up: worse if any shown difference of throughput or of
	// a whole order's time is worse, else better if any is better.
	Verdict Verdict `json:"verdict"`
	Text    string  `json:"text"`
	// Failed are the conditions that hold, in words; empty means a pass.
	Failed   []string  `json:"failed"`
	Warnings []Warning `json:"warnings"`
}

// Difference is one metric of one rung.
type Difference struct {
	Variant   string   `json:"variant,omitempty"`
	Instances int      `json:"instances"`
	Operation string   `json:"operation"` // "order" for the whole
	Metric    string   `json:"metric"`    // throughput, mean, p50, p90, p95, p99, p99.9, errors
	A         Interval `json:"a"`
	B         Interval `json:"b"`
	// Change is B/A - 1 of the medians with a bootstrap interval; for errors
	// the difference of the shares.
	Change  Interval `json:"change"`
	P       float64  `json:"p"` // Mann-Whitney U test
	NA      int      `json:"n_a"`
	NB      int      `json:"n_b"`
	Verdict Verdict  `json:"verdict"`
}

// ErrIncomparable says that two sides share no rung.
var ErrIncomparable = errors.New("compare: the two sides share no rung with passed trials of a common variant, so there is nothing to hold against each other; name the variants with RUN:VARIANT, or measure the same rungs")

// Compare holds b against a: per rung, operation and metric the difference of
// the medians with an interval and a non-parametric test, as benchmath does.
func Compare(a, b Side, o CompareOptions) (*Comparison, error) {
	if a.Run == nil || b.Run == nil {
		return nil, ErrNothing
	}
	if o.Alpha <= 0 || o.Alpha >= 1 {
		o.Alpha = benchmath.DefaultThresholds.CompareAlpha
	}
	sa, sb := newSubject(a.Run, Options{Unit: o.Unit}), newSubject(b.Run, Options{Unit: o.Unit})
	if sa.unit != sb.unit {
		return nil, fmt.Errorf("compare: one side counts %s and the other %s, which cannot be held against each other; compare runs of the same workload", sa.unit.name, sb.unit.name)
	}
	warnings := append(append(comparability(sa, sb), sa.damage...), sb.damage...)
	c := &Comparison{A: a.label(), B: b.label(), Unit: sa.unit.name, Noun: sa.noun, Alpha: o.Alpha, Failed: []string{}, Warnings: warnings}
	all := pairs(a, b)
	each := make([][]Difference, len(all))
	parallel(len(all), func(i int) { each[i] = differences(all[i], sa, sb, o.Alpha) })
	c.Differences = slices.Concat(each...)
	if len(c.Differences) == 0 {
		return nil, ErrIncomparable
	}
	c.Verdict, c.Text = sumUp(c)
	for _, f := range o.FailIf {
		c.Failed = append(c.Failed, f.violations(c)...)
	}
	return c, nil
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

// comparability warns where the two sides differ in more than they should.
func comparability(a, b *subject) []Warning {
	warnings := []Warning{}
	add := func(text string, args ...any) {
		warnings = append(warnings, Warning{Kind: "comparability", Severity: severityCaution, Text: fmt.Sprintf(text, args...)})
	}
	ua, za := a.usersOf("")
	ub, zb := b.usersOf("")
	if ua != ub || za != zb {
		add("the load differs: %d users thinking %s against %d thinking %s", ua, seconds(za), ub, seconds(zb))
	}
	if da, db := firstDataset(a.run), firstDataset(b.run); da != db {
		add("the data set differs: %s against %s", da, db)
	}
	if a.cores != 0 && b.cores != 0 && a.cores != b.cores {
		add("the machines differ: %s cores against %s", figures(a.cores), figures(b.cores))
	}
	if a.anyTrial(published) != b.anyTrial(published) {
		add("one side is a published result of other hardware: compare shapes and conclusions rather than figures")
	}
	return warnings
}

func firstDataset(run *result.Run) string {
	for _, t := range run.Trials {
		if t.Dataset != "" {
			return t.Dataset
		}
	}
	return ""
}
