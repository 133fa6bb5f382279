package analysis

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/interval"
	"plimsoll/internal/analysis/queueing"
	"plimsoll/internal/result"
)

// ladderOf makes a variant of rungs with the given throughput, in OPM.
func ladderOf(n, opm []float64) *result.Run {
	var samples []sample
	for i := range n {
		samples = append(samples, sample{"a", int(n[i]), opm[i], 0.1, false, nil})
	}
	return madeUp(nil, samples...)
}

func scalability(t *testing.T, run *result.Run) *Scalability {
	t.Helper()
	s := analyse(t, run).Variants[0].Scalability
	if s == nil {
		t.Fatal("no law was fitted")
	}
	t.Log(s.Text)
	return s
}

// What obeys the law gets its parameters and its peak.
func TestLawThatHoldsIsSaid(t *testing.T) {
	n := []float64{1, 2, 4, 8, 16, 32, 64}
	truth := queueing.USL{Lambda: 1000, Sigma: 0.02, Kappa: 0.0008}
	var x []float64
	for _, v := range n {
		x = append(x, truth.At(v))
	}
	s := scalability(t, ladderOf(n, x))
	at, peak := truth.Peak()
	if !s.Holds || math.Abs(s.Sigma.Value/truth.Sigma-1) > 0.01 || math.Abs(s.PeakAt/at-1) > 0.01 || math.Abs(s.Peak/peak-1) > 0.01 {
		t.Errorf("%+v, want the peak %v at %v", s, peak, at)
	}
}

// A disk that carries the load up to its knee and then thrashes follows no such
// law: nothing is said of its peak, which was measured to be 99,262 at 32.
func TestLawThatFailsIsNotSaid(t *testing.T) {
	for _, c := range []struct {
		name   string
		n, opm []float64
		say    string
	}{
		{"knee, then collapse", []float64{1, 2, 4, 8, 16, 32, 64}, []float64{3300, 6580, 13100, 26000, 51500, 99262, 61000},
			"The scalability law does not describe `a`: at 32 it is off by 26 % from the measurement. Its parameters and peak are omitted."},
		{"collapse at the end", []float64{1, 2, 4, 8, 16, 32}, []float64{1000, 2000, 4000, 8000, 16000, 6000}, "at 16 it is off by 39 % from the measurement"},
		{"three rungs", []float64{1, 8, 64}, []float64{1000, 7000, 30000}, "at least 4 are needed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scalability(t, ladderOf(c.n, c.opm))
			if s.Holds || s.PeakAt != 0 || s.Model != nil || s.Lambda.Value != 0 || !strings.Contains(s.Text, c.say) {
				t.Errorf("%+v", s)
			}
		})
	}
}

// A peak above the bound is not said, though the law holds on the rungs.
func TestPeakAboveTheBoundIsNotSaid(t *testing.T) {
	n := []float64{1, 2, 4, 8, 16, 24, 48}
	truth := queueing.USL{Lambda: 1000, Sigma: 0.02, Kappa: 0.0008} // peak of 13,298 at 35
	var x []float64
	for _, v := range n {
		x = append(x, truth.At(v))
	}
	law, err := queueing.FitUSL(n, x)
	if err != nil {
		t.Fatal(err)
	}
	for bound, said := range map[float64]bool{13100: false, 14000: true} {
		s := &Scalability{Bounds: []interval.Point{exactPoint(1, bound), exactPoint(64, bound)}}
		if doubt := lawDoubt(law, n, x, s.Bounds); doubt != "" {
			t.Error(doubt)
		}
		if s.setLaw(law, n, x, true); (s.PeakAt > 0) != said {
			t.Errorf("bound %v: peak %v at %v", bound, s.Peak, s.PeakAt)
		}
	}
}

// A bound that a rung beat is no bound, and a network that is off is not drawn.
func TestBeatenBoundIsNotDrawn(t *testing.T) {
	m := machineUnderTest{cpu: 0.02, disk: 0.004, think: 300 * time.Millisecond}
	run := m.run(1, 2, 4, 8, 16, 32)
	for _, trial := range run.Trials[3:] { // commits are joined: an order costs a third of it
		o := trial.Operations["order"]
		trial.Operations["order"] = orders(3*float64(o.Count), o.Mean/3)
	}
	s := scalability(t, run)
	if len(s.Bounds) > 0 || len(s.Network) > 0 || !strings.Contains(s.Text, "are no upper bound") {
		t.Errorf("%+v", s)
	}
}

