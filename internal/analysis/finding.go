package analysis

import "fmt"

// findings are the conclusions, each with its numbers and trials.
func (s *subject) findings(a *Analysis) []Finding {
	var out []Finding
	for i := range a.Variants {
		v := &a.Variants[i]
		out = append(out, loadLineFinding(v))
		if f, ok := s.bottleneckFinding(v); ok {
			out = append(out, f)
		}
		if f, ok := s.spikeFinding(v); ok {
			out = append(out, f)
		}
		if f, ok := scalabilityFinding(v); ok {
			out = append(out, f)
		}
	}
	out = append(out, s.effectFindings(a)...)
	return append(out, priceFindings(a.Prices)...)
}

// priceFindings are the conclusions of the cost model.
func priceFindings(p *PriceAnalysis) []Finding {
	if p == nil {
		return nil
	}
	out := make([]Finding, 0, len(p.Text))
	for i, text := range p.Text {
		out = append(out, Finding{ID: fmt.Sprintf("price-%d", i+1), Kind: "price", Text: text})
	}
	return out
}

// loadLineFinding states the line with the rungs on both sides of it.
func loadLineFinding(v *Variant) Finding {
	f := Finding{
		ID: "load-line-" + v.Name, Kind: "load-line", Variant: v.Name, Rung: v.LoadLine.Rung,
		Text: "`" + v.Name + "`: " + v.LoadLine.Text + ".",
		Numbers: map[string]float64{
			"count": v.LoadLine.Count.Value, "low": v.LoadLine.Count.Low, "high": v.LoadLine.Count.High,
		},
	}
	for _, n := range []int{v.LoadLine.Rung, v.LoadLine.Next} {
		if r := v.rung(n); r != nil {
			f.Trials = append(f.Trials, r.Trials...)
		}
	}
	return f
}

// scalabilityFinding states the fitted law and how well it predicted.
func scalabilityFinding(v *Variant) (Finding, bool) {
	if v.Scalability == nil {
		return Finding{}, false
	}
	f := Finding{
		ID: "scalability-" + v.Name, Kind: "scalability", Variant: v.Name, Text: v.Scalability.Text,
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
