package result

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/internal/describe"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

// tiled is a run with a trial of two tiles, each of three shops and a bulk.
func tiled() (*Run, *Tile) {
	members := []study.Member{{Name: "shop", Weight: 3, Application: study.Application{Load: study.Load{Users: 2}}}, {Name: "bulk", Weight: 1}}
	v := study.Variant{Name: "ssd", Members: members}
	t := &Tile{
		Trial: Trial{
			ID: "ssd/2/1", Variant: v, Rung: 2, Repetition: 1, Status: Failed,
			Resources: []ResourceSummary{
				{Kind: "cpu", Metric: "utilisation"}, {Kind: "instance", Name: "shop-db-000", Metric: "cpu"}, {Kind: "instance", Name: "bulk-db-000", Metric: "cpu"},
				{Kind: "instance", Name: "bulk-instance-000", Metric: "units"}, {Kind: "driver", Name: "bulk-driver-0", Metric: "late"}, {Kind: "driver", Name: "bulk-driver-0", Metric: "cpu"},
			},
			Evidence: []Evidence{{Member: "bulk"}},
		},
		Members: []Member{
			{Name: "shop", Part: Part{Profile: describe.Profile{Operations: []string{"order"}}, Operations: map[string]OperationSummary{"order": {Count: 7, Histogram: "x", Max: 1}}}},
			{Name: "bulk", Part: Part{Unaudited: "the site is not ours"}},
		},
	}
	p := &plan.Plan{
		Study: &study.Study{Members: members}, Variants: []study.Variant{v}, Trials: []plan.Trial{{ID: "ssd/2/1", Variant: "ssd", Rung: 2, Repetition: 1}},
		Facts: map[string]plan.Facts{"ssd.shop": {InstanceMemory: 1}, "ssd.bulk": {InstanceMemory: 2}},
	}
	return &Run{Plan: p, Trials: t.Trials()}, t
}

