package steadiness

import "math"

// shape is a curve that explains a series, and how well.
type shape struct {
	family
	curve
	fit
	// gain is twice by how much the logarithm of the likelihood grows with the curve,
	// less what the family's search finds by chance in a steady series.
	gain             float64
	from, to, period float64   // of a step, a dip or dips, as shares of the phase
	times            int       // of dips
	turns            []float64 // of a bend: when it turns, as shares of the phase
}

// family are the shapes of one kind.
type family int

const (
	bend family = iota // goes straight and turns twice at most
	step               // changes at once
	dip                // falls or rises for a while
	dips               // falls or rises for a while each period
	wave               // rises and falls evenly
)

// chance is the gain that a family finds by chance in fewer than one in 100 steady
// series of so many values, whatever part of their noise is carried from one second to
// the next (0 to 0.95): counted in made-up series of 40 to 300 s, as bench/truth counts
// what all families come to. More shapes find more, and slow ones more in short series,
// which cannot tell how far their noise is carried.
func (s shape) chance(values int) float64 {
	slow := 600 / float64(values)
	return map[family]float64{bend: 12 + 6*float64(len(s.turns)) + slow, step: 24, dip: 28, dips: 34, wave: 20 + slow}[s.family]
}

// best is the shape that explains the series best.
func (p points) best() (best shape) {
	best.gain = math.Inf(-1)
	level := fitted(p.y, nil).likelihood
	for _, s := range append(p.bends(), p.step(), p.dip(), p.dips(), p.wave()) {
		if s.curve == nil {
			continue
		}
		s.fit = fitted(p.y, p.values(s.curve))
		s.gain = 2*(s.likelihood-level) - s.chance(len(p.y))
		if s.gain > best.gain {
			best = s
		}
	}
	return best
}

// edge is how many values lie at least on either side of a step, and ends on either side of a
// dip, whose level is found again.
const (
	edge = 5
	ends = 2
)

// step tries a change at every moment.
func (p points) step() shape {
	sums := cumulative(p.y)
	n := len(p.y)
	at, least := 0, 0.0
	for k := edge; k <= n-edge; k++ {
		if e := boxExplained(sums, k, n); e > least {
			at, least = k, e
		}
	}
	if at == 0 {
		return shape{}
	}
	from := p.boundary(at)
	return shape{family: step, from: from, to: 1, curve: box(from, 2)}
}

// dip tries a level that is left for a while, downwards or upwards, and found again.
func (p points) dip() shape {
	sums := cumulative(p.y)
	n := len(p.y)
	var from, to int
	least := 0.0
	for i := ends; i < n-ends; i++ {
		for j := i + 1; j <= n-ends; j++ {
			if e := boxExplained(sums, i, j); e > least {
				from, to, least = i, j, e
			}
		}
	}
	if to == 0 {
		return shape{}
	}
	a, b := p.boundary(from), p.boundary(to)
	return shape{family: dip, from: a, to: b, curve: box(a, b)}
}

// boundary is where the value before a place ends and that at it begins.
func (p points) boundary(at int) float64 { return (p.x[at-1] + p.x[min(at, len(p.x)-1)]) / 2 }

func box(from, to float64) curve {
	return func(x float64) float64 {
		if x >= from && x < to {
			return 1
		}
		return 0
	}
}

// cumulative has the sum of the first i values at i.
func cumulative(y []float64) []float64 {
	out := make([]float64, len(y)+1)
	for i, v := range y {
		out[i+1] = out[i] + v
	}
	return out
}

// boxExplained is what a level of its own for the values from i to before j explains.
func boxExplained(sums []float64, i, j int) float64 {
	n := float64(len(sums) - 1)
	inside, all := float64(j-i), sums[len(sums)-1]
	if inside <= 0 || inside >= n {
		return 0
	}
	d := (sums[j] - sums[i]) - all*inside/n
	return d * d * n / (inside * (n - inside))
}

// dips looks for a box that returns each period, by folding the series at every period
// (Kovács, Zucker and Mazeh, "A Box-Fitting Algorithm in the Search for Periodic
// Transits", Astronomy and Astrophysics 391, 2002).
func (p points) dips() shape {
	seconds := float64(p.length)
	unit := p.second // of a bin
	best, least := shape{}, 0.0
	for period := 2 * unit; period <= 0.75*seconds; period += max(unit/2, period/100) {
		bins := min(int(math.Ceil(period/unit)), mostBins)
		sum, count := p.folded(period/seconds, bins)
		phase, width, e := bestBox(sum, count)
		if e > least {
			least = e
			best = shape{family: dips, period: period / seconds, from: float64(phase) / float64(bins), to: float64(phase+width) / float64(bins)}
		}
	}
	if least == 0 {
		return shape{}
	}
	best.curve = comb(best.period, best.from, best.to)
	if best.times = p.eachCycle(best); best.times == 0 {
		return shape{}
	}
	return best
}

