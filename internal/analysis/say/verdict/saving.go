package verdict

import (
	"strings"
	"time"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
)

// savers are the variants whose work saves the state of other work, and their smallest rungs.
func savers(variants []*model.Variant) (all []*model.Variant, at []*rung.Rung) {
	for _, v := range variants {
		if r := rung.First(v.Rungs); r != nil && r.Saving != nil && v.Work.Saves != nil {
			all, at = append(all, v), append(at, r)
		}
	}
	return all, at
}

// savingCost states the compute time that saving and failures cost with each variant at one
// interval. It is empty for a question about durability, where a variant's cost is unknown,
// and where variants assume different things.
//
// Needs: The same of up to three variants with the same assumptions, unless the question is survival.
// It follows the headline.
func savingCost(a *model.Analysis) string {
	var asPlanned []*model.Variant
	for i := range a.Variants {
		asPlanned = append(asPlanned, &a.Variants[i])
	}
	all, at := savers(asPlanned)
	if len(all) == 0 || len(all) > few || a.Reply != nil && a.Reply.Kind == study.Survival {
		return ""
	}
	var parts []string
	for i, r := range at {
		if r.Saving.Lost == 0 || *all[i].Work.Saves != *all[0].Work.Saves {
			return ""
		}
		parts = append(parts, say.F("%s with `%s`", words.Percent(r.Saving.Lost), all[i].Name))
	}
	return say.F("%s add %s to the time that a job computes", words.Capital(assumed(all[0], at[0])), say.Join(parts))
}

// assumed says how often is saved, and how often something fails.
func assumed(v *model.Variant, r *rung.Rung) string {
	return say.F("one %s every %s and a failure every %s", v.Work.Saves.Save, span(r.Saving.Interval), span(r.Saving.Failures))
}

func span(seconds float64) string { return words.Span(time.Duration(seconds * float64(time.Second))) }

// savingTimes is a paragraph on each variant's times to save and to restore, and their
// cost.
//
// Needs: Interval and both times are at most a quarter of the time between failures; else the formula
// does not hold.
func savingTimes(variants []*model.Variant) string {
	var parts []string
	all, at := savers(variants)
	for i, v := range all {
		c := at[i].Saving
		text := say.F("`%s`: %s.", v.Name, takes(v))
		switch {
		case c.Lost == 0:
			text += say.F(" With %s, no job would ever end.", assumed(v, at[i]))
		case c.Best == 0:
			text += say.F(" With %s, that adds %s to the time that a job computes.", assumed(v, at[i]), words.Percent(c.Lost))
		default:
			text += say.F(" With %s, that adds %s to the time that a job computes; one every %s would add the least, %s.",
				assumed(v, at[i]), words.Percent(c.Lost), span(c.Best), words.Percent(c.Least))
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}

// takes says how long a variant saves and restores, and how fast; empty for other work.
func takes(v *model.Variant) string {
	r, s := rung.First(v.Rungs), v.Work.Saves
	if r == nil || r.Saving == nil || s == nil {
		return ""
	}
	c := r.Saving
	text := say.F("a %s takes %s (%s)", s.Save, words.Seconds(c.Save), rateText(c.SaveRate))
	if c.Restore > 0 {
		text += say.F(" and a %s %s (%s)", s.Restore, words.Seconds(c.Restore), rateText(c.RestoreRate))
	}
	return text
}

func rateText(bytes float64) string { return words.Figures(bytes/1e9) + " GB/s" }
