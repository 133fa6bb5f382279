package steadiness

import "math"

// Kind is what a series turns out to be.
type Kind string

// Kinds of series.
const (
	Steady Kind = "steady"
	WarmUp Kind = "warm-up" // its beginning differs from the rest
	Drift  Kind = "drift"   // it changes up to its end
	Change Kind = "shift"   // it changes at one moment, for good
	Dip    Kind = "dip"     // it falls once for a while
	Burst  Kind = "burst"   // it rises once for a while
	Dips   Kind = "dips"    // it falls several times, equally far apart
	Bursts Kind = "bursts"  // it rises several times, equally far apart
	Wave   Kind = "wave"    // it rises and falls evenly
	Stall  Kind = "stall"   // nothing ended for a while (Gaps); Judge finds none
)

// Shape is how a series changes over its length.
type Shape struct {
	Kind Kind
	// Change is relative: of the end to the beginning, of the level after a moment to
	// that before, of a dip to the rest, of the lowest to the highest of a wave; of a
	// warm-up, of the beginning's mean to the rest.
	Change float64
	// From and To are where the change, the dip or the warm-up lies, s.
	From, To float64
	// Period is the time from one dip to the next, s; To-From is then how long each lasts.
	// For a wave it is the wave's period.
	Period float64
	Times  int // that dips were seen, or whole waves
	// Influence is by how much the mean would differ without it, relative.
	Influence float64
}

const (
	// leastChange is the relative change from which a series is unsteady; leastInfluence is
	// the least effect on the mean that a passing change must have.
	leastChange, leastInfluence = 0.05, 0.005
	// A curve that makes more than lateShare of its change, and lateChange of the level, in
	// the second half has not settled.
	lateShare, lateChange = 0.1, 0.02
	// A warm-up is over where the curve first comes as near to its second half as that.
	reached = 0.01
	// mostChange is the largest relative change that is told.
	mostChange = 1e6
	// A rise within the first quarter is a warm-up.
	early = 0.25
)

// ShapeOf classifies the work done in each second of a phase. Shapes (lines that turn
// twice at most, steps, a dip, periodic dips, sines) are fitted with noise that is carried from one second to the next, and the likeliest is taken, if it is
// likelier than a steady level by more than the search for it makes it by chance.
// (The noise is that about the shape, not about a line: the cleaner a curve, the surer.)
// Seconds that are not known are left out; fewer than 20 known ones are held against a
// straight line alone, and fewer than 8 are steady. Two dips of a long phase are no period
// over it and yet two.
func ShapeOf(rate []float64) Shape {
	c, of := judge(rate)
	if c.Kind != Dip || of != dip { // what slopes down to it is no other one
		return c
	}
	inside := Gap{From: int(math.Round(c.From)), Seconds: int(math.Round(c.To - c.From))}
	other, _ := judge(Without(rate, []Gap{inside}))
	if other.Kind != Dip || math.Abs(other.Change-c.Change) > 0.5*math.Abs(c.Change) {
		return c
	}
	first, second := c, other
	if other.From < c.From {
		first, second = other, c
	}
	return Shape{
		Kind: Dips, Change: (c.Change + other.Change) / 2, From: first.From, To: first.To,
		Period: second.From - first.From, Times: 2, Influence: c.Influence + other.Influence,
	}
}

// judge judges one shape, and returns its family.
func judge(rate []float64) (Shape, family) {
	p, ok := pointsOf(rate)
	switch {
	case !ok:
		return Shape{Kind: Steady}, 0
	case len(p.y) < fewest:
		return p.line(), bend
	}
	s := p.best()
	if !(s.gain > 0) {
		return Shape{Kind: Steady}, 0
	}
	c := p.course(s)
	c.Change, c.Influence = bounded(c.Change), bounded(c.Influence)
	if math.Abs(c.Change) < leastChange || c.Kind != Drift && c.Kind != Change && c.Influence < leastInfluence {
		return Shape{Kind: Steady}, 0
	}
	return c, s.family
}

// bounded limits a relative change to mostChange: next to seconds with 10^16 times the
// work, the level of the others is lost in rounding and can be 0.
func bounded(change float64) float64 {
	if math.IsNaN(change) {
		return 0
	}
	return max(-mostChange, min(change, mostChange))
}

func (p points) course(s shape) Shape {
	switch s.family {
	case dips:
		kind := Dips
		if s.height > 0 {
			kind = Bursts
		}
		return p.dipped(kind, s, s.period*(s.to-s.from), s.to-s.from, s.period)
	case dip:
		kind := Dip
		if s.height > 0 {
			kind = Burst
		}
		return p.dipped(kind, s, s.to-s.from, s.to-s.from, 0)
	case step:
		return p.stepped(s)
	case wave:
		return p.waved(s)
	}
	if c, ok := p.returned(s); ok {
		return c
	}
	return p.curved(s)
}

