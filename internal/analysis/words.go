package analysis

import (
	"fmt"
	"math"

	"plimsoll/internal/words"
)

// countInterval writes "12" or "12 (11–13)".
func countInterval(i Interval) string {
	if i.Confidence == 0 {
		return words.Thousands(i.Value)
	}
	return rangeText(i)
}

// rangeText writes "128 (120–128)", whatever the bounds rest on.
func rangeText(i Interval) string {
	switch {
	case i.Low == i.High:
		return words.Thousands(i.Value)
	case math.IsInf(i.High, 1):
		return fmt.Sprintf("%s (%s or more)", words.Thousands(i.Value), words.Thousands(i.Low))
	}
	return fmt.Sprintf("%s (%s–%s)", words.Thousands(i.Value), words.Thousands(i.Low), words.Thousands(i.High))
}
