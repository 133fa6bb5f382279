package analysis

import (
	"fmt"
	"math"

	"plimsoll/internal/analysis/answer/limit"
	"plimsoll/internal/analysis/price"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/trust"
)

// findings are the conclusions, each with its numbers and trials.
func (s *subject) findings(a *Analysis) []Finding {
	var out []Finding
	for i := range a.Variants {
		v := &a.Variants[i]
		out = append(out, loadLineFinding(v))
		if f, ok := limit.Bottleneck(s.Subject, v); ok {
			out = append(out, f)
		}
		if f, ok := limit.Fairness(s.Subject, v); ok {
			out = append(out, f)
		}
		if f, ok := limit.Spike(s.Subject, v); ok {
			out = append(out, f)
		}
		if f, ok := scalabilityFinding(v); ok {
			out = append(out, f)
		}
	}
	out = append(out, s.effectFindings(a)...)
	out = append(out, deploymentFindings(a)...)
	return append(out, priceFindings(a.Prices)...)
}

// setPrices sets each variant's bill beside what it carries, where the study has
// a cost model. One with figures that are no prices becomes a warning.
func (s *subject) setPrices(a *Analysis) {
	if s.Study.Prices == nil {
		return
	}
	var measured []price.Measured
	for _, v := range a.Variants {
		if v.Work.Unit != a.Study.Work.Unit {
			continue // what counts something else has no price beside it
		}
		m := price.Measured{Name: v.Name, Factors: v.Factors, LoadLine: v.LoadLine.Count.Value, Open: v.LoadLine.Open, Low: v.LoadLine.Count.Low, High: v.LoadLine.Count.High}
		if best := rung.Best(v.Rungs, func(r rung.Rung) bool { return r.Kept }); best >= 0 {
			m.Throughput, m.At = v.Rungs[best].Throughput.Value, v.Rungs[best].Instances
		}
		measured = append(measured, m)
	}
	prices, err := price.Analyse(s.Study.Prices, measured, a.Study.Work.Unit, s.Noun)
	if err != nil {
		a.Warnings = append(a.Warnings, trust.Warning{Kind: "prices", Severity: trust.Serious, Text: "prices were left out: " + err.Error()})
	}
	a.Prices = prices
}

// priceFindings are the conclusions of the cost model.
func priceFindings(p *price.Prices) []Finding {
	if p == nil {
		return nil
	}
	out := make([]Finding, 0, len(p.Text))
	for i, text := range p.Text {
		out = append(out, Finding{ID: fmt.Sprintf("price-%d", i+1), Kind: "price", Text: text})
	}
	return out
}

// loadLineFinding states the line with the rungs on both sides of it, and how to
// find where between them it lies.
func loadLineFinding(v *Variant) Finding {
	l := v.LoadLine
	f := Finding{
		ID: "load-line-" + v.Name, Kind: "load-line", Variant: v.Name, Rung: l.Rung,
		Text: "`" + v.Name + "`: " + l.Text + ".", Numbers: map[string]float64{"count": l.Count.Value},
	}
	if l.Count.Confidence > 0 {
		f.Numbers["low"] = l.Count.Low
		if !math.IsInf(l.Count.High, 1) {
			f.Numbers["high"] = l.Count.High
		}
	}
	if l.Rung > 0 && l.Next > l.Rung+1 {
		f.Next = fmt.Sprintf("To narrow down the load line between %d and %d, let the ladder search there.", l.Rung, l.Next)
		f.Fragment = fmt.Sprintf("ladder:\n  auto: {from: %d, to: %d}\nrepetitions: 3\n", l.Rung, l.Next)
	}
	for _, n := range []int{l.Rung, l.Next} {
		if r := rung.Find(v.Rungs, n); r != nil {
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
