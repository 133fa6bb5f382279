package report

import (
	"bytes"
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/model"
)

// A doubt has the direction of its bound, the figure in its unit, and its trials.
func TestADoubtIsInTheUnitOfTheFigure(t *testing.T) {
	low := analysis.Doubt{Text: "CPU that others used", Bound: bound.TooLowBy(0.12), Range: "2,153 to 2,411 OPM", Trials: []string{"ssd/4/1"}}
	open := analysis.Doubt{Text: "no telemetry", Bound: bound.Unbounded, Trials: []string{"a", "b", "c", "d"}}
	for want, d := range map[string]analysis.Doubt{
		"CPU that others used: up to 12 % too low, 2,153 to 2,411 OPM (ssd/4/1)": low,
		"No telemetry: nothing tells how far it is off (4 trials, first a)":      open,
	} {
		if got := doubtText(d); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Why has a line for each doubt, and each cure once.
func TestWhyListsDoubts(t *testing.T) {
	a := liveFixture()
	a.Bound.Doubts[1].Cure = a.Bound.Cure
	a.Run.Plimsoll, a.Run.AnalysedBy = "0.1.0", "0.2.0"
	var out bytes.Buffer
	if err := Why(&out, a, 200, false); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, want := range []string{
		"Measured by Plimsoll 0.1.0, graded by Plimsoll 0.2.0.", "• Warm-up: up to 6 % too low, 41 to 44 instances (ssd/32/1, ssd/32/2)",
		"→ the same as above", "• Data in memory: up to 2 % too high, 40 to 41 instances",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "That brings 9 % down to 4 %"); n != 1 {
		t.Errorf("the cure is told %d times", n)
	}
}

// The page has a row for each doubt and one for all, with what helps in few words.
func TestTheTableOfDoubts(t *testing.T) {
	g := doubtTable(liveFixture())
	if len(g.rows) != 4 || g.title != "The figure that may be off the most: 41 instances of ssd" {
		t.Fatalf("%d rows, %q", len(g.rows), g.title)
	}
	var texts []string
	for _, c := range pageCells(g.rows[0]) {
		texts = append(texts, strings.Join(append([]string{c.Text}, c.Below...), "; "))
	}
	if got, want := strings.Join(texts, " | "), "Warm-up | 6 % | – | 41 to 44 instances | --set phases.warmup=2m; leaves 4 %, takes about 25 min | ssd/32/1, ssd/32/2"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if all := g.rows[3]; all[0].text != "All together" || all[3].text != "40 to 45 instances" {
		t.Errorf("%+v", all)
	}
	if got := cureCell(analysis.Doubt{Cure: &model.Cure{Idle: true, Left: bound.Unbounded}}).lines; got[0] != "nothing else on the machine" || got[1] != "leaves others open" {
		t.Errorf("%q", got)
	}
	if len(doubtTable(&analysis.Analysis{}).rows) != 0 {
		t.Error("doubts about nothing")
	}
}

// No variant is weaker than the answer: a rung may be off in a direction that does not matter.
func TestNoVariantIsWeakerThanTheAnswer(t *testing.T) {
	a := weakFixture()
	weak := 0
	for _, v := range a.Variants {
		if weakGrade(a, v) != "" {
			weak++
		}
	}
	a.Grade = "B"
	for _, v := range a.Variants {
		if weakGrade(a, v) != "" || weak == 0 {
			t.Errorf("%s is weak though the answer is not; %d were", v.Name, weak)
		}
	}
}
