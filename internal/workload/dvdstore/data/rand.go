package data

import "math/bits"

// gamma is the odd increment of SplitMix64: 2^64 divided by the golden ratio
// (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
// OOPSLA 2014).
const gamma = 0x9e3779b97f4a7c15

// Rand is the SplitMix64 generator: eight bytes of state, so that every row
// and every user can have one. The zero value is a usable stream.
type Rand struct{ state uint64 }

// NewRand starts a stream; different seeds give unrelated streams.
func NewRand(seed uint64) Rand { return Rand{state: mix(seed)} }

// Uint64 returns 64 random bits.
func (r *Rand) Uint64() uint64 {
	r.state += gamma
	return mix(r.state)
}

// N returns a uniform number in [0, n); n must be positive. Its bias is below
// n/2^64.
func (r *Rand) N(n int64) int64 {
	hi, _ := bits.Mul64(r.Uint64(), uint64(n))
	return int64(hi)
}

// Between returns a uniform number from low to high, both included.
func (r *Rand) Between(low, high int64) int64 { return low + r.N(high-low+1) }

// Float64 returns a uniform number in [0, 1).
func (r *Rand) Float64() float64 { return float64(r.Uint64()>>11) / (1 << 53) }

// mix is the finaliser of SplitMix64 (variant 13 of Stafford's mixers).
func mix(z uint64) uint64 {
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}
