package analysis

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll/internal/analysis/answer/verdict"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/study"
)

// laddered makes a variant that keeps a mean of 200 ms up to a rung.
func laddered(name string, kept int) (all []sample) {
	for n := 1; n <= 16; n *= 2 {
		mean := 0.05
		if n > kept {
			mean = 0.5
		}
		all = append(all, sample{name, n, float64(1000 * min(n, kept)), mean, false, nil})
	}
	return all
}

func TestHeadline(t *testing.T) {
	var many []sample
	for i, kept := range []int{2, 8, 1, 4} {
		many = append(many, laddered(fmt.Sprintf("v%d", i), kept)...)
	}
	for _, c := range []struct {
		name       string
		objectives []study.Objective
		samples    []sample
		want       string
	}{
		{"one", meanBelow(0.2), laddered("a", 4), "Within mean ≤ 200 ms, `a` carries 4 to 7 instances."},
		{"open", meanBelow(0.2), laddered("a", 16), "Within mean ≤ 200 ms, `a` carries at least 16 instances."},
		{"two", meanBelow(0.2), append(laddered("a", 2), laddered("b", 8)...), "Within mean ≤ 200 ms, `b` carries 8 to 15 instances and `a` 2 to 3."},
		{"alike", meanBelow(0.2), append(laddered("a", 2), laddered("b", 2)...), "Within mean ≤ 200 ms, both `a` and `b` carry 2 to 3 instances."},
		{"many", meanBelow(0.2), many, "Within mean ≤ 200 ms, `v1` carries the most of 4 variants, 8 to 15 instances, and `v2` the fewest, 1; nothing was repeated."},
		{"no objective", nil, append(laddered("a", 2), laddered("b", 8)...), "`b` reaches the most, 8,000 OPM at 8 instances, and `a` the least, 2,000 OPM at 2 instances."},
		{"failed", meanBelow(0.2), []sample{{"a", 1, 0, 0, true, nil}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := Analyse(madeUp(c.objectives, c.samples...), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if a.Headline != c.want {
				t.Errorf("got  %s\nwant %s", a.Headline, c.want)
			}
		})
	}
}

// The reason for a grade is the gravest of the trials that the verdict rests on.
func TestGradeReason(t *testing.T) {
	a := &Analysis{
		Grade:    "D",
		Variants: []Variant{{Name: "a", LoadLine: loadline.LoadLine{Rung: 4, Next: 8}}},
		Trials: []TrialInfo{
			{ID: "a/2/1", Variant: "a", Rung: 2, Grade: "F"}, {ID: "a/4/1", Variant: "a", Rung: 4, Grade: "B"},
			{ID: "a/8/1", Variant: "a", Rung: 8, Grade: "D"}, {ID: "a/8/2", Variant: "a", Rung: 8, Grade: "D"},
		},
		Warnings: []trust.Warning{
			{Trial: "a/2/1", Severity: trust.Serious, Text: "not of the verdict"}, {Trial: "a/4/1", Severity: trust.Serious, Text: "of a better trial"},
			{Trial: "a/8/1", Severity: trust.Caution, Text: "less grave"}, {Trial: "a/8/1", Severity: trust.Serious, Text: "the driver was late"},
			{Trial: "a/8/2", Severity: trust.Serious, Text: "the driver was late"},
		},
	}
	if got := verdict.GradeReason(a); got != "the driver was late (2 trials)" {
		t.Errorf("the reason is %q", got)
	}
	a.Trials[3].Grade = "C"
	if got := verdict.GradeReason(a); !strings.HasSuffix(got, "(a/8/1)") {
		t.Errorf("the reason is %q", got)
	}
}
