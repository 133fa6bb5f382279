package rung

import (
	"slices"
	"time"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/result"
)

// burstsOf tells the seconds on and off burst apart; nil where a trial has not both.
func burstsOf(passed []*result.Trial) *Bursts {
	if len(passed) == 0 || slices.ContainsFunc(passed, oneKind) {
		return nil
	}
	return &Bursts{
		On:       burstOf(passed, func(b *result.Bursts) result.BurstPart { return b.On }),
		Off:      burstOf(passed, func(b *result.Bursts) result.BurstPart { return b.Off }),
		Response: onOverOff(passed, func(_ *result.Trial, p result.BurstPart) float64 { return p.Whole.Mean }),
		Work:     onOverOff(passed, rateOf),
	}
}

// onOverOff is a figure on burst over the same off burst, each trial by itself, so that what
// differs between trials does not count. It is 0 where a trial lacks one.
func onOverOff(passed []*result.Trial, figure func(*result.Trial, result.BurstPart) float64) stats.Interval {
	var ratios []float64
	for _, t := range passed {
		ratios = append(ratios, stats.Ratio(figure(t, t.Bursts.On), figure(t, t.Bursts.Off)))
	}
	logs := stats.Logarithms(ratios)
	if len(logs) < len(passed) {
		return stats.Interval{}
	}
	return stats.Relative(stats.MedianOf(ratios), stats.Means([][]float64{logs})[0], logs)
}

// rateOf is the throughput in seconds of one kind.
func rateOf(t *result.Trial, p result.BurstPart) float64 {
	if p.Seconds <= 0 {
		return 0
	}
	return t.Profile.Unit.Rate(p.Whole.Count, p.Whole.Bytes, time.Duration(p.Seconds)*time.Second)
}

// oneKind reports whether a trial has no bursts, or nothing else.
func oneKind(t *result.Trial) bool {
	return t.Bursts == nil || t.Bursts.On.Seconds <= 0 || t.Bursts.Off.Seconds <= 0
}

func burstOf(passed []*result.Trial, part func(*result.Bursts) result.BurstPart) Burst {
	var sums []result.OperationSummary
	var rates, means []float64
	own, all := 0, 0
	for _, t := range passed {
		p := part(t.Bursts)
		own, all = own+p.Seconds, all+t.Bursts.On.Seconds+t.Bursts.Off.Seconds
		if p.Seconds > 0 {
			rates = append(rates, rateOf(t, p))
		}
		if p.Whole.Count+p.Whole.RolledBack > 0 {
			sums, means = append(sums, p.Whole), append(means, p.Whole.Mean)
		}
	}
	b := Burst{Share: stats.Ratio(float64(own), float64(all)), Throughput: stats.MedianOf(rates), Mean: stats.MedianOf(means)}
	b.Percentile, _ = pooledPercentiles(sums)
	return b
}
