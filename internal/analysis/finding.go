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
	out := []Finding{}
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

// prices are the variants' bills if the study has a cost model. A model with invalid prices
// becomes a warning.
func (s *subject) prices(variants []Variant, studied StudyInfo) (*price.Prices, []trust.Warning) {
	if s.Study.Prices == nil || s.Run.Member() != "" { // what is bought carries whole tiles
		return nil, nil
	}
	var measured []price.Capacity
	for _, v := range variants {
		if v.Work.Unit != studied.Work.Unit {
			continue // a variant with another unit gets no price next to this one
		}
		m := price.Capacity{Name: v.Name, Factors: v.Factors, LoadLine: v.LoadLine.Count.Value, Open: v.LoadLine.Open, Low: v.LoadLine.Count.Low, High: v.LoadLine.Count.High}
		if best := rung.Best(v.Rungs, func(r rung.Rung) bool { return r.Kept }); best >= 0 {
			m.Throughput, m.At = v.Rungs[best].Throughput.Value, v.Rungs[best].Instances
		}
		measured = append(measured, m)
	}
	return pricesOf(s.Study.Prices, measured, studied.Work.Unit, s.Noun)
}

// pricesOf relates the bills of variants to what they carry, or says why not.
func pricesOf(by *study.Prices, measured []price.Capacity, unit describe.Unit, noun string) (prices *price.Prices, warnings []trust.Warning) {
	prices, problem := price.Analyse(by, measured, unit, noun)
	if problem != nil {
		warnings = []trust.Warning{trust.Warn(trust.Prices, trust.Serious, trust.PricesLeftOut, trust.Name(say.PriceProblem(*problem)))}
	}
	say.SetPriceWords(prices, unit)
	return prices, warnings
}
