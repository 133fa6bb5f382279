package steadiness

import (
	"testing"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// Fixed work that writes to memory ends in a flush, during which no block ends: that is no
// stall. Without a flush as long, or in work that is not fixed, it is one.
func TestAFlushIsNoStall(t *testing.T) {
	ended := []float64{400, 380, 390, 0, 0, 0, 0, 0}
	for name, c := range map[string]struct {
		fixed bool
		flush float64 // the longest, s
		phase float64 // s
		gaps  int
	}{
		"a flush to the end":       {true, 5.4, 8, 0},
		"to the end of the phase":  {true, 4.5, 7.4, 0},
		"a flush that ended early": {true, 4.3, 7.4, 1},
		"a short flush":            {true, 0.2, 8, 1},
		"not fixed":                {false, 5.4, 8, 1},
	} {
		start := time.Now()
		trial := &result.Trial{
			MeasureStart: start, MeasureEnd: start.Add(time.Duration(c.phase * float64(time.Second))),
			Part: result.Part{Profile: describe.Profile{Operations: []string{"block", "flush"}, Optional: []string{"flush"}, Fixed: c.fixed}, Operations: map[string]result.OperationSummary{
				"block": {Count: 1170, P50: 0.002, Max: 1.4}, "flush": {Count: 4, Max: c.flush},
			}},
		}
		s := StallsOf(&result.Run{}, Course{Done: ended, Ended: ended}, trial)
		if len(s.Gaps) != c.gaps {
			t.Errorf("%s: %+v", name, s)
		}
	}
}
