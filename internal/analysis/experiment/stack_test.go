package experiment

import (
	"testing"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// A limit that throttles one role is that role's bottleneck, and the experiment
// changes that role's limit.
func TestLimitsAreJudgedByRole(t *testing.T) {
	made := &result.Trial{
		Variant: study.Variant{Name: "a", Application: study.Application{Stack: map[string]study.Engine{"web": {Name: "w", CPU: 2}, "db": {Name: "d", CPU: 0.5}}}},
		Part:    result.Part{Servers: []result.Server{{Role: "db", CPU: 0.5, Count: 1, Limited: true}, {Role: "web", CPU: 2, Count: 2, Limited: true}, {Role: "cache", Count: 1}}},
		Resources: []result.ResourceSummary{
			{Kind: "instance", Name: "db-000", Metric: "cpu", Mean: 0.49},
			{Kind: "instance", Name: "db-001", Metric: "cpu", Mean: 0.3},
			{Kind: "instance", Name: "web-000-0", Metric: "cpu", Mean: 0.4},
			{Kind: "instance", Name: "web-000-1", Metric: "cpu", Mean: 0.8},
			{Kind: "instance", Name: "cache-000", Metric: "cpu", Mean: 5},
		},
	}
	var all []resource.Resource
	for _, r := range resource.Collect(&trust.Evidence{Run: &result.Run{}, Cores: 8}, []*result.Trial{made}) {
		if r.Kind == "quota" {
			all = append(all, r)
		}
	}
	if len(all) != 2 || all[0].Role != "db" || all[0].Utilisation != 0.98 || all[1].Role != "web" || all[1].Utilisation != 0.4 {
		t.Fatalf("limits are %+v", all)
	}
	s := &setup.Subject{Evidence: &trust.Evidence{Run: &result.Run{Trials: []*result.Trial{made}}}}
	v := &model.Variant{Name: "a"}
	e := (Experiment{Top: all[0]}).moreQuota(s, v)
	if e.Path != "stack.db.cpu" || e.From != "0.5" || e.To != "1" || e.Server.Stateless {
		t.Errorf("the experiment is %+v", e)
	}
	if path, ok := s.ServerPath(v, "", "cpu"); ok {
		t.Errorf("of several roles %s was chosen", path)
	}
}
