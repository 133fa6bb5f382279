package compare

import (
	"fmt"
	"slices"

	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/words"
)

// Lost is a rung at which every trial of one side failed, and trials of the other
// passed.
type Lost struct {
	Variant   string `json:"variant,omitempty"` // empty where each side has one
	Instances int    `json:"instances"`         // the rung
	// B says that it is B whose trials failed.
	B      bool `json:"b"`
	Failed int  `json:"failed"` // trials of the side that lost the rung
	// Passed and Of are the trials of the other side: those that passed, of all.
	Passed int `json:"passed"`
	Of     int `json:"of"`
}

// lost lists the rungs that one side lost. What is published does not tell why a
// rung has no figure.
func lost(variants []variantPair) []Lost {
	out := []Lost{}
	for _, v := range variants {
		if trial.Published(v.a[0]) || trial.Published(v.b[0]) {
			continue
		}
		a, b := trial.ByRung(v.a), trial.ByRung(v.b)
		for _, x := range a {
			i := slices.IndexFunc(b, func(g trial.Group) bool { return g.Instances == x.Instances })
			if i < 0 {
				continue
			}
			y := b[i]
			switch {
			case len(y.Passed) == 0 && len(x.Passed) > 0:
				out = append(out, Lost{v.name, x.Instances, true, len(y.Failed), len(x.Passed), len(x.Passed) + len(x.Failed)})
			case len(x.Passed) == 0 && len(y.Passed) > 0:
				out = append(out, Lost{v.name, x.Instances, false, len(x.Failed), len(y.Passed), len(y.Passed) + len(y.Failed)})
			}
		}
	}
	return out
}

// lostBy are the rungs that one side lost.
func (c *Comparison) lostBy(b bool) []Lost {
	return slices.DeleteFunc(slices.Clone(c.Lost), func(l Lost) bool { return l.B != b })
}

// text says what failed: "every trial of `new` failed at 8 instances (3 of 3), where 3 of 3 of `old` passed".
func (l Lost) text(c *Comparison) string {
	of, other := c.A, c.B
	if l.B {
		of, other = c.B, c.A
	}
	on := ""
	if l.Variant != "" {
		on = " on `" + l.Variant + "`"
	}
	return fmt.Sprintf("every trial of `%s` failed%s at %s (%d of %d), where %d of %d of `%s` passed", of, on, words.Count(l.Instances, c.Noun), l.Failed, l.Failed, l.Passed, l.Of, other)
}

// lostSentence names them all.
func (c *Comparison) lostSentence() string {
	if len(c.Lost) == 0 {
		return ""
	}
	texts := make([]string, len(c.Lost))
	for i, l := range c.Lost {
		texts[i] = l.text(c)
	}
	return words.Capital(words.Join(texts)) + "."
}

// holdLost fails what no condition on a metric can express: B does nothing where
// A did its work. Where part of A's trials failed, too, nothing is decided.
func (c *Comparison) holdLost() {
	for _, l := range c.lostBy(true) {
		if l.Passed == l.Of {
			c.Failed = append(c.Failed, l.text(c))
		} else {
			c.Undecided = append(c.Undecided, l.text(c)+"; whether that is chance is undecided")
		}
	}
}
