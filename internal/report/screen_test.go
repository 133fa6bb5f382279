package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/study"
	"plimsoll/test/screens"
)

// screenOf is what a run with this analysis ends with.
func screenOf(t *testing.T, a *analysis.Analysis, width int) string {
	t.Helper()
	var out bytes.Buffer
	if err := Screen(&out, a, "runs/20261121-101500-study", "runs/20261121-101500-study/report.html", width, false); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// crowded is an analysis with far more of everything than a screen holds.
func crowded() *analysis.Analysis {
	a := *liveFixture()
	long := strings.Repeat("a word or two of ", 40)
	a.Study.Title, a.Study.Question = long, long
	for n := range 60 {
		a.Study.Set = append(a.Study.Set, fmt.Sprintf("workload.parameters.number_%d=%d", n, n))
		v := a.Variants[n%2]
		v.Name = fmt.Sprintf("here-way-streamed-source_format-gzip-storage-number-%d", n)
		v.Label = fmt.Sprintf("1gbit, streamed, gzip with many levels, and a number of %d", n)
		a.Variants = append(a.Variants, v)
		a.Parts = append(a.Parts, model.AnswerPart{Asks: study.Differs, Text: long, Sure: long})
		a.Findings = append(a.Findings, analysis.Finding{Variant: v.Name, Text: long, Next: fmt.Sprint(long, n)})
		a.Warnings = append(a.Warnings, trust.Warning{Severity: trust.Serious, Kind: trust.Cache, Text: fmt.Sprint(long, n), Args: []trust.Arg{trust.Count(n)}})
		a.Trials = append(a.Trials, analysis.TrialInfo{ID: fmt.Sprint(v.Name, "/1/1"), Cause: fmt.Sprint(long, n)})
	}
	a.GradeReason = long
	a.Bound = &model.AnswerBound{Cure: &model.Cure{To: "B", Text: long}}
	return &a
}

// A run ends with one screen, whatever the study, which says how much it leaves out.
func TestARunEndsWithOneScreen(t *testing.T) {
	tiled := *crowded()
	for n := range 60 {
		tiled.Tiles = append(tiled.Tiles, analysis.Tile{
			Variant: fmt.Sprintf("a-store-of-many-drives-number-%d", n), Rung: 2, Next: 4, First: &model.TileBreak{Member: "a-member-with-a-long-name"},
		})
	}
	for name, a := range map[string]*analysis.Analysis{"live": liveFixture(), "reference": referenceFixture(), "nothing": {}, "wide": crowded(), "tiles": &tiled} {
		for _, width := range []int{0, 80, 100, 200} {
			text := screenOf(t, a, width)
			if problem := screens.Exceeds(text); problem != "" {
				t.Errorf("%s at %d columns: %s\n%s", name, width, problem, text)
			}
			within(t, text, clampWidth(width))
			for _, last := range []string{"plimsoll report runs/20261121-101500-study", "report: runs/20261121-101500-study/report.html"} {
				if !strings.Contains(text, last) {
					t.Errorf("%s at %d columns does not say %s:\n%s", name, width, last, text)
				}
			}
		}
	}
	for name, a := range map[string]*analysis.Analysis{"wide": crowded(), "tiles": &tiled} {
		text := strings.Join(strings.Fields(screenOf(t, a, 100)), " ")
		for _, left := range []string{"more variants", "more next steps", "more doubts", " warnings"} {
			if !strings.Contains(text, left) {
				t.Errorf("%s: nothing says how many %s:\n%s", name, left, text)
			}
		}
	}
}

// What has room is there, and is not said to be left out.
func TestAScreenOfAFewHasAll(t *testing.T) {
	text := screenOf(t, liveFixture(), 100)
	if strings.Contains(text, " more ") {
		t.Error(text)
	}
	for _, v := range liveFixture().Variants {
		if !slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool { return strings.HasPrefix(line, v.Name+" ") }) {
			t.Errorf("%s has no row:\n%s", v.Name, text)
		}
	}
}
