package trial

import (
	"math"
	"slices"

	"plimsoll/internal/result"
)

// Samples are the moments at which something of a machine was known, in ms since the common
// start of the trial.
type Samples struct {
	start int64 // Unix time of the common start in ms
	at    map[int64]bool
	usual int64 // median interval of the series with the most samples, ms; 0 if unknown
}

// Take takes a series of a machine, whose moments are those of several series: these may be
// sampled at different ones, so that all of them together are closer.
func (s Samples) Take(of result.Series) Samples {
	if s.at == nil {
		s = Samples{start: of.Start, at: map[int64]bool{}}
	}
	if usual := interval(of.Times); usual > 0 && (s.usual == 0 || usual < s.usual) {
		s.usual = usual
	}
	for i := range min(len(of.Times), len(of.Values)) {
		if !math.IsNaN(of.Values[i]) {
			s.at[of.Times[i]] = true
		}
	}
	return s
}

// Within reports whether there are samples that tell of the measured phase alone: it may be
// shorter than the time between two.
func (s Samples) Within(t *result.Trial) bool {
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

// Missing is the share of the measured phase from which there are no samples though there are
// others, by their usual interval (the median).
func (s Samples) Missing(t *result.Trial) float64 {
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
