package analysistest

import (
	"math"
	"math/rand/v2"
)

// draw is by what factors a trial is off.
type draw struct{ throughput, response float64 }

// noise draws for one trial after the other.
type noise struct {
	Noise
	random *rand.Rand
	// of the trial before, in standard deviations
	lastThroughput, lastResponse float64
	begun                        bool
}

func newNoise(n Noise, seed uint64) *noise {
	return &noise{Noise: n, random: rand.New(rand.NewPCG(seed, 0x5eed))}
}

// next draws for the next trial; rung is the index of its rung.
func (n *noise) next(rung int) draw {
	n.lastThroughput, n.lastResponse = n.carry(n.lastThroughput), n.carry(n.lastResponse)
	n.begun = true
	grown := 1.0
	if n.Growing > 0 {
		grown = math.Pow(n.Growing, float64(rung))
	}
	return draw{
		throughput: math.Exp(n.Throughput * grown * n.lastThroughput),
		response:   math.Exp(n.Response * grown * n.lastResponse),
	}
}

// carry is an autoregressive step that keeps a standard deviation of one; the
// first value is drawn from the same distribution as all others.
func (n *noise) carry(last float64) float64 {
	if !n.begun {
		return n.standard()
	}
	return n.Carried*last + math.Sqrt(1-n.Carried*n.Carried)*n.standard()
}

func (n *noise) standard() float64 {
	if !n.Heavy {
		return n.random.NormFloat64()
	}
	const freedom = 3
	sum := 0.0
	for range freedom {
		v := n.random.NormFloat64()
		sum += v * v
	}
	t := n.random.NormFloat64() / math.Sqrt(sum/freedom)
	return t / math.Sqrt(freedom) // the variance of t is f/(f-2) = 3
}