// mostBins bounds the work at long periods: a bin is then an eightieth of one.
const mostBins = 80

// folded sums the deviations from the mean by position in the period.
func (p points) folded(period float64, bins int) (sum, count []float64) {
	sum, count = make([]float64, bins), make([]float64, bins)
	mean := Mean(p.y)
	for i, x := range p.x {
		cycles := x / period
		at := min(int((cycles-math.Floor(cycles))*float64(bins)), bins-1)
		sum[at] += p.y[i] - mean
		count[at]++
	}
	return sum, count
}

// leaning is what a rise must explain more than a fall to be taken for it: where both
// take half of a period, either is as true.
const leaning = 1.1

// bestBox is the run of bins, at most half of them, that lies off the rest by most.
func bestBox(sum, count []float64) (phase, width int, explains float64) {
	bins := len(sum)
	all := 0.0
	for _, c := range count {
		all += c
	}
	for from := range bins {
		s, c, at := 0.0, 0.0, from
		for w := 1; w <= bins/2; w++ {
			s, c = s+sum[at], c+count[at]
			if at++; at == bins {
				at = 0
			}
			of, over := s*s*all, c*(all-c)
			if over <= 0 {
				continue
			}
			if s > 0 {
				over *= leaning
			}
			if of > explains*over {
				phase, width, explains = from, w, of/over
			}
		}
	}
	return phase, width, explains
}

// shortWave is how many values a wave takes at least; shorter ones are dips.
const shortWave = 6

// wave fits sines of every period that fits into the phase at least one and a half times.
func (p points) wave() shape {
	seconds := float64(p.length)
	best, least := shape{}, 0.0
	sine, cosine := make([]float64, len(p.x)), make([]float64, len(p.x))
	// A quarter of the frequencies that a phase can tell apart from each other.
	for cycles := 1.5; cycles <= seconds/(shortWave*p.second); cycles += 0.25 {
		for i, x := range p.x {
			sine[i], cosine[i] = math.Sincos(2 * math.Pi * cycles * x)
		}
		if e, phase := waveExplained(p.y, sine, cosine); e > least {
			least = e
			best = shape{family: wave, period: 1 / cycles, times: int(cycles), curve: func(x float64) float64 { return math.Cos(2*math.Pi*cycles*x - phase) }}
		}
	}
	return best
}

// waveExplained is by how much a sine of any phase lowers the sum of squares about the
// mean, nearly, and where it is highest (Lomb, "Least-Squares Frequency Analysis of
// Unequally Spaced Data", Astrophysics and Space Science 39, 1976).
func waveExplained(y, sine, cosine []float64) (explains, phase float64) {
	mean := Mean(y)
	var s, c, ss, cc, sc float64
	for i, v := range y {
		v -= mean
		s, c = s+v*sine[i], c+v*cosine[i]
		ss, cc, sc = ss+sine[i]*sine[i], cc+cosine[i]*cosine[i], sc+sine[i]*cosine[i]
	}
	det := ss*cc - sc*sc
	if det <= 1e-12 {
		return 0, 0
	}
	a, b := (s*cc-c*sc)/det, (c*ss-s*sc)/det
	return a*s + b*c, math.Atan2(a, b)
}

// comb is a box from one part of each period to another, which may lie past its end.
func comb(period, from, to float64) curve {
	return func(x float64) float64 {
		at := math.Mod(x, period) / period
		if at >= from && at < to || at+1 < to {
			return 1
		}
		return 0
	}
}

// eachCycle counts the periods that have their dip or rise, 0 where one in five or more
// has none: one fall is no period.
func (p points) eachCycle(s shape) int {
	inside, outside := map[int][]float64{}, []float64{}
	for i, x := range p.x {
		if s.curve(x) > 0 {
			cycle := int(math.Floor(x/s.period - s.from))
			inside[cycle] = append(inside[cycle], p.y[i])
		} else {
			outside = append(outside, p.y[i])
		}
	}
	level, sum := Mean(outside), 0.0
	for _, values := range inside {
		sum += level - Mean(values)
	}
	mean, deep := sum/float64(len(inside)), 0
	for _, values := range inside {
		if (level-Mean(values))/mean >= 0.5 {
			deep++
		}
	}
	if deep < 2 || 5*deep < 4*len(inside) {
		return 0
	}
	return deep
}
