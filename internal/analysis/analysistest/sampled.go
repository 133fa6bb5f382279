package analysistest

import "plimsoll/internal/result"

// Sampled adds a summed series to a trial.
func Sampled(t *result.Trial, kind, name, metric string, v float64) {
	t.Resources = append(t.Resources, result.ResourceSummary{Kind: kind, Name: name, Metric: metric, Mean: v, P95: v, Max: v})
}

// SampledOn adds one of a machine.
func SampledOn(t *result.Trial, machine, kind, name, metric string, v float64) {
	Sampled(t, kind, name, metric, v)
	t.Resources[len(t.Resources)-1].Machine = machine
}
