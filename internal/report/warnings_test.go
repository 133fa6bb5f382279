package report

import (
	"testing"

	"plimsoll/internal/analysis/trust"
)

func TestWarningsOfOneKindAreSaidOnce(t *testing.T) {
	groups := groupWarnings([]trust.Warning{
		{Trial: "a/1/1", Kind: "late", Severity: "caution", Text: "6 % were late"},
		{Trial: "a/2/1", Kind: "late", Severity: "caution", Text: "9 % were late"},
		{Trial: "a/2/1", Kind: "late", Severity: "serious", Text: "60 % were late"},
		{Kind: "reference", Severity: "note", Text: "means only"},
	})
	want := []string{
		"60 % were late (a/2/1)",
		"6 % were late (a/1/1; likewise, with other figures, in 1 more trial)",
		"means only",
	}
	if len(groups) != len(want) {
		t.Fatalf("%d groups: %+v", len(groups), groups)
	}
	for i, g := range groups {
		if g.sentence(nil) != want[i] {
			t.Errorf("%q, want %q", g.sentence(nil), want[i])
		}
	}
}
