package analysistest

import (
	"math"
	"math/rand/v2"
)

// Rates describes a made-up series of the work done in each second.
type Rates struct {
	Seconds int
	// Noise is its standard deviation relative to the level, Carried the noise's lag-1
	// autocorrelation.
	Noise, Carried float64
	// Level is the true rate in a second; nil is 1000 in all.
	Level func(second int) float64
}

// Series makes the series of a seed. No rate is below 0.
func (r Rates) Series(seed uint64) []float64 {
	random := rand.New(rand.NewPCG(seed, 17))
	out := make([]float64, r.Seconds)
	z := random.NormFloat64()
	for i := range out {
		level := 1000.0
		if r.Level != nil {
			level = r.Level(i)
		}
		out[i] = max(0, level*(1+r.Noise*z))
		z = r.Carried*z + math.Sqrt(1-r.Carried*r.Carried)*random.NormFloat64()
	}
	return out
}
