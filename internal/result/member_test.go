package result

import (
	"slices"
	"testing"

	"plimsoll/internal/describe"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

// tiled is a run with a trial of two tiles, each of three shops and a bulk.
func tiled() *Run {
	members := []study.Member{{Name: "shop", Weight: 3, Load: study.Load{Users: 2}}, {Name: "bulk", Weight: 1}}
	v := study.Variant{Name: "ssd", Members: members}
	t := &Trial{
		ID: "ssd/2/1", Variant: v, Rung: 2, Repetition: 1,
		Resources: []ResourceSummary{
			{Kind: "cpu", Metric: "utilisation"}, {Kind: "instance", Name: "shop-db-000", Metric: "cpu"}, {Kind: "instance", Name: "bulk-db-000", Metric: "cpu"},
			{Kind: "instance", Name: "bulk-instance-000", Metric: "units"}, {Kind: "driver", Name: "bulk-driver-0", Metric: "late"}, {Kind: "driver", Name: "bulk-driver-0", Metric: "cpu"},
		},
		Evidence: []Evidence{{Member: "bulk"}},
		Members: []Member{
			{Name: "shop", Profile: describe.Profile{Operations: []string{"order"}}, Operations: map[string]OperationSummary{"order": {Count: 7, Histogram: "x", Max: 1}}},
			{Name: "bulk", Unaudited: "the site is not ours"},
		},
	}
	p := &plan.Plan{
		Study: &study.Study{Members: members}, Variants: []study.Variant{v}, Trials: []plan.Trial{{ID: "ssd/2/1", Variant: "ssd", Rung: 2, Repetition: 1}},
		Facts: map[string]plan.Facts{"ssd.shop": {InstanceMemory: 1}, "ssd.bulk": {InstanceMemory: 2}},
	}
	return &Run{Plan: p, Trials: []*Trial{t}}
}

func TestARunOfMembersIsOneOfEachAlone(t *testing.T) {
	whole := tiled()
	runs := whole.Tile()
	if len(runs) != 2 || runs[0].Member() != "shop" || runs[0].Tiles(6) != 2 {
		t.Fatalf("runs are %+v", runs)
	}
	shop, p := runs[0].Trials[0], runs[0].Plan
	if shop.ID != "ssd.shop/2/1" || shop.Variant.Name != "ssd.shop" || shop.Rung != 6 || shop.Whole().Count != 7 || len(shop.Evidence) != 0 || shop.Variant.Load.Users != 2 {
		t.Errorf("the trial of the shop is %+v", shop)
	}
	if p.Variants[0].Name != "ssd.shop" || p.Facts["ssd.shop"].InstanceMemory != 1 || p.Trials[0].ID != shop.ID || p.Trials[0].Rung != 6 || len(p.Study.Members) != 0 {
		t.Errorf("the plan of the shop is %+v", p)
	}
	var names []string
	for _, r := range shop.Resources {
		names = append(names, r.Kind+" "+r.Name)
	}
	if want := []string{"cpu ", "instance db-000", "instance bulk-db-000", "driver bulk-driver-0"}; !slices.Equal(names, want) {
		t.Errorf("resources are %v, want %v", names, want)
	}
	if bulk := runs[1].Trials[0]; bulk.Unaudited == "" || len(bulk.Evidence) != 1 || bulk.Rung != 2 {
		t.Errorf("the trial of bulk is %+v", bulk)
	}
	if whole.Origin(shop) != whole.Trials[0] || whole.Trials[0].ID != "ssd/2/1" || whole.Plan.Trials[0].ID != "ssd/2/1" {
		t.Error("the whole run has changed")
	}
	if apart := whole.Apart(); len(apart.Trials) != 2 || len(apart.Plan.Variants) != 2 || len(apart.Plan.Trials) != 2 || apart.Trial("ssd.bulk/2/1") == nil {
		t.Errorf("apart it is %+v", apart.Plan)
	}
}

// What was measured of a member alone, and planned, is a run of its own, and no part of the tile's.
func TestAMemberMeasuredAlone(t *testing.T) {
	whole := tiled()
	one := *whole.Trials[0]
	one.ID, one.Alone, one.Rung, one.Members = "ssd/alone-shop/1", "shop", 1, one.Members[:1]
	whole.Trials = append(whole.Trials, &one)
	for _, member := range []string{"shop", "bulk"} {
		whole.Plan.Trials = append(whole.Plan.Trials, plan.Trial{ID: "ssd/alone-" + member + "/1", Variant: "ssd", Rung: 1, Alone: member, Repetition: 1})
	}
	tile, alone := whole.Tile(), whole.Alone()
	if len(tile[0].Trials) != 1 || len(tile[0].Plan.Trials) != 1 || len(whole.Apart().Trials) != 2 {
		t.Errorf("the tile has %+v of %+v", tile[0].Trials, tile[0].Plan.Trials)
	}
	if len(alone) != 2 || len(alone[0].Trials) != 1 || len(alone[1].Trials) != 0 || len(alone[1].Plan.Trials) != 1 {
		t.Fatalf("alone there are %+v", alone)
	}
	shop := alone[0].Trials[0]
	if shop.ID != "ssd.shop/alone-shop/1" || shop.Rung != 3 || alone[0].Plan.Trials[0].ID != shop.ID || whole.Origin(shop) != &one {
		t.Errorf("the shop alone is %+v", shop)
	}
	one.Schema, one.Repetition, one.Status, one.Rung = SchemaVersion, 1, Failed, 2
	if one.check(one.ID) == nil {
		t.Error("two tiles of a member alone are accepted")
	}
	if all := tiled().Alone(); len(all) != 0 {
		t.Errorf("nothing was measured alone: %+v", all)
	}
}

func TestARunWithoutMembersIsTheOnlyOne(t *testing.T) {
	run := &Run{Plan: &plan.Plan{Study: &study.Study{}}, Trials: []*Trial{{ID: "a.b/1/1"}}}
	if all := run.Tile(); len(all) != 1 || all[0] != run || run.Apart() != run || run.Origin(run.Trials[0]) != run.Trials[0] {
		t.Errorf("runs are %v", all)
	}
}

func TestMembersShedWhatTheirTrialDoes(t *testing.T) {
	trial := tiled().Trials[0]
	lean := trial.Shed()
	if got := lean.Members[0].Operations["order"]; got.Histogram != "" || got.Count != 7 || trial.Members[0].Operations["order"].Histogram != "x" {
		t.Errorf("shed: %+v, and of the trial itself %+v", got, trial.Members[0].Operations["order"])
	}
}

func TestAuditsOfMembersAddUp(t *testing.T) {
	var whole Audit
	whole.Summary.Passed = true
	whole.Add(&Audit{Member: "shop", Summary: AuditSummary{Passed: true, Instances: 2, Present: 3, Text: "fine"}})
	whole.Add(&Audit{Member: "bulk", Summary: AuditSummary{Instances: 1, Present: 4, Text: "instance 0: lost"}})
	whole.Add(&Audit{Member: "web", Summary: AuditSummary{Passed: true, Instances: 1, Text: "fine"}})
	if s := whole.Summary; s.Passed || s.Instances != 4 || s.Present != 7 || s.Text != "bulk: instance 0: lost" || whole.of("shop").Summary.Text != "fine" {
		t.Errorf("together they are %+v", s)
	}
}

// One member that could not be audited leaves it open whether all did; a loss of another is
// known all the same.
func TestAuditsThatCouldNotBeMadeAddUp(t *testing.T) {
	fine, gone, lost := AuditSummary{Passed: true, Text: "fine"}, AuditSummary{Uncounted: "it is gone", Text: "not counted"}, AuditSummary{Text: "lost"}
	for _, c := range []struct {
		all             []AuditSummary
		passed, failed  bool
		uncounted, text string
	}{
		{[]AuditSummary{fine, gone, fine}, false, false, "it is gone", "b: not counted"},
		{[]AuditSummary{gone, gone}, false, false, "it is gone", "a: not counted; b: not counted"},
		{[]AuditSummary{gone, lost, fine}, false, true, "", "b: lost"},
		{[]AuditSummary{lost, gone}, false, true, "", "a: lost"},
		{[]AuditSummary{fine, fine}, true, false, "", "a: fine; b: fine"},
	} {
		whole := Audit{Summary: AuditSummary{Passed: true}}
		for i, s := range c.all {
			whole.Add(&Audit{Member: string(rune('a' + i)), Summary: s})
		}
		if s := whole.Summary; s.Passed != c.passed || s.Failed() != c.failed || s.Uncounted != c.uncounted || s.Text != c.text {
			t.Errorf("%+v are together %+v", c.all, s)
		}
	}
}
