package next

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

// An accuracy has the rungs behind the figure that may be off the most repeated, in turns, until it is
// reached, and says so; or why it is not.
func TestAccurateRepeatsUntilTheBoundIsReached(t *testing.T) {
	for name, c := range map[string]struct {
		scatter, other float64 // of one repetition, and what none shrinks
		open           bool
		within         time.Duration
		trials         int // that are measured again
		says           string
	}{
		"reached at once":              {scatter: 0.05, says: "may be off by at most 5 %, and 10 % was asked for"},
		"reached by repeating":         {scatter: 0.2, trials: 6, says: "may be off by at most 10 %, and 10 % was asked for"},
		"never by repeating":           {scatter: 0.2, other: 0.15, says: "more repetitions do not bring the answer within 10 %"},
		"without a bound":              {open: true, says: "more repetitions do not bring the answer within 10 %"},
		"not by as many as are made":   {scatter: 0.9, trials: 18, says: "10 repetitions do not bring the answer within 10 %"},
		"not within the search's time": {scatter: 0.2, within: time.Nanosecond, says: "the time of 0 s is spent"},
	} {
		t.Run(name, func(t *testing.T) {
			v := study.Variant{Name: "ssd"}
			p := &plan.Plan{Study: &study.Study{Accuracy: 0.1}, Variants: []study.Variant{v}, Within: c.within}
			run := &result.Run{Plan: p}
			measure := func(trial plan.Trial) {
				run.Trials = append(run.Trials, &result.Trial{ID: trial.ID, Variant: v, Rung: trial.Rung, Repetition: trial.Repetition, Status: result.Passed})
			}
			for _, rung := range []int{4, 8} {
				measure(p.Append("ssd", rung, 1))
			}
			answer := func(run *result.Run) *model.AnswerBound {
				fewest := min(tried(run, "ssd", 4), tried(run, "ssd", 8))
				// of independent repetitions
				random := bound.RandomBy(c.scatter/math.Sqrt(float64(fewest)), 0)
				doubts := []model.Doubt{{Kind: trust.OneRepetition, Bound: random}, {Bound: bound.Bound{TooLow: c.other, Open: c.open}}}
				return &model.AnswerBound{Variant: "ssd", Rungs: []int{4, 8}, Bound: bound.Sum(random, doubts[1].Bound), Doubts: doubts}
			}
			done := func(*result.Run) (plan.Trial, string, bool) { return plan.Trial{}, "the ladder is measured", false }
			choose, asked := Accurate(p, done, answer), 0
			for {
				next, why, more := choose(run)
				if !more {
					if asked != c.trials || !strings.Contains(strings.ToLower(why), c.says) || !strings.HasPrefix(why, "the ladder is measured. ") {
						t.Errorf("%d trials, then %q", asked, why)
					}
					return
				}
				if asked++; asked > 100 {
					t.Fatal("it does not end")
				}
				if want := fmt.Sprintf("repeating ssd at %d", next.Rung); !strings.Contains(why, want) {
					t.Errorf("%q does not say %q", why, want)
				}
				measure(next)
			}
		})
	}
}

// Of a run in which nothing was measured nothing can be made more accurate.
func TestAccurateWithoutAnAnswer(t *testing.T) {
	p := &plan.Plan{Study: &study.Study{Accuracy: 0.1}}
	done := func(*result.Run) (plan.Trial, string, bool) { return plan.Trial{}, "", false }
	choose := Accurate(p, done, func(*result.Run) *model.AnswerBound { return nil })
	if _, why, more := choose(&result.Run{Plan: p}); more || !strings.Contains(why, "nothing was measured") {
		t.Errorf("%v, %q", more, why)
	}
}
