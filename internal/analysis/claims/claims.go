// Package claims judges published conclusions, and the user's own, on the figures of an analysis.
package claims

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/grade"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/price"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/study"
	"plimsoll/internal/study/claim"
)

// Judge evaluates claims on an analysis. Published has the levels of the variants that the claims are about, by
// their names; nil where claims name the analysis's own.
func Judge(a *model.Analysis, all []study.Claim, source string, published map[string]map[string]string) []model.ClaimResult {
	known := figures{a, grade.FiguresOf(a), published}
	results := make([]model.ClaimResult, 0, len(all))
	for _, c := range all {
		judged := model.ClaimResult{Claim: c, Source: source, Outcome: claim.NotMeasured}
		if r, err := claim.Judge(c.Predicate, known); err != nil {
			judged.Unread = err.Error()
		} else {
			judged.Outcome, judged.Comparisons = r.Outcome, comparisons(r.Comparisons)
		}
		results = append(results, judged)
	}
	return results
}

func comparisons(all []claim.Comparison) []model.ClaimComparison {
	out := make([]model.ClaimComparison, len(all))
	for i, c := range all {
		out[i] = model.ClaimComparison{Left: interval(c.Left), Operator: c.Operator, Right: interval(c.Right), Outcome: c.Outcome}
		for _, f := range []claim.Figure{c.Left, c.Right} {
			out[i].Open = out[i].Open || f.Open
			if f.Missing != nil && out[i].Missing == nil {
				out[i].Missing = f.Missing
			}
		}
	}
	return out
}

// interval is a figure as the rest of an analysis has them.
func interval(f claim.Figure) stats.Interval {
	i := stats.Interval{Value: f.Value, Low: f.Low, High: f.High}
	if f.Missing == nil && !f.Open && f.Low < f.High {
		i.Confidence = bound.Confidence
	}
	return i
}

// figures knows the figures of an analysis by the names that claims use.
type figures struct {
	a         *model.Analysis
	bounds    grade.Figures
	published map[string]map[string]string
}

// Figure is a figure with its bound by all doubts about it.
func (s figures) Figure(metric, variant string, at int) claim.Figure {
	missing := func(why claim.Reason) claim.Figure {
		return claim.Nothing(claim.Missing{Why: why, Variant: variant, Metric: metric, At: at})
	}
	name, why := s.variant(variant, at)
	if name == "" {
		return missing(why)
	}
	switch metric {
	case "price":
		return s.billed(name, missing, func(b price.Bill) float64 { return b.Total })
	case "usable":
		return s.billed(name, missing, func(b price.Bill) float64 { return b.Usable / 1e12 })
	}
	if len(s.a.Tiles) > 0 {
		return s.ofTiles(name, metric, missing)
	}
	v := s.a.Variant(name)
	switch metric {
	case "carries":
		return s.line(v, missing)
	case "drives":
		return positive(drives(v), missing)
	case "rated":
		return positive(v.Rated*drives(v)/1e6, missing)
	case "cores":
		if v.Best == nil {
			return missing(claim.NotKept)
		}
		return positive(v.Best.Cores, missing)
	case "overall_response":
		return s.overallResponse(v, missing)
	case "busiest":
		return s.busiest(v, missing)
	}
	r, why := rungAt(v, at)
	if r == nil {
		return missing(why)
	}
	return s.ofRung(metric, r, missing)
}

// nothing makes a figure that is missing, for a reason.
type nothing func(claim.Reason) claim.Figure

func positive(v float64, missing nothing) claim.Figure {
	if !(v > 0) || math.IsInf(v, 1) {
		return missing(claim.NoFigure)
	}
	return claim.Exactly(v)
}

// drives are those behind the storage, as it says itself, or else as the bill says.
func drives(v *model.Variant) float64 {
	if v.Drives == 0 && v.Best != nil {
		return v.Best.Drives
	}
	return v.Drives
}