// comesBack is which share of how far a line goes it comes back by at least where it has
// dipped or risen, rather than changed.
const comesBack = 0.4

// edges is the share of the phase at either end that is too short to have come from somewhere,
// or to come back to.
const edges = 0.05

// returned is a dip or a burst: a line leaves a level and comes back. It is compared with
// the levels at its start and end, without short edges, and lasts as long as the line is
// more than half as far away.
func (p points) returned(s shape) (c Shape, ok bool) {
	begin, end, turn, farthest := s.at(edges), s.at(1-edges), 0.0, 0.0
	for _, x := range s.turns {
		if x <= edges || x >= 1-edges {
			continue
		}
		v := s.at(x)
		if beyond := max(v-max(begin, end), min(begin, end)-v); beyond > farthest {
			turn, farthest = v, beyond
		}
	}
	if went := max(math.Abs(turn-begin), math.Abs(turn-end)); farthest == 0 || farthest < comesBack*went {
		return Shape{}, false
	}
	usual, length := (begin+end)/2, float64(p.length)
	from, to, off := 1.0, 0.0, 0.0
	for i := range steps {
		x := (float64(i) + 0.5) / steps
		off += math.Abs(s.at(x)-usual) / steps
		if math.Abs(s.at(x)-turn) <= math.Abs(turn-usual)/2 {
			from, to = min(from, x), max(to, x)
		}
	}
	c = Shape{Kind: Dip, Change: turn/usual - 1, From: from * length, To: to * length, Influence: off / usual}
	if turn > usual {
		c.Kind = Burst
	}
	return c, true
}

// steps are how many places of a curve are looked at.
const steps = 1000

// at is the value of a shape at a place. A fitted curve may pass below 0, which no rate does.
func (s shape) at(x float64) float64 { return max(0, s.level+s.height*s.curve(x)) }

// dipped is a course with dips so long, as a share of the phase, that take such a share
// of it.
func (p points) dipped(k Kind, s shape, long, share, period float64) Shape {
	length := float64(p.length)
	change := s.height / s.level
	from := s.from
	if period > 0 {
		from *= period
	}
	return Shape{Kind: k, Change: change, From: from * length, To: (from + long) * length, Period: period * length, Times: s.times, Influence: math.Abs(change) * share}
}

// waved is a course that swings. The mean differs by at most what half a swing that is not
// cut off adds to whole ones.
func (p points) waved(s shape) Shape {
	length, swing := float64(p.length), math.Abs(s.height)
	return Shape{
		Kind: Wave, Change: max(0, s.level-swing)/(s.level+swing) - 1, To: length, Period: s.period * length, Times: s.times,
		Influence: swing / s.level * s.period / math.Pi,
	}
}

func (p points) stepped(s shape) Shape {
	before, after := s.level, s.level+s.height
	at := s.from * float64(p.length)
	if after > before && s.from < early {
		return Shape{Kind: WarmUp, Change: before/after - 1, To: at, Influence: math.Abs(before/after-1) * s.from}
	}
	return Shape{Kind: Change, Change: after/before - 1, From: at, To: at, Influence: math.Abs(after/before - 1)}
}

// curved tells a warm-up from a change that goes on. What begins or ends below 0 begins or
// ends with nothing.
func (p points) curved(s shape) Shape {
	begin, end := s.at(0), s.at(1)
	total, second := math.Abs(end-begin), math.Abs(end-s.at(0.5))
	if second >= lateShare*total && second >= lateChange*math.Abs(end) {
		return Shape{Kind: Drift, Change: end/begin - 1, To: float64(p.length), Influence: total / math.Abs(end)}
	}
	var level, head, rest float64
	for i := range steps / 2 {
		level += s.at(0.5+(float64(i)+0.5)/steps) / (steps / 2)
	}
	n, way := 0, math.Copysign(1, level-begin)
	for i := range steps {
		v := s.at((float64(i) + 0.5) / steps)
		if n == i && way*(level-v) > reached*level {
			head, n = head+v, n+1
		} else {
			rest += v
		}
	}
	if n == 0 || n == steps {
		return Shape{Kind: Steady}
	}
	share := float64(n) / steps
	head, rest = head/float64(n), rest/float64(steps-n)
	return Shape{Kind: WarmUp, Change: head/rest - 1, To: share * float64(p.length), Influence: share * math.Abs(head/rest-1)}
}
