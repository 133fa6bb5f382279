package medium

import (
	"math"
	"time"
)

// geometry turns places on a rotating drive into times. The rate falls linearly from the
// first byte (outer tracks) to the last. A byte's angle on its track follows from the time
// of a sequential read up to it, so that a stream crosses tracks without losing a rotation
// (track skew).
type geometry struct {
	size         float64
	outer, inner float64 // bytes a second
	period       float64 // seconds of a rotation
	seekMin      float64 // seconds
	seekMax      float64
}

func newGeometry(r Rotational, size int64) geometry {
	return geometry{
		size: float64(size), outer: r.OuterRate, inner: r.InnerRate, period: 60 / r.RPM,
		seekMin: r.SeekMin.Seconds(), seekMax: r.SeekMax.Seconds(),
	}
}

// rate is the sustained rate at a place.
func (g geometry) rate(x int64) float64 {
	return g.outer + (g.inner-g.outer)*float64(x)/g.size
}

// until is how many seconds a sequential read from the first byte takes to x:
// the integral of 1/rate.
func (g geometry) until(x int64) float64 {
	slope := (g.inner - g.outer) / g.size
	if slope == 0 {
		return float64(x) / g.outer
	}
	return math.Log(g.rate(x)/g.outer) / slope
}

// reached is the inverse of until.
func (g geometry) reached(s float64) int64 {
	slope := (g.inner - g.outer) / g.size
	x := s * g.outer
	if slope != 0 {
		x = g.outer / slope * math.Expm1(slope*s)
	}
	return min(int64(x), int64(g.size))
}

func (g geometry) transfer(from, to int64) time.Duration {
	return seconds(g.until(to) - g.until(from))
}

// seek is the time to move over a distance: none within a track.
func (g geometry) seek(from, to int64) time.Duration {
	distance := math.Abs(float64(to - from))
	if distance < g.rate(to)*g.period {
		return 0
	}
	return seconds(g.seekMin + (g.seekMax-g.seekMin)*math.Sqrt(distance/g.size))
}

// rotation is how long after now the byte x comes by.
func (g geometry) rotation(now time.Duration, x int64) time.Duration {
	const tolerance = 2e-6 // seconds; a head that just arrives must not wait a turn
	turns := (g.until(x) - now.Seconds()) / g.period
	wait := (turns - math.Floor(turns)) * g.period
	if wait > g.period-tolerance {
		return 0
	}
	return seconds(wait)
}
