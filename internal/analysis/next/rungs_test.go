package next_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"plimsoll/internal/analysis/next"
	"plimsoll/internal/analysis/next/searchtest"
)

// systems are all that searchtest makes up, in one list.
func systems() (all []searchtest.System) {
	for _, kind := range searchtest.Kinds() {
		all = append(all, kind...)
	}
	return all
}

var made = systems()

// Without noise the bracket holds the line, is as narrow as asked for, and no rung is measured more often
// than it needs; with noise the search ends all the same.
func TestBracketHoldsTheLine(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := rapid.SampledFrom(made).Draw(r, "system")
		q := next.Query{
			From: rapid.IntRange(1, s.To).Draw(r, "from"), Precision: rapid.IntRange(0, 20).Draw(r, "precision"),
			Repetitions: rapid.IntRange(1, 8).Draw(r, "repetitions"),
		}
		noise := rapid.SampledFrom([]float64{0, 0, 0.01, 0.1, 1}).Draw(r, "noise")
		f := searchtest.Run(s, q, next.Query.Next, noise, rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 1)))
		if f.Trials >= 1000 {
			r.Fatalf("%s: the search does not end: %+v", s.Name, f)
		}
		for rung, times := range f.Asked {
			if times > next.MostRepetitions || rung < 1 || rung > s.To {
				r.Fatalf("%s: rung %d measured %d times", s.Name, rung, times)
			}
		}
		if noise > 0 {
			return
		}
		if !f.Right(s) {
			r.Fatalf("%s, line %d: bracket %d to %d", s.Name, s.Truth, f.Low, f.High)
		}
		widest := max(q.Precision, 1)
		if q.Precision == 0 {
			widest = max(1, f.Low/10)
		}
		if f.High > 0 && f.High-f.Low > widest {
			r.Fatalf("%s, line %d: bracket %d to %d, precision %d", s.Name, s.Truth, f.Low, f.High, q.Precision)
		}
	})
}

// The budget is kept.
func TestBudgetIsKept(t *testing.T) {
	for _, s := range made {
		q := next.Query{From: 1, Precision: 1, Budget: 3, Repetitions: 1}
		if f := searchtest.Run(s, q, next.Query.Next, 0.1, rand.New(rand.NewPCG(1, 1))); f.Trials > 3 {
			t.Errorf("%s: %d trials", s.Name, f.Trials)
		}
	}
}

func TestStepsAreExplained(t *testing.T) {
	q := next.Query{From: 1, To: 64, Precision: 1, Repetitions: 1, Load: next.Load{Users: 1}}
	rung := func(n int, met bool, excess float64) next.Rung {
		return next.Rung{Rung: n, Trials: 1, Met: met, Excess: excess, Throughput: 100, Mean: 0.01 * float64(n)}
	}
	for _, c := range []struct {
		name  string
		asked []next.Rung
		want  next.Step
	}{
		{"nothing yet", nil, next.Step{Rung: 1, Repetition: 1, Why: "the first rung"}},
		{"one queue: the response time doubles with the count", []next.Rung{rung(1, true, -math.Log(8.5))},
			next.Step{Rung: 8, Repetition: 1, Why: "1 met the objectives, and the line is predicted at 8"}},
		{"the other side of the line", []next.Rung{rung(1, true, -math.Log(8.5)), rung(8, true, math.Log(8/8.5))},
			next.Step{Rung: 9, Repetition: 1, Why: "8 met the objectives, and the line is predicted at 8"}},
		{"both sides, and far from the limit", []next.Rung{rung(8, true, -1), rung(9, false, 1)},
			next.Step{Done: true, Why: "the load line is between 8 and 9"}},
		{"both sides, and one is close to the limit", []next.Rung{rung(8, true, -0.05), rung(9, false, 1)},
			next.Step{Rung: 8, Repetition: 2, Why: "the load line is between 8 and 9; repeat 8 to be sure"}},
		{"a failure is tried twice", []next.Rung{rung(1, true, -1), rung(2, false, math.NaN())},
			next.Step{Rung: 2, Repetition: 2, Why: "the load line is between 1 and 2; repeat 2 to be sure"}},
		{"the end of the ladder", []next.Rung{rung(1, true, -3), rung(64, true, -1)},
			next.Step{Done: true, Why: "every objective is met up to 64, the ladder's maximum"}},
		{"not even one", []next.Rung{rung(1, false, 1)},
			next.Step{Done: true, Why: "not even 1 meets the objectives"}},
	} {
		if got := q.Next(c.asked); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

// Whatever the measurements, the next rung is on the ladder.
func TestHostileRungs(t *testing.T) {
	figure := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, math.NaN(), math.Inf(1), math.Inf(-1), -1}))
	one := rapid.Custom(func(r *rapid.T) next.Rung {
		return next.Rung{
			Rung: rapid.IntRange(1, 64).Draw(r, "rung"), Trials: rapid.IntRange(1, 6).Draw(r, "trials"),
			Met: rapid.Bool().Draw(r, "met"), Excess: figure.Draw(r, "excess"), Squares: figure.Draw(r, "squares"),
			Throughput: figure.Draw(r, "throughput"), Mean: figure.Draw(r, "mean"),
			Stations: []next.Station{{Servers: figure.Draw(r, "servers"), Utilisation: figure.Draw(r, "utilisation")}},
		}
	})
	rapid.Check(t, func(r *rapid.T) {
		asked := rapid.SliceOfNDistinct(one, 0, 8, func(m next.Rung) int { return m.Rung }).Draw(r, "rungs")
		q := next.Query{From: 1, To: 64, Repetitions: 1, Load: next.Load{Users: 4, Think: 1, Open: rapid.Bool().Draw(r, "open")}}
		if step := q.Next(asked); !step.Done && (step.Rung < 1 || step.Rung > 64) {
			r.Fatalf("%+v", step)
		}
	})
}
