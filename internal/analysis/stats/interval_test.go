package stats

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestBoundsThatDoNotExistAreNull(t *testing.T) {
	for want, i := range map[string]Interval{
		`{"value":6,"low":null,"high":null}`:                Exactly(6),
		`{"value":6,"low":5,"high":7,"confidence":0.95}`:    {Value: 6, Low: 5, High: 7, Confidence: 0.95},
		`{"value":6,"low":5,"high":null,"confidence":0.95}`: {Value: 6, Low: 5, High: math.Inf(1), Confidence: 0.95},
		`{"value":null,"low":null,"high":null}`:             {Value: math.NaN()},
	} {
		got, err := json.Marshal(i)
		if err != nil || string(got) != want {
			t.Errorf("%s, want %s, %v", got, want, err)
		}
	}
	if got, err := json.Marshal(Point{N: 2, Value: 3, Low: 1, High: math.Inf(1)}); err != nil || string(got) != `{"n":2,"value":3,"low":1,"high":null}` {
		t.Errorf("%s, %v", got, err)
	}
}

// Few repetitions that differ a lot bound nothing: the range is shown, and called a range.
func TestNoIntervalIsWiderThanTenfold(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 1))
	ranges := 0
	for range 2000 {
		groups := make([][]float64, 1+random.IntN(3))
		noise := math.Exp(6*random.Float64() - 5) // from 0.7 % to a factor of 2.7
		for i := range groups {
			for range 1 + random.IntN(3) {
				groups[i] = append(groups[i], noise*random.NormFloat64())
			}
		}
		estimates := Means(groups)
		for n, e := range estimates {
			i := Relative(math.Exp(e.Value), e, groups[n])
			lowest, highest := math.Exp(slices.Min(groups[n])), math.Exp(slices.Max(groups[n]))
			switch {
			case i.Bounded() && (i.High > Widest*i.Low || e.Freedom < MinFreedom):
				t.Fatalf("%+v of %v, %+v", i, groups[n], e)
			case i.Extremes && (i.Low != lowest || i.High != highest || i.Confidence != 0):
				t.Fatalf("%+v is not the range of %v", i, groups[n])
			case i.Extremes:
				ranges++
			}
			if c := RelativeChange(e, Confidence); c.Bounded() && 1+c.High > Widest*(1+c.Low) {
				t.Fatalf("change %+v", c)
			}
		}
	}
	if ranges < 200 {
		t.Errorf("only %d ranges", ranges)
	}
}

func TestBoundsThatAreTooWideAreNotWritten(t *testing.T) {
	wide := RelativeChange(Estimate{Value: math.Log(35.5), Error: 2, Freedom: 2}, Confidence)
	if got, err := json.Marshal(wide); err != nil || string(got) != `{"value":34.5,"low":null,"high":null}` {
		t.Errorf("%s, %v", got, err)
	}
}

func TestRangesThatMeetAreNotClearlyApart(t *testing.T) {
	a, b := Interval{Value: 12, Low: 8, High: 13, Extremes: true}, Interval{Value: 10, Low: 9, High: 11, Extremes: true}
	if ClearlyMore(a, b) {
		t.Error("ranges that meet")
	}
	if a.Low = 11.6; !ClearlyMore(a, b) {
		t.Error("ranges that do not")
	}
}

// The interval of a share of trials holds the true share in 95 % of cases at least, however few
// trials and whatever the share.
func TestProportionsHoldTheTrueShare(t *testing.T) {
	const sets = 2000
	random := rand.New(rand.NewPCG(7, 1))
	for _, trials := range []int{1, 3, 10, 50} {
		for _, share := range []float64{0, 0.02, 0.2, 0.5, 0.97, 1} {
			held := 0
			for range sets {
				lost := 0
				for range trials {
					if random.Float64() < share {
						lost++
					}
				}
				if i := Proportion(lost, trials); i.Low <= share && share <= i.High {
					held++
				}
			}
			const least = Confidence - 0.015 // three standard errors of so many sets
			if got := float64(held) / sets; got < least {
				t.Errorf("%d trials, %v: held in %v", trials, share, got)
			}
		}
	}
}

// Shares of published tables of exact intervals, and the ends, of which one bound is sure.
func TestProportionsAreExact(t *testing.T) {
	for _, c := range []struct {
		part, whole int
		low, high   float64
	}{
		{0, 3, 0, 0.7076}, {1, 2, 0.0126, 0.9874}, {0, 100, 0, 0.0362}, {10, 10, 0.6915, 1}, {5, 10, 0.1871, 0.8129},
	} {
		if i := Proportion(c.part, c.whole); math.Abs(i.Low-c.low) > 1e-4 || math.Abs(i.High-c.high) > 1e-4 || i.Value != float64(c.part)/float64(c.whole) {
			t.Errorf("%d of %d: %+v", c.part, c.whole, i)
		}
	}
	if i := Proportion(0, 0); i != (Interval{}) {
		t.Errorf("%+v", i)
	}
}
