package analysis

import (
	"plimsoll/internal/analysis/pairwise"
	"plimsoll/internal/analysis/price"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/say/limit"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/study"
)

// findings are the conclusions, each with its numbers and trials.
func (s *subject) findings(a *Analysis) []Finding {
	var out []Finding
	for i := range a.Variants {
		v := &a.Variants[i]
		out = append(out, say.LineFinding(v))
		if f, ok := limit.Bottleneck(s.Subject, v); ok {
			out = append(out, f)
		}
		if f, ok := limit.Fairness(s.Subject, v); ok {
			out = append(out, f)
		}
		if f, ok := limit.Passed(s.Subject, v); ok {
			out = append(out, f)
		}
		if f, ok := limit.Requests(s.Subject, v); ok {
			out = append(out, f)
		}
		if f, ok := limit.Spike(s.Subject, v); ok {
			out = append(out, f)
		}
		if f, ok := say.ScalabilityFinding(v); ok {
			out = append(out, f)
		}
	}
	for _, r := range pairwise.Raises(a) {
		out = append(out, say.EffectFinding(r, s.Noun))
	}
	for _, d := range pairwise.Deployments(a) {
		out = append(out, say.DeploymentFinding(d, s.Noun))
	}
	return append(out, say.PriceFindings(a.Prices)...)
}

// setPrices adds each variant's bill to its results if the study has a cost model. A model
// with invalid prices becomes a warning.
func (s *subject) setPrices(a *Analysis) {
	if s.Study.Prices == nil || s.Run.Member() != "" { // what is bought carries whole tiles
		return
	}
	var measured []price.Capacity
	for _, v := range a.Variants {
		if v.Work.Unit != a.Study.Work.Unit {
			continue // a variant with another unit gets no price next to this one
		}
		m := price.Capacity{Name: v.Name, Factors: v.Factors, LoadLine: v.LoadLine.Count.Value, Open: v.LoadLine.Open, Low: v.LoadLine.Count.Low, High: v.LoadLine.Count.High}
		if best := rung.Best(v.Rungs, func(r rung.Rung) bool { return r.Kept }); best >= 0 {
			m.Throughput, m.At = v.Rungs[best].Throughput.Value, v.Rungs[best].Instances
		}
		measured = append(measured, m)
	}
	addPrices(a, s.Study.Prices, measured, a.Study.Work.Unit, s.Noun)
}

// addPrices relates the bills of variants to what they carry, or says why not.
func addPrices(a *Analysis, by *study.Prices, measured []price.Capacity, unit describe.Unit, noun string) {
	prices, err := price.Analyse(by, measured, unit, noun)
	if err != nil {
		addWarnings(a, []trust.Warning{trust.Warn(trust.Prices, trust.Serious, trust.PricesLeftOut, trust.Name(err.Error()))})
	}
	a.Prices = prices
}
