package say

import (
	"math"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/price"
	"plimsoll/internal/analysis/rung"
)

// PriceFindings are the conclusions of the cost model.
func PriceFindings(p *price.Prices) []model.Finding {
	if p == nil {
		return nil
	}
	out := make([]model.Finding, 0, len(p.Text))
	for i, text := range p.Text {
		out = append(out, model.Finding{ID: F("price-%d", i+1), Kind: model.PriceFinding, Text: text})
	}
	return out
}

// LineFinding states the line with the rungs on both sides of it, and how to narrow it
// down.
//
// Needs: No rung between the two at the line was measured.
func LineFinding(v *model.Variant) model.Finding {
	l := v.LoadLine
	f := model.Finding{
		ID: "load-line-" + v.Name, Kind: model.LoadLineFinding, Variant: v.Name, Rung: l.Rung,
		Text: "`" + v.Name + "`: " + l.Text + ".", Numbers: map[string]float64{"count": l.Count.Value},
	}
	if l.Count.Confidence > 0 {
		f.Numbers["low"] = l.Count.Low
		if !math.IsInf(l.Count.High, 1) {
			f.Numbers["high"] = l.Count.High
		}
	}
	if l.Rung > 0 && l.Next > l.Rung+1 {
		f.Next = F("To narrow down the load line between %d and %d, let the ladder search there.", l.Rung, l.Next)
		f.Fragment = F("ladder:\n  auto: {from: %d, to: %d}\nrepetitions: 3\n", l.Rung, l.Next)
	}
	for _, n := range []int{l.Rung, l.Next} {
		if r := rung.Find(v.Rungs, n); r != nil {
			f.Trials = append(f.Trials, r.Trials...)
		}
	}
	return f
}

// ScalabilityFinding states the fitted law and how well it predicted.
func ScalabilityFinding(v *model.Variant) (model.Finding, bool) {
	if v.Scalability == nil {
		return model.Finding{}, false
	}
	f := model.Finding{
		ID: "scalability-" + v.Name, Kind: model.ScalabilityFinding, Variant: v.Name, Text: v.Scalability.Text,
	}
	if v.Scalability.Holds {
		f.Numbers = map[string]float64{
			"lambda": v.Scalability.Lambda.Value, "sigma": v.Scalability.Sigma.Value, "kappa": v.Scalability.Kappa.Value,
		}
	}
	if v.Scalability.PeakAt > 0 {
		f.Numbers["peak_at"], f.Numbers["peak"] = v.Scalability.PeakAt, v.Scalability.Peak
	}
	for _, r := range v.Rungs {
		f.Trials = append(f.Trials, r.Trials...)
	}
	return f, true
}