// knee is what a closed network of one disk and a shared CPU does, with noise:
// the shapes that the law must not be stretched over.
func knee(random *rand.Rand, cut bool) (n, x []float64) {
	net := queueing.Network{Think: 0.1 + random.Float64(), Stations: []queueing.Station{
		{Demand: 0.002 + 0.01*random.Float64(), Servers: 8}, {Demand: 0.002 + 0.02*random.Float64(), Servers: 1}}}
	all, err := net.Solve(8 * 64)
	if err != nil {
		panic(err)
	}
	for _, v := range []float64{1, 2, 4, 8, 16, 32, 64} {
		y := 60 * all[int(v)*8-1].Throughput * (1 + 0.03*random.NormFloat64())
		if cut && v > 16 {
			y *= 0.5 + 0.4*random.Float64() // thrashing
		}
		n, x = append(n, v), append(x, y)
	}
	return n, x
}

// Over simulated ladders no peak is said below a throughput that was measured,
// and none above the bound.
func TestPeaksAgreeWithWhatWasMeasured(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 9))
	held, peaks := 0, 0
	for i := range 600 {
		n, x := knee(random, i%2 == 0)
		law, err := queueing.FitUSL(n, x)
		if err != nil {
			t.Fatal(err)
		}
		s := &Scalability{Bounds: linearBounds(n, x)}
		s.Doubt = lawDoubt(law, n, x, s.Bounds)
		if s.Holds = s.Doubt == ""; s.Holds {
			s.setLaw(law, n, x, x[len(x)-1] < 0.95*highest(x))
		}
		if s.Holds {
			held++
		}
		if s.PeakAt == 0 {
			continue
		}
		peaks++
		bound, bounded := boundAt(s.Bounds, s.PeakAt)
		if s.Peak < highest(x) || bounded && s.Peak > bound {
			t.Errorf("set %d: peak %v at %v, measured %v, bound %v", i, s.Peak, s.PeakAt, highest(x), bound)
		}
		for j := range n {
			if off := math.Abs(s.pointAt(n[j])/x[j] - 1); off > fitTolerance+0.02 {
				t.Errorf("set %d: the law is %.0f %% off at %v", i, 100*off, n[j])
			}
		}
	}
	t.Logf("of 600 ladders the law held on %d, with a peak on %d", held, peaks)
}

// pointAt reads the law's curve near a count.
func (s *Scalability) pointAt(n float64) float64 {
	best := s.Model[0]
	for _, p := range s.Model {
		if math.Abs(p.N-n) < math.Abs(best.N-n) {
			best = p
		}
	}
	return best.Value * n / best.N // nearly linear between points so close
}

// Where throughput falls from the first rung on, the law's peak lies below it, where nothing
// was measured and no count of instances may be.
func TestAThroughputThatFallsThroughout(t *testing.T) {
	for name, x := range map[string]analysistest.Curve{
		"to a fifth": func(n int) float64 { return 8000 / (1 + 0.1*float64(n)) },
		"inversely":  func(n int) float64 { return 8000 / float64(n) },
		"slowly":     func(n int) float64 { return 8000 * (1 - 0.02*float64(n)) },
	} {
		made := analysistest.Set{
			Variants: []analysistest.Variant{{Name: "a", Response: analysistest.Constant(0.1), Throughput: x}},
			Rungs:    []int{1, 2, 4, 8, 16}, Repetitions: 3, Noise: analysistest.Noise{Throughput: 0.003},
		}
		s := analyse(t, made.Run(1)).Variants[0].Scalability
		if s.PeakAt != 0 || !strings.Contains(s.Text, "throughput falls from the smallest rung on, so its peak is at 1 instance or below") {
			t.Errorf("%s: %v, %s", name, s.PeakAt, s.Text)
		}
	}
}
