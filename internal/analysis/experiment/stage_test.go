package experiment

import (
	"testing"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// A stage that limits is relieved by what the workload names for it; of a setting of servers
// the study has the value.
func TestStagesAreRelieved(t *testing.T) {
	hints := []describe.Hint{
		{Resource: "stage", Role: "checksum", Parameter: "workload.parameters.checksum", From: "md5", To: "none"},
		{Resource: "stage", Role: "send", Parameter: "stack.source.settings.link_rate", To: "10gbit"},
	}
	for name, c := range map[string]struct {
		stage, rate string
		want        Experiment
	}{
		"a checksum":              {"checksum", "", Experiment{Path: "workload.parameters.checksum", From: "md5", To: "none"}},
		"a link":                  {"send", "1gbit", Experiment{Path: "stack.source.settings.link_rate", From: "1gbit", To: "10gbit"}},
		"the fastest link":        {"send", "10gbit", Experiment{}},
		"a link of nobody's":      {"send", "", Experiment{}},
		"what nothing is said of": {"write", "", Experiment{}},
	} {
		v := &model.Variant{Name: "a", Work: describe.Profile{Hints: hints}}
		variant := study.Variant{Name: "a", Application: study.Application{Stack: map[string]study.Engine{"source": {Settings: map[string]string{}}}}}
		if c.rate != "" {
			variant.Stack["source"].Settings["link_rate"] = c.rate
		}
		s := &setup.Subject{Evidence: &trust.Evidence{Run: &result.Run{Trials: []*result.Trial{{Variant: variant}}}}}
		top := resource.Resource{Kind: resource.WayStage, Step: &resource.Step{Name: c.stage, Named: true}}
		if got := (Experiment{Top: top}).liftStage(s, v); got.Kind != LiftStage || got.Path != c.want.Path || got.From != c.want.From || got.To != c.want.To {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
