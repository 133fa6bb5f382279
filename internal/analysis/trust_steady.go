package analysis

import (
	"math"

	"plimsoll/internal/analysis/steady"
	"plimsoll/internal/result"
)

// doubtSteady asks of the orders per second whether the warm-up was over when
// measuring began and whether they drift.
func doubtSteady(s *subject, t *result.Trial, _ metrics) []Warning {
	rate := s.orderSeries(t, "count")
	if len(rate) < 40 {
		return nil // eight batches of five are the least that says anything
	}
	return unsettledDoubt(rate)
}

// unsettledDoubt calls it a drift where the series goes on changing after the
// cut nearly as it did before, and else a warm-up that was too short.
func unsettledDoubt(rate []float64) []Warning {
	cut, _ := steady.WarmUp(rate)
	before, after := steady.Drift(rate[:cut]), steady.Drift(rate[cut:])
	if after.P <= 0.001 && math.Abs(after.Change) >= 0.5*math.Abs(before.Change) {
		return driftDoubt(rate)
	}
	if w := warmUpDoubt(rate); w != nil {
		return w
	}
	return driftDoubt(rate)
}

// warmUpDoubt finds a beginning that differs from the rest. A cut alone is no
// proof, since noise has one too, and the search for it picks the oddest: the
// head must also lie apart by more than a twentieth and by four times what its
// own noise explains.
func warmUpDoubt(rate []float64) []Warning {
	cut, settled := steady.WarmUp(rate)
	if cut == 0 {
		return nil
	}
	head, rest := steady.Batches(rate[:cut]), steady.Batches(rate[cut:])
	level := steady.Mean(rest)
	off := ratio(steady.Mean(head)-level, level)
	noise := deviation(rest) / math.Sqrt(float64(len(head))) / max(level, 1e-300)
	influence := math.Abs(off) * float64(cut) / float64(len(rate)) // on the mean of the whole phase
	if math.Abs(off) < 0.05 || math.Abs(off) < 4*noise || influence < 0.005 {
		return nil
	}
	severity := byLevel(influence, 0, 0.01, 0.1)
	if !settled && severity == severityNote {
		severity = severityCaution
	}
	return warn("warm-up", severity, "in the first %d s of the measured phase throughput was %+.0f %% off the rest: the warm-up was too short", cut, off*100)
}

// driftDoubt finds a trend through the whole phase.
func driftDoubt(rate []float64) []Warning {
	trend := steady.Drift(rate)
	if trend.P > 0.001 || !isFinite(trend.Change) {
		return nil
	}
	severity := byLevel(math.Abs(trend.Change), 0.05, 0.1, 0.3)
	if severity == "" {
		return nil
	}
	return warn("drift", severity, "throughput changed by %+.0f %% from the beginning to the end of the measured phase: it was not steady", trend.Change*100)
}

// orderSeries is a metric of the whole order, second by second over the
// measured phase; nil when the trial has none.
func (s *subject) orderSeries(t *result.Trial, metric string) []float64 {
	if s.run.Dir == "" || measured(t) <= 0 {
		return nil
	}
	all, err := s.run.Series(t.ID, "operation")
	if err != nil {
		return nil // what is missing or damaged is among the run's problems, or shown as missing telemetry
	}
	from := t.MeasureStart.Sub(t.Start).Milliseconds()
	for _, series := range all {
		if series.Name == "order" && series.Metric == metric && series.Kind == "operation" {
			return series.Between(from, from+int64(measured(t)*1000)-1)
		}
	}
	return nil
}

func deviation(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	m, sum := steady.Mean(values), 0.0
	for _, v := range values {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(values)-1))
}
