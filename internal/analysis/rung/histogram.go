package rung

import (
	"fmt"

	"github.com/HdrHistogram/hdrhistogram-go"

	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
)

// percentileNames are the keys of every percentile map and what they ask of a
// histogram.
var percentileNames = []struct {
	name string
	rank float64
}{{"p50", 50}, {"p90", 90}, {"p95", 95}, {"p99", 99}, {"p99.9", 99.9}, {"max", 100}}

// mergeHistograms adds up histograms of response times. Adding counts is
// exact, whereas an average of percentiles is no percentile.
func mergeHistograms(encoded []string) (merged *hdrhistogram.Histogram, err error) {
	// The decoder trusts lengths inside the data; a damaged file must not end
	// the program.
	defer func() {
		if r := recover(); r != nil {
			merged, err = nil, fmt.Errorf("decode a histogram: it is damaged: %v", r)
		}
	}()
	return result.MergeHistograms(encoded...)
}

// histogramPercentiles reads the percentiles in seconds.
func histogramPercentiles(h *hdrhistogram.Histogram) map[string]float64 {
	out := make(map[string]float64, len(percentileNames))
	for _, p := range percentileNames {
		out[p.name] = result.Quantile(h, p.rank/100)
	}
	return out
}

// pooledPercentiles are the percentiles of one operation over all repetitions
// of a rung. exact is false where histograms are missing or damaged: then the
// worst repetition stands for all.
func pooledPercentiles(repetitions []result.OperationSummary) (pooled map[string]float64, exact bool) {
	if len(repetitions) == 1 {
		return trial.Percentiles(repetitions[0]), true
	}
	encoded := make([]string, 0, len(repetitions))
	for _, o := range repetitions {
		if o.Histogram != "" {
			encoded = append(encoded, o.Histogram)
		}
	}
	if len(encoded) == len(repetitions) && len(encoded) > 0 {
		if h, err := mergeHistograms(encoded); err == nil && h.TotalCount() > 0 {
			return histogramPercentiles(h), true
		}
	}
	return worstPercentiles(repetitions), false
}

// worstPercentiles takes the largest of each percentile.
func worstPercentiles(repetitions []result.OperationSummary) map[string]float64 {
	var worst map[string]float64
	for _, o := range repetitions {
		for name, v := range trial.Percentiles(o) {
			if worst == nil {
				worst = map[string]float64{}
			}
			worst[name] = max(worst[name], v)
		}
	}
	return worst
}
