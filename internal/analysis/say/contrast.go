package say

import (
	"fmt"

	"plimsoll/internal/analysis/pairwise"
	"plimsoll/internal/text/words"
)

// RungsText names the rungs: "at 16 instances", "over 4 common rungs".
func RungsText(c pairwise.Contrast, noun string) string {
	if len(c.Rungs) == 1 {
		return "at " + words.Count(c.Rungs[0], noun)
	}
	return fmt.Sprintf("over %d common rungs", len(c.Rungs))
}
