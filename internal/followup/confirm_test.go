package followup

import (
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/study"
)

// An experiment measures the rung of its finding, of what the ladder counts, and answers what
// its setting changes.
func TestStudyOfAnExperiment(t *testing.T) {
	base := study.Study{
		Question: "How many workers?", Answer: study.Answer{Kind: study.Comparison, Factor: "storage"},
		Ladder: study.Ladder{Of: study.OfUsers, Auto: true, To: 64}, Repetitions: 1,
	}
	v := study.Variant{Factors: map[string]string{"engine.cpu": "2", "storage": "ssd"}}
	st, err := experimentStudy(&base, v, analysis.Change{Path: "engine.cpu", From: "2", To: "1", Rungs: []int{8}})
	if err != nil {
		t.Fatal(err)
	}
	if l := st.Ladder; l.Of != study.OfUsers || l.Auto || len(l.Rungs) != 1 || l.Rungs[0] != 8 {
		t.Errorf("%+v", l)
	}
	if a := st.Asks(); a.Kind != study.Effect || a.Factor != "engine.cpu" || st.Question == base.Question || st.Repetitions != confirmations {
		t.Errorf("%+v %q %d", a, st.Question, st.Repetitions)
	}
}

// What may relieve a bottleneck is measured after what proves it, each by itself.
func TestExperimentsOfAFinding(t *testing.T) {
	proof := analysis.Change{Path: "storage.a.media", From: "slow", To: "fast"}
	beside := analysis.Change{Path: "storage.a.memory", From: "1GiB", To: "2GiB", Beside: true}
	for name, c := range map[string]struct {
		f    analysis.Finding
		want []analysis.Change
	}{
		"both":    {analysis.Finding{ID: "x", Change: &proof, Beside: []analysis.Change{beside}}, []analysis.Change{proof, beside}},
		"no more": {analysis.Finding{ID: "x", Beside: []analysis.Change{beside}}, []analysis.Change{beside}},
		"none":    {analysis.Finding{ID: "x"}, nil},
	} {
		all, ids := experiments(c.f), map[string]bool{}
		for i, f := range all {
			if i >= len(c.want) || f.Change.Path != c.want[i].Path || f.Change.To != c.want[i].To || ids[f.ID] {
				t.Errorf("%s: %+v", name, f)
			}
			ids[f.ID] = true
		}
		if len(all) != len(c.want) {
			t.Errorf("%s: %d experiments", name, len(all))
		}
	}
}
