package compare

import (
	"slices"

	"plimsoll/internal/analysis/compare/sides"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/text/words"
)

// lostBy are the rungs that one side lost.
func (c *Comparison) lostBy(b bool) []sides.LostRung {
	return slices.DeleteFunc(slices.Clone(c.Lost), func(l sides.LostRung) bool { return l.B != b })
}

// lostText says what failed: "every trial of `new` failed at 8 instances (3 of 3), where 3 of 3 of `old` passed".
//
// Needs: Trials that failed and passed on both sides of a rung.
func (c *Comparison) lostText(l sides.LostRung) string {
	of, other := c.A, c.B
	if l.B {
		of, other = c.B, c.A
	}
	on := ""
	if l.Variant != "" {
		on = say.F(" on `%s`", l.Variant)
	}
	return say.F("every trial of `%s` failed%s at %s (%d of %d), where %d of %d of `%s` passed", of, on, say.Count(l.Instances, c.Noun), l.Failed, l.Failed, l.Passed, l.Of, other)
}

// lostSentence names them all.
func (c *Comparison) lostSentence() string {
	if len(c.Lost) == 0 {
		return ""
	}
	texts := make([]string, len(c.Lost))
	for i, l := range c.Lost {
		texts[i] = c.lostText(l)
	}
	return words.Capital(say.Join(texts)) + "."
}

// holdLost fails what no condition on a metric can express: B does nothing where
// A did its work. Where part of A's trials failed, too, nothing is decided.
func (c *Comparison) holdLost() {
	for _, l := range c.lostBy(true) {
		if l.Passed == l.Of {
			c.Failed = append(c.Failed, c.lostText(l))
		} else {
			c.Undecided = append(c.Undecided, say.F("%s; whether that is chance is undecided", c.lostText(l)))
		}
	}
}
