package analysis

import (
	"fmt"
	"slices"

	"plimsoll/internal/analysis/interval"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/study"
	"plimsoll/internal/words"
)

// deploymentFindings state the throughput of every deployment as a multiple of
// that of bare instances, all else being equal.
func deploymentFindings(a *Analysis) (all []Finding) {
	apart := map[*Variant]contrast{}
	for i := range a.Variants {
		v := &a.Variants[i]
		if bare := bareOf(a, v); bare != nil {
			if c := contrastOf(a, bare, v); len(c.rungs) > 0 {
				apart[v] = c
			}
		}
	}
	for i := range a.Variants {
		v := &a.Variants[i]
		if c, is := apart[v]; is {
			c.family = len(apart)
			all = append(all, normalised(bareOf(a, v), v, c, a.Study.Noun))
		}
	}
	return all
}

// bareOf is the variant that differs from another in being bare alone; nil where
// there is none.
func bareOf(a *Analysis, v *Variant) *Variant {
	level, varied := v.Factors[setup.DeploymentPath]
	if !varied || level == string(study.Bare) {
		return nil
	}
	at := slices.IndexFunc(a.Variants, func(other Variant) bool {
		return other.Factors[setup.DeploymentPath] == string(study.Bare) && restOfFactors(&other, setup.DeploymentPath) == restOfFactors(v, setup.DeploymentPath)
	})
	if at < 0 {
		return nil
	}
	return &a.Variants[at]
}

// normalised is the finding for a variant. An interval that holds 1 shows no
// difference, however far from 1 the estimate is.
func normalised(bare, v *Variant, c contrast, noun string) Finding {
	mean := c.mean().Factor()
	text := fmt.Sprintf("`%s` has %s the throughput of `%s` %s", v.Name, timesText(mean), bare.Name, c.rungsText(noun))
	f := Finding{
		ID: "deployment-" + v.Name, Kind: "deployment", Variant: v.Name, Rung: c.rungs[len(c.rungs)-1],
		Numbers: map[string]float64{"times": mean.Value},
	}
	switch {
	case c.published:
	case mean.Confidence == 0:
		text += "; whether that is more than chance is undecided, because nothing was repeated"
	case mean.Low <= 1 && mean.High >= 1:
		text += "; a difference is not shown"
	}
	if mean.Bounded() {
		f.Numbers["low"], f.Numbers["high"] = mean.Low, mean.High
	}
	var each []string
	for _, n := range c.rungs {
		at := c.at(n).Factor()
		each = append(each, fmt.Sprintf("%s at %s", timesText(at), words.Count(n, noun)))
		f.Numbers[fmt.Sprintf("times_at_%d", n)] = at.Value
		f.Trials = append(append(f.Trials, rung.Find(bare.Rungs, n).Trials...), rung.Find(v.Rungs, n).Trials...)
	}
	if len(each) > 1 {
		text += ": " + words.Join(each)
	}
	f.Text = text + "."
	return f
}

// timesText writes "0.96 × (0.94–0.98)".
func timesText(i interval.Interval) string {
	text := fmt.Sprintf("%.2f ×", i.Value)
	if i.Bounded() {
		text += fmt.Sprintf(" (%.2f–%.2f)", i.Low, i.High)
	}
	return text
}
