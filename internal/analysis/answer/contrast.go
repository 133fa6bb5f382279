package answer

import (
	"fmt"

	"plimsoll/internal/analysis/contrast"
	"plimsoll/internal/words"
)

// RungsText names the rungs: "at 16 instances", "over 4 common rungs".
func RungsText(c contrast.Contrast, noun string) string {
	if len(c.Rungs) == 1 {
		return "at " + words.Count(c.Rungs[0], noun)
	}
	return fmt.Sprintf("over %d common rungs", len(c.Rungs))
}
