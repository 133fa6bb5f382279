package steady

import "math"

// A phase too short for shapes is held against a straight line alone. It cannot tell how
// far its noise is carried, so only what is plain is told: a line whose slope is surest
// times its standard error, and a change so large. With 20 % of noise, of which 60 % is
// carried to the next second, fewer than two in a hundred steady phases give such a line by
// chance.
const (
	fewestForLine = 8
	surest        = 6
	leastRise     = 0.25
)

// line judges a series that is too short for shapes.
func (p points) line() Course {
	n := float64(len(p.y))
	if n < fewestForLine {
		return Course{Kind: Steady}
	}
	mx, my := Mean(p.x), Mean(p.y)
	var squares, cross float64
	for i := range p.y {
		squares += (p.x[i] - mx) * (p.x[i] - mx)
		cross += (p.x[i] - mx) * (p.y[i] - my)
	}
	slope, rest := cross/squares, 0.0
	for i := range p.y {
		d := p.y[i] - my - slope*(p.x[i]-mx)
		rest += d * d
	}
	if math.Abs(slope) < surest*math.Sqrt(max(rest, n*leastNoise*leastNoise)/(n-2)/squares) {
		return Course{Kind: Steady}
	}
	begin, end := my-slope*mx, my+slope*(1-mx)
	change := bounded(end/max(begin, 1/mostChange) - 1)
	if math.Abs(change) < leastRise {
		return Course{Kind: Steady}
	}
	return Course{Kind: Drift, Change: change, To: float64(p.length), Influence: bounded(math.Abs(end-begin) / max(math.Abs(end), 1/mostChange))}
}
