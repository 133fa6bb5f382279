package report

import (
	"math"

	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/text/words"
)

// finite reports whether v can be shown as a number.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// measuredSeconds is seconds for a value where zero means "not measured".
func measuredSeconds(s float64) string {
	if s == 0 {
		return words.Missing
	}
	return words.Latency(s)
}

// spanText writes an estimate, with its bounds when it has any, all rounded to
// the two leading digits of the half width.
func spanText(i stats.Interval, write func(float64) string) string {
	if !hasBounds(i) {
		return write(i.Value)
	}
	if i.Changing {
		return say.Plain(i, rounding(i, write)) + say.NotSteady()
	}
	lines := spanLines(i, write)
	return lines[0] + " (" + lines[1] + ")"
}

// rounding writes with the two leading digits of the half width.
func rounding(i stats.Interval, write func(float64) string) func(float64) string {
	unit := roundingUnit((i.High - i.Low) / 2)
	return func(v float64) string { return write(math.Round(v/unit) * unit) }
}

// spanLines are an estimate and, on a line of their own, its bounds.
func spanLines(i stats.Interval, write func(float64) string) []string {
	if !hasBounds(i) || i.Changing {
		return []string{spanText(i, write)}
	}
	round := rounding(i, write)
	bounds := words.Between(round(i.Low), round(i.High))
	if i.Extremes {
		bounds = "range " + bounds
	}
	return []string{round(i.Value), bounds}
}

// hasBounds reports whether the interval, or the range, is more than its value.
func hasBounds(i stats.Interval) bool {
	return (i.Bounded() || i.Extremes) && finite(i.Low) && finite(i.High) && i.High > i.Low
}

// roundingUnit is the place of the second significant digit of width.
func roundingUnit(width float64) float64 {
	return math.Pow(10, math.Floor(math.Log10(width))-1)
}

// numberOrMissing writes a number for which zero means "not measured".
func numberOrMissing(v float64, write func(float64) string) string {
	if v == 0 {
		return words.Missing
	}
	return write(v)
}

// size writes a size for which zero means "not known".
func size(n int64) string {
	if n <= 0 {
		return words.Missing
	}
	return words.Binary(n)
}
