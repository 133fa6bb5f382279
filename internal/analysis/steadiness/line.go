package steadiness

import "math"

// A phase too short for shapes is only tested for a straight line. It is too short to
// estimate autocorrelation, so only plain cases are reported: a slope of surest times its
// standard error, and a change so large. With 20 % of noise, 60 % of it carried to the next
// second, fewer than two in a hundred steady phases give such a line by chance.
const (
	fewestForLine = 8
	surest        = 6
	leastRise     = 0.25
)

// line judges a series that is too short for shapes.
func (p points) line() Shape {
	n := float64(len(p.y))
	if n < fewestForLine {
		return Shape{Kind: Steady}
	}
	f := fittedWith(p.y, p.x, 0)
	rest := math.Exp(-2 * f.likelihood / n) // sum of squares about the line
	if explained(p.y, p.x) < surest*surest*rest/(n-2) {
		return Shape{Kind: Steady}
	}
	begin, end := f.level, max(0, f.level+f.height)
	change := bounded(end/max(begin, 1/mostChange) - 1)
	if math.Abs(change) < leastRise {
		return Shape{Kind: Steady}
	}
	return Shape{Kind: Drift, Change: change, To: float64(p.length), Influence: bounded(math.Abs(end-begin) / max(math.Abs(end), 1/mostChange))}
}
