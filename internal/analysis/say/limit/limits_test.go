package limit

import (
	"testing"

	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
)

// moved is a variant of a link and a way, with the stage that is its bottleneck; empty for none.
type moved struct{ link, way, stage string }

func analysisOf(all ...moved) *model.Analysis {
	a := &model.Analysis{Factors: []model.Factor{
		{Path: "link", Levels: []model.Level{{Level: "1", Label: "1gbit"}, {Level: "10", Label: "10gbit"}}},
		{Path: "way", Levels: []model.Level{{Level: "direct", Label: "direct"}, {Level: "streamed", Label: "streamed"}, {Level: "kept", Label: "kept"}}},
	}}
	for _, m := range all {
		name := m.link + m.way
		a.Variants = append(a.Variants, model.Variant{Name: name, Factors: map[string]string{"link": m.link, "way": m.way}, Rungs: make([]rung.Rung, 1)})
		cause := &diagnose.Cause{Kind: diagnose.Users}
		if m.stage != "" {
			cause = &diagnose.Cause{Kind: diagnose.Saturated, Resource: "stage " + m.stage, ResourceKind: resource.WayStage}
		}
		a.Findings = append(a.Findings, model.Finding{Kind: "bottleneck", Variant: name, Cause: cause})
	}
	return a
}

func TestWhatLimits(t *testing.T) {
	for name, c := range map[string]struct {
		all  []moved
		want string
	}{
		"one":      {[]moved{{"1", "direct", "send"}}, "Stage send limits it."},
		"all":      {[]moved{{"1", "direct", "send"}, {"1", "streamed", "send"}}, "Stage send limits all of them."},
		"none":     {[]moved{{"1", "direct", ""}, {"1", "streamed", ""}}, "Nothing that was measured limits any of them yet."},
		"by level": {[]moved{{"1", "direct", "send"}, {"10", "direct", ""}, {"1", "streamed", "compress"}, {"10", "streamed", "compress"}}, "Stage compress limits streamed. Stage send limits 1gbit with direct."},
		"few": {
			[]moved{{"1", "direct", "send"}, {"1", "streamed", "compress"}, {"10", "direct", ""}},
			"Stage send limits `1direct`. Stage compress limits `1streamed`. What limits 1 of 3 is not shown.",
		},
		"by several levels": {
			[]moved{{"1", "direct", "send"}, {"1", "streamed", "compress"}, {"1", "kept", "send"}, {"10", "direct", "read"}, {"10", "streamed", "compress"}, {"10", "kept", "read"}},
			"Stage send limits 1gbit with direct and 1gbit with kept. Stage compress limits streamed.",
		},
	} {
		if got := Limits(analysisOf(c.all...)); got != c.want {
			t.Errorf("%s: got  %s\nwant %s", name, got, c.want)
		}
	}
}

// What levels do not tell apart is counted.
func TestLimitsWithoutLevels(t *testing.T) {
	a := analysisOf(moved{"1", "direct", "send"}, moved{"10", "direct", "read"}, moved{"10", "kept", "send"}, moved{"10", "streamed", "read"})
	a.Factors = nil
	if got, want := Limits(a), "Stage send limits 2 of 4. Stage read limits the other 2."; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
