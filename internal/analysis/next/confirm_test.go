package next

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

// An experiment measures the rung of its finding, in the ladder's count, and shows the
// effect of its setting.
func TestStudyOfAnExperiment(t *testing.T) {
	base := study.Study{
		Question: "How many workers?", Answer: study.Answer{Kind: study.Comparison, Factor: "storage"},
		Ladder: study.Ladder{Of: study.OfUsers, Auto: true, To: 64}, Repetitions: 1,
	}
	v := study.Variant{Factors: map[string]string{"engine.cpu": "2", "storage": "ssd"}}
	change := analysis.Change{Path: "engine.cpu", From: "2", To: "1", Rungs: []int{8}}
	st, err := subject{analysis.Finding{Change: &change}, v, v}.study(&base)
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

// An experiment about a member changes that member's setting, in as many tiles as have the
// instances of its finding; what all members have in common is changed for all.
func TestStudyOfAnExperimentWithAMember(t *testing.T) {
	members := []study.Member{{Name: "shop", Weight: 2}, {Name: "bulk", Weight: 1}}
	p := &plan.Plan{
		Study:    &study.Study{Members: members, Ladder: study.Ladder{Rungs: []int{1, 4}, Alone: true}},
		Variants: []study.Variant{{Name: "fast", Members: members, Factors: map[string]string{"storage": "fast", "members.bulk.engine.cpu": "1"}}},
	}
	for own, path := range map[string]string{"engine.cpu": "members.shop.engine.cpu", "storage.fast.media": "storage.fast.media"} {
		change := analysis.Change{Path: own, From: "2", To: "4", Rungs: []int{8}}
		about, planned := subjectOf(p, analysis.Finding{Variant: "fast.shop", Change: &change})
		if !planned {
			t.Fatal("the member is not planned")
		}
		st, err := about.study(p.Study)
		if err != nil {
			t.Fatal(err)
		}
		var paths []string
		for _, f := range st.Matrix.Factors {
			paths = append(paths, f.Path)
		}
		if want := []string{"members.bulk.engine.cpu", "storage", path}; !slices.Equal(paths, want) || !slices.Equal(st.Ladder.Rungs, []int{4}) || st.Ladder.Alone || st.Answer.Factor != path || len(st.Members) != 2 {
			t.Errorf("%v on %+v, asks %+v; want %v", paths, st.Ladder, st.Answer, want)
		}
		if one := st.Tile()[0]; one.Answer.Factor != own {
			t.Errorf("of the member alone it asks about %s, want %s", one.Answer.Factor, own)
		}
	}
	if _, planned := subjectOf(p, analysis.Finding{Variant: "fast"}); planned {
		t.Error("a tile is none of its members")
	}
}

// The experiments of members are judged by what they did for that member.
func TestExperimentsOfMembersAreJudged(t *testing.T) {
	members := []study.Member{{Name: "shop", Weight: 2}, {Name: "bulk", Weight: 1}}
	about := analysis.Change{Path: "engine.cpu", From: "1", To: "2", Rungs: []int{8}, Expect: "better"}
	of := about
	of.Rungs = []int{4}
	a := &analysis.Analysis{Findings: []analysis.Finding{
		{ID: "shop-bottleneck", Variant: "fast.shop", Cause: &diagnose.Cause{}, Change: &about},
		{ID: "bulk-bottleneck", Variant: "fast.bulk", Cause: &diagnose.Cause{}, Change: &of},
	}}
	p := &plan.Plan{Variants: []study.Variant{{Name: "fast", Members: members, Factors: map[string]string{"storage": "fast"}}}}
	judged, err := Confirmed(p, a, func(n int) (*result.Run, error) {
		return tiledAt("members."+members[n-1].Name+".engine.cpu", members), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []model.Outcome{model.Confirmed, model.Refuted} {
		if f := judged[i]; f.Outcome != want || f.Variant != "fast."+members[i].Name || len(f.Trials) != 6 || !strings.Contains(f.Trials[0], "."+members[i].Name+"/4/") {
			t.Errorf("%+v; want %s", f, want)
		}
	}
}

// tiledAt is the run of an experiment that doubles the throughput of the shop, and of nothing
// else, by a setting at 2 instead of 1.
func tiledAt(path string, members []study.Member) *result.Run {
	run := analysistest.MadeUp(nil)
	run.ID = "experiment"
	run.Plan = &plan.Plan{Study: &study.Study{Members: members, Repetitions: confirmations}}
	for i, level := range []string{"1", "2"} {
		opm := 1000 * float64(i+1)
		v := study.Variant{Name: "at" + level, Members: members, Factors: map[string]string{"storage": "fast", path: level}}
		run.Plan.Variants = append(run.Plan.Variants, v)
		for n, noise := range []float64{0.98, 1, 1.02} {
			of := func(instances int, opm float64) *result.Trial {
				return analysistest.Sample{Variant: v.Name, Rung: instances, OPM: opm * noise, Mean: 0.1}.Trial(n + 1)
			}
			tile := result.Tile{Trial: *of(4, 1), Members: []result.Member{{Name: "shop", Part: of(8, opm).Part}, {Name: "bulk", Part: of(4, 500).Part}}}
			tile.Variant, tile.Part, tile.Position = v, result.Part{}, len(run.Trials)+1
			run.Trials = append(run.Trials, tile.Trials()...)
		}
	}
	return run
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

// Experiments that were measured are judged again from their runs. Unmeasured ones are left
// out, and runs of something else are named.
func TestExperimentsAreJudgedAgain(t *testing.T) {
	change := func(path string) analysis.Change {
		return analysis.Change{Path: path, From: "1", To: "2", Rungs: []int{8}, Expect: "better"}
	}
	about := change("engine.cpu")
	a := &analysis.Analysis{Findings: []analysis.Finding{
		{ID: "load-line", Variant: "fast"},
		{ID: "bottleneck-fast", Variant: "fast", Cause: &diagnose.Cause{}, Change: &about, Beside: []analysis.Change{change("engine.memory"), change("engine.disk"), change("engine.swap")}},
		{ID: "bottleneck-member", Variant: "member", Cause: &diagnose.Cause{}, Change: &about},
	}}
	p := &plan.Plan{Variants: []study.Variant{{Name: "fast", Factors: map[string]string{"storage": "fast", "engine.cpu": "1"}}}}
	opened := 0
	judged, err := Confirmed(p, a, func(n int) (*result.Run, error) {
		opened++
		switch n {
		case 1:
			return measuredAt("engine.cpu", map[string]string{"storage": "fast"}), nil
		case 2:
			return nil, fmt.Errorf("open: %w", fs.ErrNotExist)
		case 3: // of another storage
			return measuredAt("engine.disk", map[string]string{"storage": "slow", "engine.cpu": "1"}), nil
		}
		return measuredAt("engine.swap", map[string]string{"storage": "fast", "engine.cpu": "1"}), nil
	})
	outcomes := []model.Outcome{}
	for _, f := range judged {
		outcomes = append(outcomes, f.Outcome)
		if f.Kind != "confirmation" || f.Variant != "fast" || f.Run != "experiment" || len(f.Trials) != 6 {
			t.Errorf("%+v", f)
		}
	}
	if want := []model.Outcome{model.Confirmed, model.Confirmed}; !slices.Equal(outcomes, want) || opened != 4 {
		t.Errorf("%d opened, %v: %v", opened, outcomes, err)
	}
	if err == nil || strings.Count(err.Error(), "\n") != 0 || !strings.Contains(err.Error(), "experiment 3: ") {
		t.Errorf("the problems are %v", err)
	}
}

// measuredAt is the run of an experiment that doubles throughput by a setting at 2 instead of 1.
func measuredAt(path string, others map[string]string) *result.Run {
	var samples []analysistest.Sample
	for _, noise := range []float64{0.98, 1, 1.02} {
		samples = append(samples, analysistest.Sample{Variant: "before", Rung: 8, OPM: 1000 * noise, Mean: 0.2}, analysistest.Sample{Variant: "after", Rung: 8, OPM: 2000 * noise, Mean: 0.1})
	}
	run := analysistest.MadeUp(nil, samples...)
	run.ID = "experiment"
	for _, trial := range run.Trials {
		trial.Variant.Factors = maps.Clone(others)
		trial.Variant.Factors[path] = map[string]string{"before": "1", "after": "2"}[trial.Variant.Name]
	}
	return run
}
