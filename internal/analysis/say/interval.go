package say

import (
	"math"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/text/words"
)

// ChangeText writes a change of a metric: "+5.0 % (+3.1 to +7.0)". A change of errors is a
// difference of shares, in points. A very large change is written as a factor: "36 times as
// much".
func ChangeText(metric string, i stats.Interval) string {
	text := words.Signed(i.Value*100, 1) + " %"
	if metric == stats.Errors {
		text = F("%s points", words.Signed(i.Value*100, 1))
	}
	if i.Value >= stats.LargeChange && metric != stats.Errors {
		i = i.Factor()
		text = F("%s times as much", Times(i.Value, 3))
		if i.Bounded() && i.Low != i.High {
			text += F(" (%s–%s)", words.Figures(i.Low), Times(i.High, 3))
		}
		return text
	}
	if i.Bounded() && i.Low != i.High {
		text += F(" (%s to %s)", words.Signed(i.Low*100, 1), words.Signed(i.High*100, 1))
	}
	return text
}

// Plain writes the estimate alone; where the repetitions changed one after the other, between
// which values they did.
func Plain(i stats.Interval, write func(float64) string) string {
	if i.Changing {
		return words.Between(write(i.Low), write(i.High))
	}
	return write(i.Value)
}

// NotSteady follows the values between which repetitions changed one after the other.
func NotSteady() string { return F(" (not steady)") }

// Text writes "12" or "12 (11–13)".
func Text(i stats.Interval) string {
	switch {
	case i.Extremes && i.Low < i.High:
		return F("%s (range %s–%s)", words.Thousands(i.Value), words.Thousands(i.Low), words.Thousands(i.High))
	case !i.Bounded():
		return words.Thousands(i.Value)
	}
	return Range(i)
}

// Range writes "128 (120–128)", whatever the bounds rest on.
func Range(i stats.Interval) string {
	switch {
	case i.Low == i.High:
		return words.Thousands(i.Value)
	case math.IsInf(i.High, 1):
		return F("%s (%s or more)", words.Thousands(i.Value), words.Thousands(i.Low))
	}
	return F("%s (%s–%s)", words.Thousands(i.Value), words.Thousands(i.Low), words.Thousands(i.High))
}
