package scale

import (
	"math"
	"math/rand/v2"
	"testing"

	"plimsoll/internal/analysis/queueing"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/test/quick"
)

// Of exactly linear ladders with noise only a few are said to level off (it was 30 of
// 60), and of ladders that saturate without a peak none has one (it was 40 of 40).
func TestLaddersThatAreLinearOrSaturate(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 30))
	n := []float64{1, 2, 4, 8, 16, 32}
	bends, peaks := 0, 0
	const sets = 60
	for range sets {
		var line, flat []float64
		for _, v := range n {
			line = append(line, 100*v*(1+0.02*random.NormFloat64()))
			flat = append(flat, 100*min(v, 8)*(1+0.01*random.NormFloat64()))
		}
		if law, err := queueing.FitUSL(n, line); err != nil || law.Bends(n, line) {
			bends++
		}
		var rungs []rung.Rung
		for i := range n {
			rungs = append(rungs, rung.Rung{Instances: int(n[i]), Repetitions: 1, Throughput: stats.Exactly(flat[i])})
		}
		if law, err := queueing.FitUSL(n, flat); err == nil {
			s := &Scalability{}
			if s.setLaw(law, n, flat, fell(rungs)); s.PeakAt > 0 {
				peaks++
			}
		}
	}
	t.Logf("of %d: %d linear ones bend, %d saturated ones have a peak", sets, bends, peaks)
	if bends > sets/10 || peaks > 0 {
		t.Errorf("of %d: %d linear ones bend, %d saturated ones have a peak", sets, bends, peaks)
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
		s := &Scalability{Bounds: []stats.Point{exactPoint(1, bound), exactPoint(64, bound)}}
		if doubt := doubtOf(law, n, x, s.Bounds); doubt.Why != NoDoubt {
			t.Error(doubt)
		}
		if s.setLaw(law, n, x, true); (s.PeakAt > 0) != said {
			t.Errorf("bound %v: peak %v at %v", bound, s.Peak, s.PeakAt)
		}
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
	quick.Skip(t, quick.Seconds)
	random := rand.New(rand.NewPCG(3, 9))
	held, peaks := 0, 0
	for i := range 600 {
		n, x := knee(random, i%2 == 0)
		law, err := queueing.FitUSL(n, x)
		if err != nil {
			t.Fatal(err)
		}
		s := &Scalability{Bounds: linearBounds(n, x)}
		s.Doubted = doubtOf(law, n, x, s.Bounds)
		if s.Holds = s.Doubted.Why == NoDoubt; s.Holds {
			s.setLaw(law, n, x, x[len(x)-1] < 0.95*Highest(x))
		}
		if s.Holds {
			held++
		}
		if s.PeakAt == 0 {
			continue
		}
		peaks++
		bound, bounded := boundAt(s.Bounds, s.PeakAt)
		if s.Peak < Highest(x) || bounded && s.Peak > bound {
			t.Errorf("set %d: peak %v at %v, measured %v, bound %v", i, s.Peak, s.PeakAt, Highest(x), bound)
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
