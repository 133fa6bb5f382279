package claim

// Outcome is what figures say of a claim.
type Outcome string

// Outcomes, from the best known to the least.
const (
	Reproduced   Outcome = "reproduced"        // it holds for all that the figures may be
	Contradicted Outcome = "contradicted"      // it holds for none of it
	NotShown     Outcome = "not shown"         // for some of it
	NotMeasured  Outcome = "not measured here" // a figure is missing
)

// Result is what a run says of a claim.
type Result struct {
	Outcome Outcome
	// Comparisons are those that the claim consists of, in its order.
	Comparisons []Comparison
}

// Comparison is one of the comparisons of a claim.
type Comparison struct {
	Left     Figure
	Operator string // >=, >, <= or <
	Right    Figure
	Outcome  Outcome // of it alone
}

// compare judges a comparison. Intervals that overlap show nothing.
func compare(left Figure, operator string, right Figure) Comparison {
	c := Comparison{Left: left, Operator: operator, Right: right}
	c.Outcome = c.judged()
	return c
}

func (c Comparison) judged() Outcome {
	greater, less := c.Left, c.Right
	if c.Operator == "<=" || c.Operator == "<" {
		greater, less = less, greater
	}
	strict := c.Operator == ">" || c.Operator == "<"
	switch {
	case greater.Missing != nil || less.Missing != nil:
		return NotMeasured
	case greater.Open || less.Open:
		return NotShown
	case greater.Low > less.High || !strict && greater.Low == less.High:
		return Reproduced
	case greater.High < less.Low || strict && greater.High == less.Low:
		return Contradicted
	}
	return NotShown
}

// both is the outcome of two claims that must hold together.
func both(a, b Outcome) Outcome { return first(a, b, Contradicted, NotMeasured, NotShown, Reproduced) }

// either is the outcome of two claims where one must hold.
func either(a, b Outcome) Outcome {
	return first(a, b, Reproduced, NotMeasured, NotShown, Contradicted)
}

// first is the first of some outcomes that is one of two.
func first(a, b Outcome, order ...Outcome) Outcome {
	for _, o := range order {
		if a == o || b == o {
			return o
		}
	}
	return NotMeasured
}
