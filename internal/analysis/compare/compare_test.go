package compare

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/compare/family"
	"plimsoll/internal/analysis/compare/sides"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// noisyRun makes n repetitions at two rungs with 1 % of noise, scaled.
func noisyRun(variant string, n int, throughput, response float64, seed uint64) *result.Run {
	random := rand.New(rand.NewPCG(seed, 1))
	var samples []analysistest.Sample
	for _, rung := range []int{2, 8} {
		for range n {
			noise := func() float64 { return 1 + 0.01*random.NormFloat64() }
			samples = append(samples, analysistest.Sample{Variant: variant, Rung: rung, OPM: 10000 * float64(rung) * throughput * noise(), Mean: 0.1 * response * noise()})
		}
	}
	return analysistest.MadeUp(nil, samples...)
}

func compared(t *testing.T, a, b *result.Run, o Options) *Comparison {
	t.Helper()
	c, err := Runs(sides.Side{Run: a, Label: "old"}, sides.Side{Run: b, Label: "new"}, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(c); err != nil {
		t.Fatal(err)
	}
	t.Log(c.Verdict, c.Text, c.Failed)
	return c
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		name                 string
		n                    int
		throughput, response float64
		want                 family.Verdict
		failed               bool
	}{
		{"the same", 6, 1, 1, family.NoDifference, false},
		{"slower", 6, 0.8, 1.25, family.Worse, true},
		{"faster", 6, 1.2, 0.8, family.Better, false},
		{"faster but slow to answer", 6, 1.2, 1.2, family.Worse, true},
		{"slower, two repetitions", 2, 0.8, 1.25, family.Worse, true},
		{"slower, one repetition", 1, 0.8, 1.25, family.Untested, false},
		{"the same, one repetition", 1, 1, 1, family.Untested, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			fail, err := family.ParseCondition("p95 > +5%")
			if err != nil {
				t.Fatal(err)
			}
			got := compared(t, noisyRun("a", c.n, 1, 1, 1), noisyRun("b", c.n, c.throughput, c.response, 2), Options{FailIf: []family.Condition{fail}})
			if got.Verdict != c.want || (len(got.Failed) > 0) != c.failed {
				t.Errorf("%s, failed %v", got.Verdict, got.Failed)
			}
		})
	}
}

func TestCompareMatchesVariantsByName(t *testing.T) {
	both := func(seed uint64) *result.Run {
		run := noisyRun("hdd", 5, 1, 1, seed)
		run.Trials = append(run.Trials, noisyRun("ssd", 5, 3, 0.3, seed+10).Trials...)
		return run
	}
	c := compared(t, both(1), both(2), Options{})
	seen := map[string]bool{}
	for _, d := range c.Differences {
		seen[d.Variant] = true
	}
	if !seen["hdd"] || !seen["ssd"] || len(seen) != 2 {
		t.Errorf("variants %v", seen)
	}
	within, err := Runs(sides.Side{Run: both(1), Variant: "hdd"}, sides.Side{Run: both(1), Variant: "ssd"}, Options{})
	if err != nil || within.Verdict != family.Better || !strings.Contains(within.Text, "`ssd` is better than `hdd`") {
		t.Errorf("%+v, %v", within, err)
	}
}

func TestCompareRefusesWhatCannotBeCompared(t *testing.T) {
	a := noisyRun("a", 3, 1, 1, 1)
	if _, err := Runs(sides.Side{Run: a}, sides.Side{}, Options{}); !errors.Is(err, trust.ErrNothing) {
		t.Errorf("%v", err)
	}
	if _, err := Runs(sides.Side{Run: a}, sides.Side{Run: analysistest.MadeUp(nil, analysistest.Sample{Variant: "a", Rung: 3, OPM: 1, Mean: 1})}, Options{}); !errors.Is(err, ErrIncomparable) {
		t.Errorf("%v", err)
	}
	other := noisyRun("a", 3, 1, 1, 1)
	for _, t := range other.Trials {
		t.Profile.Unit = describe.Unit{Name: "transaction", Plural: "transactions", Throughput: "TPS", Seconds: 1}
	}
	if _, err := Runs(sides.Side{Run: a}, sides.Side{Run: other}, Options{}); err == nil || !strings.Contains(err.Error(), "TPS") {
		t.Errorf("%v", err)
	}
}
