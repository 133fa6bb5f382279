// Package distribution draws which of n things is used when some are used more often
// than others: Zipf's law, Pareto's, a hot spot. A rank of 0 is the thing used
// most often; Scatter says where it lies.
package distribution

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
)

// Ranks draws ranks from 0 to n-1, the most popular one first. It belongs to one
// goroutine.
type Ranks interface {
	Next(random *rand.Rand) int64
}

// Uniform gives every rank the same share.
type Uniform struct{ N int64 }

// Next draws a rank.
func (u Uniform) Next(random *rand.Rand) int64 { return random.Int64N(u.N) }

// HotSpot gives the first part of the ranks a share of all draws of its own.
type HotSpot struct {
	n, hot int64
	share  float64
}

// NewHotSpot sends the share (0..1) of the draws to the part (0..1) of n ranks
// that comes first; within both all are equal.
func NewHotSpot(n int64, share, part float64) HotSpot {
	return HotSpot{n: n, hot: min(n, max(1, int64(math.Round(part*float64(n))))), share: share}
}

// Next draws a rank.
func (h HotSpot) Next(random *rand.Rand) int64 {
	if h.hot == h.n || random.Float64() < h.share {
		return random.Int64N(h.hot)
	}
	return h.hot + random.Int64N(h.n-h.hot)
}

// Pareto draws by the law that the name "80/20" is known by.
type Pareto struct {
	n     int64
	power float64
}

// NewPareto is self-similar: the first share h (0 < h < 1/2) of n ranks gets
// 1-h of the draws, and the same holds within that share again. Gray et al.,
// "Quickly generating billion-record synthetic databases", SIGMOD 1994.
func NewPareto(n int64, h float64) Pareto {
	return Pareto{n: n, power: math.Log(h) / math.Log(1-h)}
}

// Next draws a rank.
func (p Pareto) Next(random *rand.Rand) int64 {
	return min(p.n-1, int64(float64(p.n)*math.Pow(random.Float64(), p.power)))
}

// Zipf draws rank k with a probability proportional to 1/(k+1)^exponent, by
// rejection-inversion, in constant time and memory: Hörmann and Derflinger,
// "Rejection-inversion to generate variates from monotone discrete
// distributions", ACM TOMACS 6(3), 1996.
type Zipf struct {
	n        float64
	exponent float64
	// The integral of x^-exponent from 1, less the first step, and at n+1/2.
	first, last float64
	accept      float64 // how close to its rank a point is always accepted
}

// NewZipf takes an exponent above 0; 1 is Zipf's own.
func NewZipf(n int64, exponent float64) Zipf {
	z := Zipf{n: float64(n), exponent: exponent}
	z.first = z.integral(1.5) - 1
	z.last = z.integral(z.n + 0.5)
	z.accept = 2 - z.inverse(z.integral(2.5)-math.Pow(2, -exponent))
	return z
}

// Next draws a rank.
func (z Zipf) Next(random *rand.Rand) int64 {
	for {
		u := z.last + random.Float64()*(z.first-z.last)
		x := z.inverse(u)
		k := min(z.n, max(1, math.Floor(x+0.5)))
		if k-x <= z.accept || u >= z.integral(k+0.5)-math.Pow(k, -z.exponent) {
			return int64(k) - 1
		}
	}
}

// integral is the integral of t^-exponent from 1 to x.
func (z Zipf) integral(x float64) float64 {
	log := math.Log(x)
	y := (1 - z.exponent) * log
	if math.Abs(y) < 1e-8 { // the limit at an exponent of 1
		return log * (1 + y/2)
	}
	return math.Expm1(y) / (1 - z.exponent)
}

func (z Zipf) inverse(integral float64) float64 {
	y := integral * (1 - z.exponent)
	if math.Abs(y) < 1e-8 {
		return math.Exp(integral * (1 - y/2))
	}
	return math.Exp(math.Log1p(max(-1, y)) / (1 - z.exponent))
}

// Scatter maps ranks to places one to one, so that popular things do not lie
// side by side.
type Scatter struct{ n, factor, shift int64 }

// NewScatter derives the order of n places from a seed.
func NewScatter(n int64, seed uint64) Scatter {
	random := rand.New(rand.NewPCG(seed, 0x5ca77e6))
	factor := n/2 + random.Int64N(n/2+1)
	for ; commonFactor(factor, n) != 1; factor++ {
	}
	return Scatter{n: n, factor: factor % n, shift: random.Int64N(n)}
}

func commonFactor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Place is where a rank lies: 0 to n-1.
func (s Scatter) Place(rank int64) int64 {
	if s.n == 1 {
		return 0
	}
	return (mulMod(rank, s.factor, s.n) + s.shift) % s.n
}

// mulMod is a*b mod n without overflow.
func mulMod(a, b, n int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	return int64(bits.Rem64(hi, lo, uint64(n)))
}

// CheckZipf returns an error if the exponent is out of range.
func CheckZipf(exponent float64) error {
	if !(exponent > 0 && exponent <= 10) {
		return fmt.Errorf("a zipfian distribution needs an exponent above 0, at most 10, got %v", exponent)
	}
	return nil
}

// CheckPareto returns an error if h is out of range.
func CheckPareto(h float64) error {
	if !(h > 0 && h < 0.5) {
		return fmt.Errorf("a pareto distribution needs an h between 0 and 0.5, got %v", h)
	}
	return nil
}