// variant finds the variant that a claim names: by its name or label, by levels ("storage=ssd, storage.cpu=4"),
// or as a published one with the same levels. Of several with these levels it is the one that does the most
// within the objectives, which is another one at another rung.
func (s figures) variant(name string, at int) (string, claim.Reason) {
	var found []model.Variant
	levels := s.published[name]
	if levels == nil {
		levels = levelsIn(name)
	}
	for _, v := range s.variants() {
		if v.Name == name || v.Label == name {
			return v.Name, ""
		}
		if len(levels) > 0 && study.HasLevels(v.Factors, levels) {
			found = append(found, v)
		}
	}
	switch {
	case len(found) == 0:
		return "", claim.NoVariant
	case len(found) > 1 && at > 0:
		return "", claim.Ambiguous
	}
	return slices.MaxFunc(found, func(x, y model.Variant) int { return cmp.Compare(mostKept(x), mostKept(y)) }).Name, ""
}

// mostKept is the highest throughput of a variant within its objectives.
func mostKept(v model.Variant) float64 {
	if v.Best == nil || !v.Best.Kept {
		return 0
	}
	return v.Best.Throughput.Value
}

// variants lists the study's variants; where it has members, as tiles.
func (s figures) variants() []model.Variant {
	if len(s.a.Tiles) == 0 {
		return s.a.Variants
	}
	all := make([]model.Variant, len(s.a.Tiles))
	for i, t := range s.a.Tiles {
		all[i] = model.Variant{Name: t.Variant}
		if len(t.Members) > 0 {
			if v := s.a.Variant(t.Members[0]); v != nil {
				all[i].Factors = v.Factors
			}
		}
	}
	return all
}

// levelsIn reads "storage=ssd, storage.cpu=4"; nil where a text is no such list. A factor is named by its path or by
// the end of it.
func levelsIn(text string) map[string]string {
	levels := map[string]string{}
	for part := range strings.SplitSeq(text, ",") {
		factor, level, is := strings.Cut(strings.TrimSpace(part), "=")
		if !is {
			return nil
		}
		levels[factor] = level
	}
	return levels
}

// rungAt is the rung of a number of instances, or, for 0, the best within the objectives.
func rungAt(v *model.Variant, at int) (*rung.Rung, claim.Reason) {
	if at == 0 {
		if v.Best == nil || !v.Best.Kept {
			return nil, claim.NotKept
		}
		at = v.Best.Rung
	}
	r := rung.Find(v.Rungs, at)
	switch {
	case r == nil:
		return nil, claim.NoRung
	case r.Repetitions == 0:
		return nil, claim.TrialsLost
	}
	return r, ""
}

// ofRung is a figure of a rung.
func (s figures) ofRung(metric string, r *rung.Rung, missing nothing) claim.Figure {
	switch metric {
	case "throughput":
		return s.ofRate(r.Throughput.Value, r, missing)
	case "payload":
		return s.ofRate(r.Payload.Value, r, missing)
	case "errors":
		return claim.Exactly(r.Errors)
	case "mean":
		return s.ofResponse(r.Mean.Value, r.Mean, r, missing)
	}
	return s.ofResponse(r.Percentile[metric], r.P95, r, missing) // percentiles scatter alike
}

func (s figures) ofRate(v float64, r *rung.Rung, missing nothing) claim.Figure {
	if s.isPublished() {
		return positive(v, missing)
	}
	return bounded(v, s.bounds.Rate(r), missing)
}

func (s figures) ofResponse(v float64, like stats.Interval, r *rung.Rung, missing nothing) claim.Figure {
	if s.isPublished() {
		return positive(v, missing)
	}
	return bounded(v, s.bounds.Response(r, like), missing)
}

// isPublished reports whether the figures are a publication's own, which are taken as they are.
func (s figures) isPublished() bool { return s.a.Run.Reference != "" }

func bounded(v float64, b bound.Bound, missing nothing) claim.Figure {
	f := positive(v, missing)
	if f.Missing == nil {
		f.Low, f.High, f.Open = v*(1-b.TooHigh), v*(1+b.TooLow), b.Open
	}
	return f
}

