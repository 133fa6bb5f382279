package analysis

import (
	"testing"

	"pgregory.net/rapid"

	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// search runs a searcher against a response-time curve and gives the trials.
func search(s Searcher, response func(n, repetition int) float64) ([]*result.Trial, Step) {
	var trials []*result.Trial
	for range 200 {
		step := s.Next(trials)
		if step.Done {
			return trials, step
		}
		trials = append(trials, sample{"a", step.Rung, 100, response(step.Rung, step.Repetition), false, nil}.trial(step.Repetition))
	}
	return trials, Step{}
}

func searcher(from, to, precision, budget int) Searcher {
	return NewSearcher(&study.Study{
		Ladder:     study.Ladder{Auto: true, From: from, To: to, Precision: precision, Budget: budget},
		Objectives: meanBelow(1), Repetitions: 1,
	})
}

// line is the load line of the trials.
func line(trials []*result.Trial) LoadLine {
	s := newSubject(madeUp(meanBelow(1)), Options{})
	groups := groupByRung(trials)
	var rungs []Rung
	for _, g := range groups {
		rungs = append(rungs, s.rung(g))
	}
	return loadLineOf(rungs, groups, s.study.Objectives, s.noun)
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
		trials, step := search(s, response)
		if !step.Done {
			r.Fatal("the search does not end")
		}
		if l := line(trials); l.Rung != truth || l.Next != truth+1 {
			r.Fatalf("line %+v, truth %d, after %d trials", l, truth, len(trials))
		}
		if from == 1 && len(trials) > s.AtMost() {
			r.Fatalf("%d trials, at most %d were announced", len(trials), s.AtMost())
		}
	})
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
		{"when the budget is spent", searcher(1, 1<<20, 1, 3), fast, 3, 4},
		{"when not even one meets the objectives", searcher(8, 100, 1, 0), slow, 8, 0},
		{"at the precision asked for", searcher(1, 1024, 16, 0), func(n, _ int) float64 { return float64(n) / 333 }, 20, 320},
	} {
		trials, step := search(c.searcher, c.response)
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
	// The line lies at 8: 8 is within 2 % of the limit, so its judgement could
	// turn; 9 is far above.
	response := func(n, repetition int) float64 {
		switch {
		case n < 8:
			return 0.3
		case n == 8:
			return 0.98
		}
		return 3
	}
	trials, _ := search(searcher(1, 64, 1, 0), response)
	times := map[int]int{}
	for _, x := range trials {
		times[x.Rung]++
	}
	if times[8] != mostRepetitions || times[9] != leastRepetitions || times[4] != 1 {
		t.Errorf("trials by rung: %v", times)
	}
}

func TestSearchConfirmsAFailure(t *testing.T) {
	failing := []*result.Trial{
		sample{"a", 1, 100, 0.1, false, nil}.trial(1),
		sample{"a", 2, 0, 0, true, nil}.trial(1),
	}
	if step := searcher(1, 64, 1, 0).Next(failing); step.Rung != 2 || step.Repetition != 2 {
		t.Errorf("%+v", step)
	}
}

func TestNextTrialsServesEachVariant(t *testing.T) {
	s := &study.Study{Ladder: study.Ladder{Auto: true, From: 2, To: 8, Precision: 1}, Objectives: meanBelow(1)}
	variants := []study.Variant{{Name: "a"}, {Name: "b"}}
	steps := NextTrials(s, variants, []*result.Trial{sample{"a", 2, 100, 0.1, false, nil}.trial(1)})
	if steps["a"].Rung != 4 || steps["b"].Rung != 2 {
		t.Errorf("%+v", steps)
	}
}
