package say

import (
	"plimsoll/internal/analysis/pairwise"
)

// RungsText names the rungs: "at 16 instances", "over 4 common rungs".
func RungsText(c pairwise.Contrast, noun string) string {
	if len(c.Rungs) == 1 {
		return F("at %s", Count(c.Rungs[0], noun))
	}
	return F("over %d common rungs", len(c.Rungs))
}
