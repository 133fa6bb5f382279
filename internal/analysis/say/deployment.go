package say

import (
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/pairwise"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
)

// DeploymentFinding states the throughput of a deployment relative to bare instances. An
// interval that contains 1 shows no difference, however far from 1 the estimate is.
//
// Needs: A bare variant that is otherwise the same, at common rungs.
func DeploymentFinding(c pairwise.Deployment, noun string) model.Finding {
	bare, v := c.Bare, c.Variant
	mean := c.Mean().Factor()
	text := F("`%s` has %s the throughput of `%s` %s", v.Name, timesText(mean), bare.Name, RungsText(c.Contrast, noun))
	f := model.Finding{
		ID: "deployment-" + v.Name, Kind: model.DeploymentFinding, Variant: v.Name, Rung: c.Rungs[len(c.Rungs)-1],
		Numbers: map[string]float64{"times": mean.Value},
	}
	switch {
	case c.Published:
	case mean.Confidence == 0:
		text += F("; whether that is more than chance is undecided, because there are too few repetitions")
	case mean.Low <= 1 && mean.High >= 1:
		text += F("; a difference is not shown")
	}
	if mean.Bounded() {
		f.Numbers["low"], f.Numbers["high"] = mean.Low, mean.High
	}
	var each []string
	for _, n := range c.Rungs {
		at := c.At(n).Factor()
		each = append(each, F("%s at %s", timesText(at), Count(n, noun)))
		f.Numbers[F("times_at_%d", n)] = at.Value
		f.Trials = append(append(f.Trials, rung.Find(bare.Rungs, n).Trials...), rung.Find(v.Rungs, n).Trials...)
	}
	if len(each) > 1 {
		text += ": " + Join(each)
	}
	f.Text = text + "."
	return f
}

// timesText writes "0.96 × (0.94–0.98)".
func timesText(i stats.Interval) string {
	text := F("%.2f ×", i.Value)
	if i.Bounded() {
		text += F(" (%.2f–%.2f)", i.Low, i.High)
	}
	return text
}
