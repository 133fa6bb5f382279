package trust

import (
	"math"
	"slices"

	"plimsoll/internal/result"
)

// samples are the moments at which something of a machine was known, in ms since the common
// start of the trial.
type samples struct {
	start int64 // Unix time of the common start in ms
	at    map[int64]bool
	usual int64 // median interval of the series with the most samples, ms; 0 if unknown
}

// samplesOf returns the samples of a trial's machines by name. readable reports whether the
// telemetry could be read.
func samplesOf(run *result.Run, t *result.Trial) (all map[string]samples, readable bool) {
	all = map[string]samples{}
	if run.Dir == "" {
		return all, false
	}
	for s, err := range run.EachSeries(t, ofMachine...) {
		if err != nil {
			return map[string]samples{}, false // Run.Lost says why
		}
		name := nameOf(s.Machine)
		of, known := all[name]
		if !known {
			of = samples{start: s.Start, at: map[int64]bool{}}
		}
		// Series may be sampled at different moments, so the samples of all series together
		// are closer.
		if usual := interval(s.Times); usual > 0 && (of.usual == 0 || usual < of.usual) {
			of.usual = usual
		}
		all[name] = of
		for i := range min(len(s.Times), len(s.Values)) {
			if !math.IsNaN(s.Values[i]) {
				of.at[s.Times[i]] = true
			}
		}
	}
	return all, true
}

// within reports whether there are samples that tell of the measured phase alone: it may be
// shorter than the time between two.
func (s samples) within(t *result.Trial) bool {
	n := 0
	for at := range s.at {
		if at > t.MeasureStart.UnixMilli()-s.start && at <= t.MeasureEnd.UnixMilli()-s.start {
			n++
		}
	}
	return n >= 2 // each is of the time since the one before
}

// fewestSamples is how many samples a phase must have room for before one is missed, and late
// how many intervals may lie between two, as a busy machine and whoever is asked over a network
// are now and then late.
const (
	fewestSamples = 5
	late          = 3
)

// missing is the share of the measured phase from which there are no samples though there are
// others, by their usual interval (the median).
func (s samples) missing(t *result.Trial) float64 {
	from, to := t.MeasureStart.UnixMilli()-s.start, t.MeasureEnd.UnixMilli()-s.start
	times := make([]int64, 0, len(s.at))
	for at := range s.at {
		times = append(times, at)
	}
	slices.Sort(times)
	usual := s.usual
	if usual == 0 || to-from < fewestSamples*usual {
		return 0
	}
	lost, last := int64(0), from
	for _, at := range append(times, to) {
		if at = min(at, to); at <= last {
			continue
		}
		if at-last > late*usual {
			lost += at - last - usual
		}
		last = at
	}
	return float64(lost) / float64(to-from)
}

// interval is the median time between samples; 0 of fewer than two.
func interval(times []int64) int64 {
	if len(times) < 2 {
		return 0
	}
	between := make([]int64, len(times)-1)
	for i := range between {
		between[i] = times[i+1] - times[i]
	}
	slices.Sort(between)
	return between[len(between)/2]
}
