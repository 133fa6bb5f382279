package say

import (
	"math"

	"plimsoll/internal/analysis/scale"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/text/words"
)

// Scalability writes the meaning of a fit, or that it has none.
//
// Needs: A rung above the bound that they give.
func Scalability(found *scale.Scalability, v scale.Variant, noun string) *scale.Scalability {
	if found == nil {
		return nil
	}
	copied := *found
	fit := &copied
	fit.Doubt = lawDoubt(fit.Doubted)
	if b := fit.Beat; b != nil {
		fit.Beaten = F("The demands measured at %s are no upper bound: they allow %s %s at %s, and %s was measured",
			Count(b.From, noun), words.Figures(b.Bound), v.Work.Unit.Throughput, words.Figures(b.At), words.Figures(b.Measured))
	}
	fit.Text = scalabilityText(fit, v, noun)
	return fit
}

// lawDoubt says in a clause why the law does not describe the rungs; empty where it does.
//
// Needs: The condition that is not met.
func lawDoubt(d scale.Misfit) string {
	switch d.Why {
	case scale.TooFewRungs:
		return F("any %d rungs fit it exactly; at least 4 are needed to tell whether it holds", d.Rungs)
	case scale.OffRung:
		return F("at %s it is off by %s from the measurement", words.Figures(d.At), words.Percent(d.Off))
	case scale.Undetermined:
		return F("the rungs do not determine its parameters")
	case scale.AboveBound:
		return F("at %s it exceeds the bound from the measured demands", words.Figures(d.At))
	}
	return ""
}

// scalabilityText states the parameters of the law, and what it predicts.
//
// Needs: Four rungs, each within 10 % of the law, and the other conditions.
func scalabilityText(fit *scale.Scalability, v scale.Variant, noun string) string {
	if !fit.Holds {
		return words.Sentences(F("The scalability law does not describe `%s`: %s. Its parameters and peak are omitted.", v.Name, fit.Doubt), fit.Beaten)
	}
	unit := v.Work.Unit.Throughput
	text := F("`%s` scales with contention σ = %s and coherency κ = %s", v.Name, parameterText(fit.Sigma), parameterText(fit.Kappa)) + courseText(fit, unit, noun)
	if far, ok := fit.FarthestError(); ok {
		text += F(". Fitted to the rungs up to %d only, the law predicts %s %s at %d, %s the %s that were measured",
			far.FittedTo, words.Figures(far.Predicted), unit, far.N, AboveOrBelow(far.Error), words.Figures(far.Measured))
		if math.Abs(far.Error) > scale.Tolerance {
			text += F(", so do not extrapolate it beyond the measured rungs")
		}
	}
	return words.Sentences(text+".", fit.Beaten)
}

// courseText says how throughput grows.
//
// Needs: Throughput past its peak; the law clearly better than a straight line; neither.
func courseText(fit *scale.Scalability, unit, noun string) string {
	c := fit.Course
	switch c.Shape {
	case scale.Peaks:
		return F(": the law's peak is %s %s at %s", words.Figures(fit.Peak), unit, Count(int(math.Round(fit.PeakAt)), noun))
	case scale.FallsFromStart:
		return F(": throughput falls from the smallest rung on, so its peak is at %s or below", Count(c.First, noun))
	case scale.PastPeak:
		return F(": throughput is past its peak, and the fit does not locate the peak more precisely than the rungs do")
	case scale.Linear:
		return F(": it is linear over the measured range, as far as the scatter of the rungs tells")
	case scale.Scattered:
		return F(": the rungs scatter too much about it to tell whether it levels off")
	case scale.LevelsToCeiling:
		return F(": it levels off towards %s %s, with no peak in the measured range", words.Figures(c.Ceiling), unit)
	}
	return F(": it levels off, with no peak in the measured range; how far it would rise beyond is not known")
}

func parameterText(i stats.Interval) string {
	if i.Confidence == 0 {
		return F("%.3g", i.Value)
	}
	return F("%.3g (%.2g–%.2g)", i.Value, i.Low, i.High)
}
