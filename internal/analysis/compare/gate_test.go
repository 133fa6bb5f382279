package compare

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/compare/family"
	"plimsoll/internal/analysis/compare/sides"
	"plimsoll/internal/result"
	"plimsoll/test/quick"
)

func gated(t *testing.T, a, b *result.Run, margin float64, conditions ...string) *Comparison {
	t.Helper()
	o := Options{Margin: margin}
	for _, text := range conditions {
		f, err := family.ParseCondition(text)
		if err != nil {
			t.Fatal(err)
		}
		o.FailIf = append(o.FailIf, f)
	}
	c, err := Runs(sides.Side{Run: a, Label: "old"}, sides.Side{Run: b, Label: "new"}, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var (
	advised    = regexp.MustCompile(`if nothing changed, about (\d+) repetitions of each side would decide`)
	statesThat = "beyond the margin of -"
)

// A gate passes if nothing changed and its margin is wide enough for the noise, but never
// if the change is as large as the margin. If undecided, it says what would decide it, and
// that does.
func TestAGatePassesWithinItsMargin(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	const sets = 200
	for _, c := range []struct {
		rungs         []int
		repetitions   int
		factor        float64
		margin        float64
		least, most   float64 // of those that pass
		mostThatFail  float64
		leastThatFail float64
	}{
		{analysistest.OneRung, 3, 1, 0, 0, 0.6, 0.05, 0},
		{analysistest.OneRung, 3, 0.97, 0, 0, 0.05, 0.05, 0},
		{analysistest.OneRung, 3, 1, 0.08, 0.85, 1, 0.05, 0},
		{analysistest.OneRung, 3, 0.92, 0.08, 0, 0.05, 1, 0},
		{analysistest.FiveRungs, 3, 1, 0.08, 0.85, 1, 0.05, 0},
		{analysistest.FiveRungs, 3, 0.97, 0, 0, 0.05, 0.05, 0},
		{analysistest.FiveRungs, 3, 0.85, 0.08, 0, 0.01, 1, 0.95},
	} {
		a := analysistest.Side{Rungs: c.rungs, Repetitions: c.repetitions, Noise: 0.02}
		b := a
		b.Factor = c.factor
		passed, failed := 0, 0
		for seed := range uint64(sets) {
			got := gated(t, a.Run(2*seed), b.Run(2*seed+1), c.margin, "throughput < -3%")
			passed, failed = passed+len(got.Passed), failed+min(1, len(got.Failed))
			for _, text := range got.Passed {
				if !strings.Contains(text, statesThat) {
					t.Error(text)
				}
			}
			for _, text := range got.Undecided {
				if !strings.Contains(text, statesThat) || !advised.MatchString(text) {
					t.Error(text)
				}
			}
		}
		p, f := float64(passed)/sets, float64(failed)/sets
		t.Logf("%d rungs, factor %v, margin %v: passes %.3f, fails %.3f", len(c.rungs), c.factor, c.margin, p, f)
		if p < c.least || p > c.most || f > c.mostThatFail || f < c.leastThatFail {
			t.Errorf("%d rungs, factor %v, margin %v: passes %.3f, fails %.3f", len(c.rungs), c.factor, c.margin, p, f)
		}
	}
}

// So many repetitions as an undecided gate asks for decide it in most cases, also where one
// side is noisier than the other.
func TestTheRepetitionsAskedForDecide(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for _, noise := range [][2]float64{{0.02, 0.02}, {0.01, 0.03}, {0.03, 0.01}} {
		a := analysistest.Side{Rungs: analysistest.OneRung, Repetitions: 3, Noise: noise[0]}
		b := analysistest.Side{Rungs: analysistest.OneRung, Repetitions: 3, Noise: noise[1]}
		asked, n := repetitionsAskedFor(t, a, b)
		a.Repetitions, b.Repetitions = asked, asked
		passes := 0
		const sets = 100
		for seed := range uint64(sets) {
			passes += len(gated(t, a.Run(1000+2*seed), b.Run(1001+2*seed), 0, "throughput < -3%").Passed)
		}
		t.Logf("noise %v: %d repetitions on average of %d: %d of %d pass", noise, asked, n, passes, sets)
		if n < 20 || asked > 30 || passes < 70 {
			t.Errorf("noise %v: %d repetitions on average of %d: %d of %d pass", noise, asked, n, passes, sets)
		}
	}
}

// repetitionsAskedFor is how many undecided gates between two sides ask for on average, and
// how many gates that were.
func repetitionsAskedFor(t *testing.T, a, b analysistest.Side) (average, gates int) {
	t.Helper()
	sum := 0
	for seed := range uint64(60) {
		for _, text := range gated(t, a.Run(2*seed), b.Run(2*seed+1), 0, "throughput < -3%").Undecided {
			if m := advised.FindStringSubmatch(text); m != nil {
				v, err := strconv.Atoi(m[1])
				if err != nil {
					t.Fatal(err)
				}
				sum, gates = sum+v, gates+1
			}
		}
	}
	return (sum + gates - 1) / max(1, gates), gates
}

// failing lets some repetitions at a rung fail.
func failing(run *result.Run, rung, trials int) *result.Run {
	for _, t := range run.Trials {
		if t.Rung == rung && trials > 0 {
			t.Status, t.Failure, t.Operations = result.Failed, &result.Failure{Stage: "drive", Cause: "the server ended"}, nil
			trials--
		}
	}
	return run
}

func TestARungThatOneSideLost(t *testing.T) {
	side := analysistest.Side{Rungs: []int{2, 8}, Repetitions: 3, Noise: 0.01}
	const condition = "throughput < -50%"
	lostText := "every trial of `new` failed at 8 instances (3 of 3), where 3 of 3 of `old` passed"
	c := gated(t, side.Run(1), failing(side.Run(2), 8, 3), 0, condition)
	if c.Verdict != family.Worse || len(c.Failed) != 1 || c.Failed[0] != lostText || !strings.Contains(c.Text, "Every trial of `new` failed at 8 instances") {
		t.Errorf("%s: %s; failed %q", c.Verdict, c.Text, c.Failed)
	}
	c = gated(t, failing(side.Run(1), 8, 3), side.Run(2), 0, condition)
	if c.Verdict != family.Better || len(c.Failed) != 0 || len(c.Passed) != 1 {
		t.Errorf("%s: %s; failed %q, passed %q", c.Verdict, c.Text, c.Failed, c.Passed)
	}
	// Nothing is left to compare, and that is the result.
	one := analysistest.Side{Rungs: []int{8}, Repetitions: 3, Noise: 0.01}
	c = gated(t, one.Run(1), failing(one.Run(2), 8, 3), 0, condition)
	if c.Verdict != family.Worse || len(c.Failed) != 1 {
		t.Errorf("%s: %s; failed %q", c.Verdict, c.Text, c.Failed)
	}
	// Trials of both sides fail: chance, perhaps.
	c = gated(t, failing(side.Run(1), 8, 1), failing(side.Run(2), 8, 3), 0, condition)
	if len(c.Failed) != 0 || !c.Inconclusive() {
		t.Errorf("failed %q, undecided %q", c.Failed, c.Undecided)
	}
	// The remaining trials of B do not speak for it.
	c = gated(t, side.Run(1), failing(side.Run(2), 8, 2), 0, condition)
	if len(c.Failed) != 0 || len(c.Passed) != 0 || !strings.Contains(fmt.Sprint(c.Undecided), "2 of 3 trials of B failed, and 0 of 3 of A") {
		t.Errorf("failed %q, passed %q, undecided %q", c.Failed, c.Passed, c.Undecided)
	}
}

func TestRungsOfOneSideAreListed(t *testing.T) {
	a := analysistest.Side{Rungs: []int{2, 8, 16}, Repetitions: 3, Noise: 0.01}
	b := a
	b.Rungs = []int{1, 2, 8}
	c := gated(t, a.Run(1), b.Run(2), 0)
	if want := "Rungs of `a` that only one side measured: 1 in `new`, 16 in `old`."; len(c.Apart) != 1 || c.Apart[0] != want {
		t.Errorf("%q, want %q", c.Apart, want)
	}
}
