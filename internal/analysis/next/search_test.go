package next

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/unit"
	"plimsoll/test/quick"
)

// search runs a searcher against a response-time curve and gives the trials.
func searchAll(s Searcher, response func(n, repetition int) float64) ([]*result.Trial, Step) {
	var trials []*result.Trial
	for range 200 {
		step := s.Next(trials)
		if step.Done {
			return trials, step
		}
		trials = append(trials, made(step.Rung, response(step.Rung, step.Repetition), false, step.Repetition))
	}
	return trials, Step{}
}

func searcher(from, to, precision, budget int) Searcher {
	return NewSearcher(&study.Study{
		Ladder:      study.Ladder{Auto: true, From: from, To: to, Precision: precision, Budget: budget},
		Application: study.Application{Objectives: analysistest.MeanBelow(1)}, Repetitions: 1,
	})
}

// A search ends when no further trial is done in its time, as its trials have taken so far;
// nor is one that was spoiled measured again then.
func TestSearchEndsWithItsTime(t *testing.T) {
	for _, c := range []struct {
		trials int     // that the time is enough for, as estimated
		slower float64 // than estimated, by which they take
		want   int     // 0 for as many as it takes
	}{{3, 1, 3}, {4, 1.9, 2}, {1, 1, 1}, {100, 1, 0}} {
		s := &study.Study{
			Ladder:      study.Ladder{Auto: true, From: 1, To: 1 << 10, Precision: 1, Budget: 12},
			Application: study.Application{Objectives: analysistest.MeanBelow(1)}, Phases: study.Phases{Measure: unit.Duration(time.Hour)}, Repetitions: 1,
		}
		p := &plan.Plan{Study: s, Variants: []study.Variant{{Name: "a"}}}
		each := p.Cost("a", 1)
		p.Within = each*time.Duration(c.trials) + each/2 // larger rungs take longer
		run := &result.Run{Plan: p}
		next, why := Search(p), ""
		for ok := true; ok; {
			var planned plan.Trial
			if planned, why, ok = next(run); ok {
				x := made(planned.Rung, float64(planned.Rung)/333, false, planned.Repetition)
				x.Begun = time.Unix(0, 0)
				x.Ended = x.Begun.Add(time.Duration(float64(p.Cost("a", planned.Rung)) * c.slower))
				run.Trials = append(run.Trials, x)
			}
		}
		ended := strings.Contains(why, "ends with its time")
		if ended != (c.want > 0) || ended && len(run.Trials) != c.want || !ended && len(run.Trials) < 4 {
			t.Errorf("%+v: %d trials, %q", c, len(run.Trials), why)
		}
	}
}

// line is the load line of the trials.
func line(trials []*result.Trial) loadline.LoadLine {
	run := analysistest.MadeUp(analysistest.MeanBelow(1))
	run.Trials = trials
	_, l := analysis.Ladder(trust.Sift(run), trials, "instance")
	return l
}

// made makes a trial of variant a.
func made(rung int, mean float64, failed bool, repetition int) *result.Trial {
	return analysistest.Sample{Variant: "a", Rung: rung, OPM: 100, Mean: mean, Failed: failed}.Trial(repetition)
}

func TestSearchFindsTheLine(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		truth := rapid.IntRange(1, 300).Draw(r, "truth")
		from := rapid.IntRange(1, 64).Draw(r, "from")
		response := func(n, _ int) float64 {
			if n <= truth {
				return 0.5
			}
			return 2
		}
		s := searcher(from, 512, 1, 0)
		trials, step := searchAll(s, response)
		if !step.Done {
			r.Fatal("the search does not end")
		}
		if l := line(trials); l.Rung != truth || l.Next != truth+1 {
			r.Fatalf("line %+v, truth %d, after %d trials", l, truth, len(trials))
		}
	})
}

// A ladder whose throughput must not decline is searched to its end while it grows, and no further than where
// it is shown to fall.
func TestSearchWithGrowth(t *testing.T) {
	for peak, most := range map[int]int{64: 64, 8: 15} {
		s := searcher(1, 64, 1, 0)
		s.Objectives, s.Repetitions = append(s.Objectives, study.Objective{Metric: study.Decline}), 3
		var trials []*result.Trial
		for step := s.Next(trials); !step.Done && len(trials) < 200; step = s.Next(trials) {
			wavers := 1 + 0.002*float64(len(trials)%3)
			does := 100 * float64(step.Rung) * wavers
			if over := float64(step.Rung) / float64(peak); over > 1 {
				does /= over * over * over
			}
			trials = append(trials, analysistest.Sample{Variant: "a", Rung: step.Rung, OPM: does, Mean: 0.5}.Trial(step.Repetition))
		}
		run := analysistest.MadeUp(s.Objectives)
		run.Trials = trials
		_, l := analysis.Ladder(trust.Sift(run), trials, "instance")
		if l.Rung > most || l.Rung < peak/2 || len(trials) == 200 {
			t.Errorf("peak at %d: the line is at %d to %d after %d trials", peak, l.Rung, l.Next, len(trials))
		}
	}
}

func TestSearchStops(t *testing.T) {
	fast := func(int, int) float64 { return 0.1 }
	slow := func(int, int) float64 { return 5 }
	for _, c := range []struct {
		name     string
		searcher Searcher
		response func(n, repetition int) float64
		most     int
		line     int
	}{
		{"at the end of the ladder", searcher(1, 100, 1, 0), fast, 10, 100},
		{"when the budget is spent", searcher(1, 1<<20, 1, 3), fast, 3, 1024},
		{"when not even one meets the objectives", searcher(8, 100, 1, 0), slow, 8, 0},
		{"at the precision asked for", searcher(1, 1024, 16, 0), func(n, _ int) float64 { return float64(n) / 333 }, 20, 325},
	} {
		trials, step := searchAll(c.searcher, c.response)
		if l := line(trials); !step.Done || len(trials) > c.most || l.Rung != c.line {
			t.Errorf("%s: %d trials, line %d, %+v", c.name, len(trials), l.Rung, step)
		}
		t.Log(c.name, len(trials), step.Why)
	}
	if step := (Searcher{}).Next(nil); !step.Done {
		t.Error("a search without objectives begins")
	}
}

