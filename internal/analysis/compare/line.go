package compare

import (
	"strings"

	"plimsoll/internal/analysis/compare/family"
	"plimsoll/internal/analysis/compare/sides"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/say"
)

// LinePair holds the load lines of a variant against each other.
type LinePair struct {
	Variant string            `json:"variant,omitempty"` // empty where each side has one
	A       loadline.LoadLine `json:"a"`                 // the load line of A
	B       loadline.LoadLine `json:"b"`                 // the load line of B
	// Verdict is better or worse where the intervals do not meet, no difference
	// where both are the same single count, else inconclusive.
	Verdict family.Verdict `json:"verdict"`
	Text    string         `json:"text"` // both lines in words
}

// linePairs compares the lines of variants that have objectives on both sides.
func linePairs(variants []sides.Variant) []LinePair {
	out := []LinePair{}
	for _, v := range variants {
		if len(v.RungsA) > 0 && len(v.RungsB) > 0 && len(v.RungsA[0].Objectives) > 0 && len(v.RungsB[0].Objectives) > 0 {
			out = append(out, LinePair{Variant: v.Name, A: v.LineA, B: v.LineB, Verdict: compareLines(v.LineA, v.LineB)})
		}
	}
	return out
}

// compareLines is the verdict on two lines.
func compareLines(a, b loadline.LoadLine) family.Verdict {
	switch b.Against(a) {
	case loadline.CarriesMore:
		return family.Better
	case loadline.CarriesFewer:
		return family.Worse
	case loadline.CarriesTheSame:
		return family.NoDifference
	}
	return family.Inconclusive
}

// sentence says what both sides carry, and whether that is decided.
func (p LinePair) sentence(a, b, noun string) string {
	on := ""
	if p.Variant != "" {
		on = say.F(" on `%s`", p.Variant)
	}
	text := say.F("Load line%s: %s with `%s`, %s with `%s`", on, say.LineRange(p.A, noun), a, say.LineRange(p.B, noun), b)
	switch p.Verdict {
	case family.Better:
		return text + say.F("; `%s` carries more.", b)
	case family.Worse:
		return text + say.F("; `%s` carries fewer.", b)
	case family.NoDifference:
		return text + "."
	}
	return say.F("%s; which carries more is undecided.", text)
}

// lineSentences joins them.
func (c *Comparison) lineSentences() string {
	texts := make([]string, len(c.LoadLines))
	for i := range c.LoadLines {
		c.LoadLines[i].Text = c.LoadLines[i].sentence(c.A, c.B, c.Noun)
		texts[i] = c.LoadLines[i].Text
	}
	return strings.Join(texts, " ")
}
