package data

import "math/rand/v2"

// Sizes of sysbench's texts: groups of eleven digits with dashes between them.
const (
	groupDigits = 11
	groupLimit  = 100_000_000_000 // 10^groupDigits
	cGroups     = 10              // 119 characters in c char(120)
	padGroups   = 5               // 59 characters in pad char(60)
)

// appendGroups appends groups of random digits with dashes between them.
func appendGroups(b []byte, r *rand.Rand, n int) []byte {
	for i := range n {
		if i > 0 {
			b = append(b, '-')
		}
		b = appendDigits(b, r.Uint64N(groupLimit))
	}
	return b
}

// appendDigits appends the last digits of v, as many as a group has.
func appendDigits(b []byte, v uint64) []byte {
	var digits [groupDigits]byte
	for i := groupDigits - 1; i >= 0; i-- {
		digits[i] = byte('0' + v%10)
		v /= 10
	}
	return append(b, digits[:]...)
}

// mix spreads numbers that lie close together over 64 bits (the finaliser of
// SplitMix64, variant 13 of Stafford's mixers).
func mix(z uint64) uint64 {
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// stream is a random stream that can be started again for every row without
// allocating.
type stream struct {
	source rand.PCG
	*rand.Rand
}

func newStream() *stream {
	s := &stream{}
	s.Rand = rand.New(&s.source)
	return s
}