func TestSearchRepeatsWhatIsClose(t *testing.T) {
	// The line is at 8: 8 is within 2 % of the limit, so its judgement could turn; 9 is far
	// above.
	response := func(n, _ int) float64 {
		switch {
		case n < 8:
			return 0.3
		case n == 8:
			return 0.98
		}
		return 3
	}
	trials, _ := searchAll(searcher(1, 64, 1, 0), response)
	times := map[int]int{}
	for _, x := range trials {
		times[x.Rung]++
	}
	if times[8] < 2 || times[8] > MostRepetitions || times[9] != 1 {
		t.Errorf("trials by rung: %v", times)
	}
}

func TestSearchConfirmsAFailure(t *testing.T) {
	failing := []*result.Trial{
		made(1, 0.1, false, 1),
		made(2, 0, true, 1),
	}
	if step := searcher(1, 64, 1, 0).Next(failing); step.Rung != 2 || step.Repetition != 2 {
		t.Errorf("%+v", step)
	}
}

func TestSearchServesEachVariant(t *testing.T) {
	s := &study.Study{Ladder: study.Ladder{Auto: true, From: 2, To: 8, Precision: 1}, Application: study.Application{Objectives: analysistest.MeanBelow(1)}}
	variants := []study.Variant{{Name: "a"}, {Name: "b"}}
	steps, _ := nextOf(&plan.Plan{Study: s, Variants: variants}, &result.Run{Trials: []*result.Trial{made(2, 0.1, false, 1)}})
	if steps["a"].Rung != 8 || steps["b"].Rung != 2 {
		t.Errorf("%+v", steps)
	}
}

// Intervals of searched lines cover the truth, too, although the search chooses its rungs
// from its data and the budget suffices for both sides of the line.
func TestSearchedLinesAreCovered(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for name, curve := range map[string]analysistest.Curve{
		"step": analysistest.Step(0.4, 2.5, 13), "knee": analysistest.Knee(0.4, 8),
		"M/M/1": analysistest.MM1(0.2, 25), "slow growth": analysistest.Power(0.3, 0.45),
	} {
		truth := float64(curve.Line(1, 64))
		set := analysistest.Set{
			Variants:   []analysistest.Variant{{Name: "a", Response: curve}},
			Objectives: analysistest.MeanBelow(1), Noise: analysistest.Noise{Response: 0.05},
		}
		var narrow [analysistest.Sets]float64
		covered := analysistest.Share(analysistest.Sets, func(seed uint64) bool {
			trials := searched(set, seed, 16)
			l := line(trials)
			times := map[int]int{}
			for _, x := range trials {
				times[x.Rung]++
			}
			if times[l.Rung] > 0 && times[l.Next] > 0 && l.Next-l.Rung <= max(1, l.Rung/10) {
				narrow[seed] = 1
			}
			return l.Count.Low <= truth && truth <= l.Count.High
		})
		t.Logf("%s, line %v: covered %.3f, both sides measured %.3f", name, truth, covered, stats.Mean(narrow[:]))
		if covered < 0.93 || stats.Mean(narrow[:]) < 0.85 {
			t.Errorf("%s: covered %.3f, both sides measured %.3f", name, covered, stats.Mean(narrow[:]))
		}
	}
}

// searched runs a search with a budget to its end.
func searched(set analysistest.Set, seed uint64, budget int) []*result.Trial {
	s := NewSearcher(&study.Study{
		Ladder:      study.Ladder{Auto: true, From: 1, To: 128, Precision: 1, Budget: budget},
		Application: study.Application{Objectives: set.Objectives}, Repetitions: 1,
	})
	random := rand.New(rand.NewPCG(seed, 11))
	var trials []*result.Trial
	for {
		step := s.Next(trials)
		if step.Done {
			return trials
		}
		trials = append(trials, set.Trial(step.Rung, step.Repetition, random))
	}
}

func TestHostileRunsAreSearched(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		run := analysistest.HostileRun(r)
		step := searcher(1, 64, 1, 20).Next(run.Trials)
		if !step.Done && step.Rung < 1 {
			r.Fatalf("%+v", step)
		}
	})
}

// A search goes by all members of a tile: the first that does not keep its objectives ends
// the doubling.
func TestSearchOfTiles(t *testing.T) {
	mean := func(member string, tiles int) float64 {
		if member == "bulk" && tiles > 2 {
			return 2
		}
		return 0.5
	}
	members := []study.Member{{Name: "shop", Weight: 3, Application: study.Application{Objectives: analysistest.MeanBelow(1)}}, {Name: "bulk", Weight: 1, Application: study.Application{Objectives: analysistest.MeanBelow(1)}}}
	ladder := study.Ladder{Auto: true, From: 1, To: 64, Precision: 1}
	for _, c := range []struct {
		rungs []int
		next  int
	}{{[]int{1, 2}, 4}, {[]int{1, 2, 4}, 3}} {
		run := analysistest.Tile(ladder, c.rungs, mean, members...)
		steps, done := nextOf(run.Plan, run)
		if steps["a"].Rung != c.next || done["a"] != len(c.rungs) {
			t.Errorf("after %v: %+v, %v", c.rungs, steps, done)
		}
	}
}