func TestARunHasTheTrialsOfItsMembers(t *testing.T) {
	whole, tile := tiled()
	runs := whole.Members()
	if len(runs) != 2 || runs[0].Member() != "shop" || runs[0].TilesOf(6) != 2 || runs[0].Instances(2) != 6 {
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
	if all := whole.Tiles(); len(all) != 1 || all[0].ID != "ssd/2/1" || all[0].Rung != 2 || whole.Plan.Trials[0].ID != "ssd/2/1" {
		t.Errorf("the whole trials are %+v", all)
	}
	if len(whole.Of("ssd/2/1")) != 2 || len(whole.Of("ssd.bulk/2/1")) != 1 || len(whole.Of("ssd/2/2")) != 0 {
		t.Error("an identifier names other trials than its own")
	}
	if apart := whole.Apart(); len(apart.Trials) != 2 || len(apart.Plan.Variants) != 2 || len(apart.Plan.Trials) != 2 || apart.Trial("ssd.bulk/2/1") == nil {
		t.Errorf("apart it is %+v", apart.Plan)
	}
	if diff := cmp.Diff(tile, TileOf(whole.Trials...), cmp.AllowUnexported(Trial{})); diff != "" {
		t.Errorf("put together again: %s", diff)
	}
}

// What was measured of a member alone, and planned, is a run of its own, and no part of the tile's.
func TestAMemberMeasuredAlone(t *testing.T) {
	whole, tile := tiled()
	one := *tile
	one.ID, one.Alone, one.Rung, one.Members = "ssd/alone-shop/1", "shop", 1, tile.Members[:1]
	whole.Trials = append(whole.Trials, one.Trials()...)
	for _, member := range []string{"shop", "bulk"} {
		whole.Plan.Trials = append(whole.Plan.Trials, plan.Trial{ID: "ssd/alone-" + member + "/1", Variant: "ssd", Rung: 1, Alone: member, Repetition: 1})
	}
	members, alone := whole.Members(), whole.Alone()
	if len(members[0].Trials) != 1 || len(members[0].Plan.Trials) != 1 || len(whole.Apart().Trials) != 2 {
		t.Errorf("the tile has %+v of %+v", members[0].Trials, members[0].Plan.Trials)
	}
	if len(alone) != 2 || len(alone[0].Trials) != 1 || len(alone[1].Trials) != 0 || len(alone[1].Plan.Trials) != 1 {
		t.Fatalf("alone there are %+v", alone)
	}
	shop := alone[0].Trials[0]
	if shop.ID != "ssd.shop/alone-shop/1" || shop.Rung != 3 || alone[0].Plan.Trials[0].ID != shop.ID || shop.Tile().ID != one.ID {
		t.Errorf("the shop alone is %+v", shop)
	}
	one.Schema, one.Rung = SchemaVersion, 2
	if _, err := one.check(one.ID); err == nil {
		t.Error("two tiles of a member alone are accepted")
	}
	if run, _ := tiled(); len(run.Alone()) != 0 {
		t.Errorf("nothing was measured alone: %+v", run.Alone())
	}
}

// What has an identifier of the whole run is one of a member's, or of none.
func TestIdentifiersOfMembers(t *testing.T) {
	whole, _ := tiled()
	whole.Plan.Trials = append(whole.Plan.Trials, plan.Trial{ID: "ssd/alone-shop/1", Variant: "ssd", Rung: 1, Alone: "shop", Repetition: 1})
	for _, c := range []struct {
		run      *Run
		id, want string
		own      bool
	}{
		{whole.Members()[1], "ssd/2/1.2", "ssd.bulk/2/1.2", true},
		{whole.Members()[1], "ssd/alone-shop/1", "ssd.bulk/alone-shop/1", false},
		{whole.Alone()[0], "ssd/alone-shop/1", "ssd.shop/alone-shop/1", true},
		{whole.Alone()[0], "ssd/alone-bulk/1", "ssd.shop/alone-bulk/1", false},
		{whole.Alone()[0], "ssd/2/1", "ssd.shop/2/1", false},
		{whole.Members()[0], "hdd/2/1", "hdd/2/1", true},
		{whole, "ssd/2/1", "ssd/2/1", true},
	} {
		if got, own := c.run.Own(c.id); got != c.want || own != c.own {
			t.Errorf("%s of %q is %s, %v", c.id, c.run.Member(), got, own)
		}
	}
}

func TestAnApplicationWithoutANameIsTheOnlyMember(t *testing.T) {
	run := &Run{Plan: &plan.Plan{Study: &study.Study{}, Variants: []study.Variant{{Name: "a.b"}}, Trials: []plan.Trial{{ID: "a.b/1/1", Variant: "a.b", Rung: 1}}}, Trials: []*Trial{{ID: "a.b/1/1"}}}
	for _, r := range []*Run{run, {Trials: run.Trials}} {
		all := r.Members()
		if len(all) != 1 || all[0].Member() != "" || all[0].Trials[0] != r.Trials[0] || r.Apart().Trials[0] != r.Trials[0] || len(r.Tiles()) != 1 || len(r.Alone()) != 0 {
			t.Errorf("runs are %v", all)
		}
		if p := all[0].Plan; p != nil && (p.Trials[0] != run.Plan.Trials[0] || p.Variants[0].Name != "a.b") {
			t.Errorf("the plan is %+v", p)
		}
	}
}

// A trial of an earlier version says of its only application what is now said of members.
func TestTrialsOfEarlierVersionsHaveMembers(t *testing.T) {
	var flat, current Tile
	if err := json.Unmarshal([]byte(`{"schema": 3, "id": "a/1/1", "variant": {"name": "a", "storage_name": "ssd", "storage": {"class": "c"}, "placed": {"logs": {"class": "d"}}},
		"storage": {"media": "nvme"}, "placed": {"logs": {"media": "hdd"}}, "rung": 1, "dataset": "d", "audit": {"passed": true}}`), &flat); err != nil {
		t.Fatal(err)
	}
	all := flat.Trials()
	if len(all) != 1 || all[0].Dataset != "d" || all[0].ID != "a/1/1" || !all[0].Audit.Passed || flat.Dataset != "" || flat.Audit == nil {
		t.Errorf("%+v has the trials %+v", flat, all)
	}
	v := all[0].Variant
	if len(v.Storages) != 2 || v.Storage().Class != "c" || v.Storages["logs"].Class != "d" || all[0].Storage().Media != "nvme" || all[0].Storages["logs"].Media != "hdd" {
		t.Errorf("storages of the variant %+v, of the trial %+v", v.Storages, all[0].Storages)
	}
	text, err := json.Marshal(flat)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &current); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(flat, current, cmp.AllowUnexported(Trial{})); diff != "" {
		t.Error(diff)
	}
	current.Members, current.Schema, current.Repetition, current.Status = nil, SchemaVersion, 1, Failed
	if _, err := current.check("a/1/1"); err == nil {
		t.Error("a trial without members is accepted")
	}
}

func TestMembersShedWhatIsReadAgain(t *testing.T) {
	run, _ := tiled()
	trial := run.Trials[0]
	lean := trial.Shed()
	if got := lean.Operations["order"]; got.Histogram != "" || got.Count != 7 || trial.Operations["order"].Histogram != "x" {
		t.Errorf("shed: %+v, and of the trial itself %+v", got, trial.Operations["order"])
	}
	if whole := lean.Tile(); whole.ID != "ssd/2/1" || len(whole.Resources) != 0 || len(trial.Tile().Resources) == 0 {
		t.Errorf("the whole trial is %+v", whole)
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
