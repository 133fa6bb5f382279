package pairwise_test

import (
	"slices"
	"testing"
	"time"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/test/quick"
)

// two levels of storage for reading and writing, with their true throughput.
func variants(truth map[string]float64) (all []analysistest.Variant) {
	for _, operation := range []string{"read", "write"} {
		for _, storage := range []string{"a", "b"} {
			name := storage + "-" + operation
			all = append(all, analysistest.Variant{
				Name: name, Factors: map[string]string{"storage": storage, "workload.parameters.operation": operation},
				Response: analysistest.MM1(0.05, 400), Throughput: analysistest.Power(truth[name], 0.9),
			})
		}
	}
	return all
}

func reply(t *testing.T, asks study.Answer, run *result.Run) *model.Reply {
	t.Helper()
	run.Plan.Study.Answer = asks
	a, err := analysis.Analyse(run, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a.Reply
}

func made(truth map[string]float64, repetitions int, noise float64) func(uint64) *result.Run {
	return analysistest.Set{Variants: variants(truth), Rungs: []int{1, 2}, Repetitions: repetitions, Noise: analysistest.Noise{Throughput: noise, Response: noise}}.Run
}

// Who does more is found, and nobody where both do the same.
func TestWinnersAreThoseOfTheTruth(t *testing.T) {
	run := made(map[string]float64{"a-read": 1000, "b-read": 1300, "a-write": 1000, "b-write": 1000}, 3, 0.02)
	asks := study.Answer{Kind: study.Comparison, Factor: "storage", Per: study.PerInstance}
	found := analysistest.Share(100, func(seed uint64) bool {
		r := reply(t, asks, run(seed))
		return r.Groups[0].Best == r.Groups[0].Cells[1].Level && r.Groups[0].BestPer == r.Groups[0].Best
	})
	invented := analysistest.Share(100, func(seed uint64) bool { return reply(t, asks, run(seed)).Groups[1].Best != "" })
	t.Logf("found in %.2f, invented in %.2f", found, invented)
	if found < 0.95 || invented > 0.05 {
		t.Errorf("found in %.2f, invented in %.2f", found, invented)
	}
}

// What another level changes is told where it does, with an interval that covers the truth.
func TestEffectsAreThoseOfTheTruth(t *testing.T) {
	run := made(map[string]float64{"a-read": 1000, "b-read": 1700, "a-write": 1000, "b-write": 1000}, 4, 0.02)
	asks := study.Answer{Kind: study.Effect, Factor: "storage"}
	var covered, shown, invented float64
	const sets = 100
	for seed := range uint64(sets) {
		r := reply(t, asks, run(seed))
		if len(r.Groups) != 2 || len(r.Groups[0].Steps) != 2 {
			t.Fatalf("%+v", r)
		}
		step, none := r.Groups[0].Steps[0], r.Groups[1].Steps[0]
		if step.Throughput.Low <= 1.7 && 1.7 <= step.Throughput.High {
			covered++
		}
		if step.Shown {
			shown++
		}
		if none.Shown {
			invented++
		}
	}
	t.Logf("covered %.0f, shown %.0f, invented %.0f of %d", covered, shown, invented, sets)
	if covered < 0.93*sets || shown < 0.95*sets || invented > 0.05*sets {
		t.Errorf("covered %.0f, shown %.0f, invented %.0f of %d", covered, shown, invented, sets)
	}
}

// Each further level of a factor is held against the first.
func TestEffectsOfEveryLevel(t *testing.T) {
	var three []analysistest.Variant
	for _, level := range []string{"a", "b", "c"} {
		three = append(three, analysistest.Variant{Name: level, Factors: map[string]string{"storage": level},
			Response: analysistest.MM1(0.05, 400), Throughput: analysistest.Power(map[string]float64{"a": 1000, "b": 1200, "c": 1500}[level], 0.9)})
	}
	run := analysistest.Set{Variants: three, Rungs: []int{1, 2}, Repetitions: 4, Noise: analysistest.Noise{Throughput: 0.01, Response: 0.01}}.Run(1)
	groups := reply(t, study.Answer{Kind: study.Effect, Factor: "storage"}, run).Groups
	if len(groups) != 1 || len(groups[0].Steps) != 4 || len(groups[0].Cells) != 3 {
		t.Fatalf("%+v", groups)
	}
	for i, truth := range []float64{1.2, 1.2, 1.5, 1.5} {
		s := groups[0].Steps[i]
		if s.Level != groups[0].Cells[1+i/2].Level || s.Rung != 1+i%2 || s.Throughput.Low > truth || s.Throughput.High < truth || !s.Shown {
			t.Errorf("%+v, truth %g", s, truth)
		}
	}
}

// Throughput that stays is told from throughput that grows.
func TestGrowthIsThatOfTheTruth(t *testing.T) {
	set := analysistest.Set{Rungs: []int{1, 2, 4, 8}, Repetitions: 2, Noise: analysistest.Noise{Throughput: 0.02, Response: 0.02}, Variants: []analysistest.Variant{
		{Name: "flat", Response: analysistest.MM1(0.05, 400), Throughput: analysistest.Power(1000, 0)},
		{Name: "grows", Response: analysistest.MM1(0.05, 400), Throughput: analysistest.Power(1000, 0.9)},
	}}
	right := analysistest.Share(100, func(seed uint64) bool {
		cells := reply(t, study.Answer{Kind: study.Scaling}, set.Run(seed)).Groups[0].Cells
		return !cells[0].Grows && cells[0].Rung == 8 && cells[1].Grows && cells[1].Rung == 8 && cells[1].Linear > 0.75 && cells[1].Linear < 0.88
	})
	if right < 0.95 {
		t.Errorf("right in %.2f", right)
	}
}

// Who lost acknowledged work is counted from the audits.
func TestLossesAreCounted(t *testing.T) {
	lost := func(t *result.Trial) { t.Audit = &result.AuditSummary{} }
	gone := func(t *result.Trial) { t.Audit = &result.AuditSummary{Uncounted: "it is gone"} }
	run := analysistest.MadeUp(nil,
		analysistest.Sample{Variant: "a", Rung: 1, OPM: 100, Mean: 0.1}, analysistest.Sample{Variant: "a", Rung: 1, OPM: 100, Mean: 0.1, Change: lost},
		analysistest.Sample{Variant: "b", Rung: 1, OPM: 100, Mean: 0.1}, analysistest.Sample{Variant: "b", Rung: 1, OPM: 100, Mean: 0.1, Change: gone})
	cells := reply(t, study.Answer{Kind: study.Survival}, run).Groups[0].Cells
	if len(cells) != 2 || cells[0].Audited != 2 || cells[0].Lost != 1 || cells[0].Uncounted != 0 || cells[1].Lost != 0 || cells[1].Audited != 1 || cells[1].Uncounted != 1 {
		t.Errorf("%+v", cells)
	}
}

// A question of capacity is answered by the load lines; one that nothing answers falls back
// on them.
func TestCapacityIsOfTheLines(t *testing.T) {
	run := analysistest.MadeUp(analysistest.MeanBelow(1), analysistest.Sample{Variant: "a", Rung: 1, OPM: 100, Mean: 0.1})
	for _, asks := range []study.Answer{{}, {Kind: study.Capacity}, {Kind: study.OfRating}, {Kind: study.Scaling}} {
		if r := reply(t, asks, run); r != nil {
			t.Errorf("%+v: %+v", asks, r)
		}
	}
}

// Two variants are held against each other near the line of the one that carries fewer, and
// not at the one small rung that two searches share.
func TestEqualLoadIsNearALine(t *testing.T) {
	made := analysistest.Set{Rungs: []int{1, 2, 4, 8, 16, 32}, Repetitions: 3, Noise: analysistest.Noise{Throughput: 0.02, Response: 0.02}, Objectives: analysistest.MeanBelow(0.1)}
	for i, level := range []string{"a", "b"} { // which carry 8 and 16
		made.Variants = append(made.Variants, analysistest.Variant{Name: level, Factors: map[string]string{"storage": level}, Response: analysistest.Power(0.009/float64(1+i), 1)})
	}
	for at, measured := range map[int][]int{8: {1, 2, 4, 8, 16, 32}, 0: {1, 2, 4, 16, 32}, 1: nil} {
		run := made.Run(1)
		if at == 1 { // the line of a
			measured = []int{1, 32}
			run.Trials = slices.DeleteFunc(run.Trials, func(x *result.Trial) bool { return x.Variant.Name == "a" && x.Rung > 1 && x.Rung < 32 })
		}
		run.Trials = slices.DeleteFunc(run.Trials, func(x *result.Trial) bool { return x.Variant.Name == "b" && !slices.Contains(measured, x.Rung) })
		r := reply(t, study.Answer{}, run)
		if got := rungOf(r); got != at {
			t.Errorf("%v measured: compared at %d, want %d", measured, got, at)
		}
	}
}

// rungOf is where a reply compares, 0 for nowhere.
func rungOf(r *model.Reply) int {
	if r == nil {
		return 0
	}
	return r.Groups[0].Steps[0].Rung
}

// Of a response time the least wins, at the rung that was asked for or the largest that all
// measured, and what a level changes has an interval that covers the truth.
func TestAnswersOfResponseTimes(t *testing.T) {
	made := analysistest.Set{Rungs: []int{1, 2, 4}, Repetitions: 4, Noise: analysistest.Noise{Throughput: 0.02, Response: 0.02}}
	for i, level := range []string{"a", "b"} {
		made.Variants = append(made.Variants, analysistest.Variant{Name: level, Factors: map[string]string{"storage": level}, Response: analysistest.Power(0.01*float64(2-i), 1), Throughput: analysistest.Power(1000, 0.9)})
	}
	asks := study.Answer{Kind: study.Comparison, Factor: "storage", Metric: "mean"}
	g := reply(t, asks, made.Run(1)).Groups[0]
	if g.Best != g.Cells[1].Level || g.Cells[0].Rung != 4 || g.Cells[1].Value.Value < 0.035 || g.Cells[1].Value.Value > 0.045 || !g.Cells[1].Value.Bounded() {
		t.Errorf("%+v", g)
	}
	asks.At = "2"
	if g := reply(t, asks, made.Run(1)).Groups[0]; g.Cells[0].Rung != 2 {
		t.Errorf("%+v", g)
	}
	effect := reply(t, study.Answer{Kind: study.Effect, Factor: "storage", Metric: "mean"}, made.Run(1))
	for _, s := range effect.Groups[0].Steps {
		if i := s.Throughput; !s.Shown || i.Low > 0.5 || i.High < 0.5 {
			t.Errorf("%+v", s)
		}
	}
	if effect.Metric != "mean" || len(effect.Groups[0].Steps) != 3 {
		t.Errorf("%+v", effect)
	}
	for _, c := range effect.Groups[0].Cells {
		if len(c.Along) != 3 || c.Along[2].Rung != 4 || c.Along[2].Value.Value <= c.Along[0].Value.Value || c.Along[2].Value.Value > 0.1 {
			t.Errorf("%+v", c.Along)
		}
	}
}

// What an effect is drawn from is throughput over what the answer divides it by and, where
// that is not known, throughput.
func TestEffectsRungByRungAreDividedAsTheAnswerIs(t *testing.T) {
	run := made(map[string]float64{"a-read": 1000, "b-read": 1700, "a-write": 1000, "b-write": 1000}, 2, 0.02)(1)
	for per, known := range map[string]bool{study.PerInstance: true, study.PerDrive: false} {
		r := reply(t, study.Answer{Kind: study.Effect, Factor: "storage", Per: per}, run)
		if r.Divided() != known {
			t.Errorf("per %s: divided is %v", per, !known)
		}
		for _, c := range r.Groups[0].Cells {
			last := c.Along[len(c.Along)-1]
			over := map[bool]float64{true: c.Value.Value / float64(c.Rung), false: c.Value.Value}[known]
			if last.Rung != c.Rung || last.Value.Value != over {
				t.Errorf("per %s: %+v, want %g", per, c, over)
			}
		}
	}
}

// The longest recovery counts, of faults whose end was seen.
func TestRecoveriesAreTold(t *testing.T) {
	run := made(map[string]float64{"a-read": 1000, "b-read": 1000, "a-write": 1000, "b-write": 1000}, 1, 0.02)(1)
	at := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	for _, x := range run.Trials {
		x.Audit = &result.AuditSummary{Passed: true}
	}
	run.Trials[0].Events = []result.Event{
		{At: at, Fault: "kill instance 1", Until: at.Add(3 * time.Second)},
		{At: at.Add(time.Minute), Fault: "kill instance 1", Until: at.Add(67 * time.Second)},
		{At: at.Add(2 * time.Minute), Fault: "kill peer 2"},
	}
	c := reply(t, study.Answer{Kind: study.Survival}, run).Groups[0].Cells[0]
	if c.Recoveries != 2 || c.Recovered != 7 {
		t.Errorf("%+v", c)
	}
}

// What had not come back when a trial ended is counted, and what nothing was to bring back is not.
func TestWhatDidNotComeBackIsCounted(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		what   string
		events []result.Event
		away   int
	}{
		{"an instance", []result.Event{{At: at, Fault: "kill instance 0"}}, 1},
		{"that came back", []result.Event{{At: at, Fault: "kill instance 0", Until: at.Add(time.Second)}}, 0},
		{"the power", []result.Event{{At: at, Fault: study.CutPower}}, 1},
		{"a peer that nothing restarts", []result.Event{{At: at, Fault: "kill peer 2"}}, 0},
		{"a peer that is restarted", []result.Event{{At: at, Fault: "kill peer 2"}, {At: at.Add(time.Minute), Fault: "restart peer 2", Repairs: true}}, 1},
	} {
		run := analysistest.MadeUp(nil, analysistest.Sample{Variant: "a", Rung: 1, OPM: 100, Mean: 0.1, Change: func(x *result.Trial) {
			x.Audit, x.Events = &result.AuditSummary{Passed: true}, c.events
		}})
		if cell := reply(t, study.Answer{Kind: study.Survival}, run).Groups[0].Cells[0]; cell.Away != c.away {
			t.Errorf("%s: %+v", c.what, cell)
		}
	}
}