// line is how many instances a variant carries.
func (s figures) line(v *model.Variant, missing nothing) claim.Figure {
	l := v.LoadLine
	if l.Unmeasured || len(s.a.Study.Objectives) == 0 {
		return missing(claim.NoFigure)
	}
	low, high, open := s.bounds.Line(v)
	switch {
	case l.Open:
		high = math.Inf(1)
	case l.Rung == 0:
		high = min(high, float64(l.Next-1))
	}
	if l.Rising != nil {
		low = min(low, float64(l.Shown))
	}
	return claim.Figure{Value: float64(l.Carried()), Low: math.Floor(low), High: math.Floor(high), Open: open}
}

// busiest is the number of instances with the highest throughput, from the fewest to the most that may have it.
func (s figures) busiest(v *model.Variant, missing nothing) claim.Figure {
	best := rung.Best(v.Rungs, rung.Measured)
	if best < 0 {
		return missing(claim.NoFigure)
	}
	top := s.ofRung("throughput", &v.Rungs[best], missing)
	f := claim.Exactly(float64(v.Rungs[best].Instances))
	for i := range v.Rungs {
		r := &v.Rungs[i]
		if !rung.Measured(*r) {
			continue
		}
		if t := s.ofRung("throughput", r, missing); t.Missing == nil && (t.Open || top.Open || t.High >= top.Low) {
			f.Low, f.High = min(f.Low, float64(r.Instances)), max(f.High, float64(r.Instances))
		}
	}
	if f.High == float64(v.Rungs[len(v.Rungs)-1].Instances) { // more were not tried
		f.High = math.Inf(1)
	}
	return f
}

// overallResponse is the area below the curve of the mean response time over the throughput, from nothing to the
// highest, over that throughput. A published 19.44 ms is 19.38 by it.
func (s figures) overallResponse(v *model.Variant, missing nothing) claim.Figure {
	best := rung.Best(v.Rungs, rung.Measured)
	if best < 1 {
		return missing(claim.NoFigure)
	}
	area, low, high := 0.0, 0.0, 0.0
	var before claim.Figure // no load takes no time
	done := 0.0
	for i := range best + 1 {
		f := s.ofRung("mean", &v.Rungs[i], missing)
		x := v.Rungs[i].Throughput.Value
		if f.Missing != nil || x < done {
			return missing(claim.NoFigure)
		}
		wide := (x - done) / 2
		area, low, high = area+wide*(before.Value+f.Value), low+wide*(before.Low+f.Low), high+wide*(before.High+f.High)
		f.Open = f.Open || before.Open
		before, done = f, x
	}
	return claim.Figure{Value: area / done, Low: low / done, High: high / done, Open: before.Open}
}

// billed is a figure of a variant's bill.
func (s figures) billed(name string, missing nothing, of func(price.Bill) float64) claim.Figure {
	b := s.a.Prices.Bill(name)
	if b == nil {
		return missing(claim.NoFigure)
	}
	return positive(of(*b), missing)
}

// ofTiles is how many tiles are carried; other figures belong to members, and a claim names none.
func (s figures) ofTiles(name, metric string, missing nothing) claim.Figure {
	at := slices.IndexFunc(s.a.Tiles, func(t model.Tile) bool { return t.Variant == name })
	if metric != "carries" || at < 0 || len(s.a.Tiles[at].Rungs) == 0 {
		return missing(claim.NoFigure)
	}
	t := s.a.Tiles[at]
	if t.Rung == 0 && t.Next == 0 {
		return missing(claim.NoFigure)
	}
	f := claim.Figure{Value: float64(t.Rung), Low: float64(t.Rung), High: float64(t.Next - 1)}
	if t.Next == 0 {
		f.High = math.Inf(1)
	}
	if b := s.a.Bound; b != nil {
		f.Low, f.High, f.Open = f.Low*(1-b.TooHigh), f.High*(1+b.TooLow), b.Open
	}
	return f
}
