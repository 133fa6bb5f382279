package followup

import (
	"testing"

	"plimsoll/internal/analysis"
)

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
