package say

import (
	"math"
	"slices"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/study/claim"
	"plimsoll/internal/text/words"
)

// Claims are results of claims with what the run shows of each.
//
// Needs: The figures on both sides of each comparison of a claim.
func Claims(results []model.ClaimResult, noun string) []model.ClaimResult {
	out := slices.Clone(results)
	for i := range out {
		out[i].Text = shown(out[i], noun)
	}
	return out
}

func shown(r model.ClaimResult, noun string) string {
	if r.Unread != "" {
		return F("this version cannot read the claim: %s", r.Unread)
	}
	var texts []string
	for _, c := range r.Comparisons {
		text := comparisonText(c, noun)
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return Join(texts)
}

// comparisonText is both sides with their bounds, or which figure is missing.
func comparisonText(c model.ClaimComparison, noun string) string {
	switch {
	case c.Missing != nil:
		return missingText(*c.Missing, noun)
	case c.Open:
		return F("%s and %s, where one may be off by any amount", words.Figures(c.Left.Value), words.Figures(c.Right.Value))
	case c.Outcome == claim.NotShown:
		return F("%s may be on either side of %s", boundedText(c.Left), boundedText(c.Right))
	case c.Outcome == claim.Contradicted:
		return F("%s is not %s %s", boundedText(c.Left), c.Operator, boundedText(c.Right))
	}
	return F("%s %s %s", boundedText(c.Left), c.Operator, boundedText(c.Right))
}

// boundedText is a figure with the range that it may be in.
func boundedText(i stats.Interval) string {
	switch {
	case i.Confidence == 0:
		return words.Figures(i.Value)
	case math.IsInf(i.High, 1):
		return F("at least %s", words.Figures(i.Low))
	}
	return F("%s (%s to %s)", words.Figures(i.Value), words.Figures(i.Low), words.Figures(i.High))
}

// missingText says why a figure is missing.
func missingText(m claim.Missing, noun string) string {
	switch m.Why {
	case claim.NoVariant:
		return F("no variant is `%s`, nor has its levels", m.Variant)
	case claim.Ambiguous:
		return F("several variants have the levels of `%s`", m.Variant)
	case claim.NoRung:
		return F("`%s` was not measured at %s", m.Variant, Count(m.At, noun))
	case claim.NotKept:
		return F("`%s` meets its objectives at no rung", m.Variant)
	case claim.TrialsLost:
		return F("every trial of `%s` failed at %s", m.Variant, Count(m.At, noun))
	}
	if m.Metric == "" {
		return F("a figure is divided by zero")
	}
	return F("`%s(\"%s\")` is not known", m.Metric, m.Variant)
}