// Throughput that falls is told from throughput that stays, and growth beyond linear is marked.
func TestFallsAndGrowthBeyondLinear(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	set := analysistest.Set{Rungs: []int{1, 2, 4, 8}, Repetitions: 3, Noise: analysistest.Noise{Throughput: 0.02, Response: 0.02}}
	for _, exponent := range []float64{0, -0.25, 0.9, 1, 1.2} {
		set.Variants = append(set.Variants, analysistest.Variant{Name: string(rune('a' + len(set.Variants))), Response: analysistest.MM1(0.05, 400), Throughput: analysistest.Power(1000, exponent)})
	}
	right := analysistest.Share(50, func(seed uint64) bool {
		cells := reply(t, study.Answer{Kind: study.Scaling}, set.Run(seed)).Groups[0].Cells
		return !cells[0].Falls && cells[1].Falls && !cells[2].Beyond && !cells[3].Beyond && cells[4].Beyond
	})
	if right < 0.95 {
		t.Errorf("right in %.2f", right)
	}
}

// A level that keeps its objectives nowhere wins nothing, whatever it does; where none keeps
// them, none wins.
func TestWhatBreaksItsObjectivesWinsNothing(t *testing.T) {
	for _, c := range []struct {
		slow, fast float64 // mean of a and b
		best       string
		broken     bool
		nowhere    int
	}{{0.05, 0.05, "b", false, 0}, {0.05, 0.5, "a", false, 1}, {0.5, 0.5, "", true, 2}} {
		set := analysistest.Set{
			Rungs: []int{1, 2, 4}, Repetitions: 3, Noise: analysistest.Noise{Throughput: 0.01, Response: 0.01}, Objectives: analysistest.MeanBelow(0.2),
			Variants: []analysistest.Variant{
				{Name: "a", Response: analysistest.Constant(c.slow), Throughput: analysistest.Power(1000, 0.9)},
				{Name: "b", Response: analysistest.Constant(c.fast), Throughput: analysistest.Power(1300, 0.9)},
			},
		}
		run := set.Run(1)
		run.Plan.Study.Answer = study.Answer{Kind: study.Comparison, Factor: "storage"}
		a, err := analysis.Analyse(run, analysis.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if g := a.Reply.Groups[0]; g.Best != c.best || g.Broken != c.broken || len(a.Breaking) != c.nowhere {
			t.Errorf("%+v: %+v, breaking %+v: %s", c, g, a.Breaking, a.Headline)
		}
	}
}
