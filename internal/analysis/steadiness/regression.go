package steadiness

import "math"

// points is a series without its unknown values: values relative to their median, and
// positions from 0 at the beginning to 1 at the end.
type points struct {
	x, y []float64
	// second is how many seconds a value stands for.
	second float64
	length int // of the series, s
}

// most is how many values are judged; longer series are averaged.
const most = 300

// pointsOf makes the points of a series; ok is false where nothing is known or was done.
func pointsOf(rate []float64) (p points, ok bool) {
	middle := positiveMedian(rate)
	block := (len(rate) + most - 1) / most
	p.second, p.length = float64(block), len(rate)
	for from := 0; block > 0 && from < len(rate); from += block {
		part := rate[from:min(from+block, len(rate))]
		if v, some := someMean(part); some {
			p.x = append(p.x, (float64(from)+float64(len(part))/2)/float64(len(rate)))
			p.y = append(p.y, v/middle)
		}
	}
	return p, middle > 0
}

// fewest is how many values shapes need.
const fewest = 20

// someMean is the mean of the values that are known.
func someMean(values []float64) (mean float64, some bool) {
	sum, n := 0.0, 0.0
	for _, v := range values {
		if isRate(v) {
			sum, n = sum+v, n+1
		}
	}
	return sum / max(n, 1), n > 0
}

// curve is a shape that a series may have about its level: level + height*at(x).
type curve func(x float64) float64

// values are a curve's values at the points.
func (p points) values(c curve) []float64 {
	out := make([]float64, len(p.x))
	for i, x := range p.x {
		out[i] = c(x)
	}
	return out
}

// explained is by how much a curve lowers the sum of squares about the mean, by least
// squares.
func explained(y, f []float64) float64 {
	my, mf := Mean(y), Mean(f)
	var cross, squares float64
	for i := range y {
		d := f[i] - mf
		cross += d * (y[i] - my)
		squares += d * d
	}
	if squares <= 1e-12 {
		return 0
	}
	return cross * cross / squares
}

// fit is a curve fitted to a series whose noise is autoregressive of lag one.
type fit struct {
	level, height float64
	likelihood    float64 // its logarithm, but for a constant
}

// carries are the correlations of neighbours that are tried. Noise that runs against
// its neighbour counts as uncorrelated.
var carries = []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98}

// fitted is the most likely fit over the carries: generalised least squares with the
// transformation of Prais and Winsten ("Trend Estimators and Serial Correlation",
// Cowles Commission Discussion Paper 383, 1954). Without a curve it is a level alone.
func fitted(y, f []float64) (best fit) {
	best.likelihood = math.Inf(-1)
	for _, carry := range carries {
		if g := fittedWith(y, f, carry); g.likelihood > best.likelihood {
			best = g
		}
	}
	return best
}

func fittedWith(y, f []float64, carry float64) fit {
	var ones, cross, squares, oney, fy, yy float64
	add := func(o, g, v float64) {
		ones, cross, squares = ones+o*o, cross+o*g, squares+g*g
		oney, fy, yy = oney+o*v, fy+g*v, yy+v*v
	}
	at := func(i int) float64 {
		if f == nil {
			return 0
		}
		return f[i]
	}
	first := math.Sqrt(1 - carry*carry)
	add(first, first*at(0), first*y[0])
	for i := 1; i < len(y); i++ {
		add(1-carry, at(i)-carry*at(i-1), y[i]-carry*y[i-1])
	}
	var out fit
	if det := ones*squares - cross*cross; f != nil && det > 1e-12 {
		out.level = (oney*squares - fy*cross) / det
		out.height = (fy*ones - oney*cross) / det
	} else {
		out.level = oney / ones
	}
	n := float64(len(y))
	rest := max(yy-out.level*oney-out.height*fy, n*leastNoise*leastNoise)
	out.likelihood = -n/2*math.Log(rest) + math.Log(first)
	return out
}

// leastNoise is the noise that a series is taken to have at least, relative to its
// level: counts are whole numbers.
const leastNoise = 1e-4
