package steadiness

import (
	"slices"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/test/quick"
)

// A response time that rises is seen though as much is done in each second, and one that comes
// and goes with checkpoints, or has long tails, is steady.
func TestResponseTimesThatAreSteady(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for _, r := range analysistest.Responses(120) {
		wrong := analysistest.Share(40, func(seed uint64) bool {
			done, mean := r.Series(seed)
			u := JudgeResponse(Course{Done: done, Response: mean})
			if u != nil && u.Figure() != "mean response time" {
				t.Errorf("%s: %+v", r.Name, u)
			}
			return (u == nil) != r.Steady
		})
		if wrong > 0.1 {
			t.Errorf("response time that %s: %v are judged wrongly", r.Name, wrong)
		}
	}
}

// How far response times had risen at the end is told by the ends of the phase.
func TestHowFarResponseTimesRose(t *testing.T) {
	var c Course
	for i := range 120 {
		c.Done, c.Response = append(c.Done, 60), append(c.Response, 0.01+0.15*float64(i)/119)
	}
	u := JudgeResponse(c)
	if u == nil || !u.Rises() || u.Begins < 0.01 || u.Begins > 0.03 || u.Ends < 0.14 || u.Ends > 0.16 || u.Over < 1.7 || u.Over > 1.9 {
		t.Fatalf("from 10 to 160 ms: %+v", u)
	}
	slices.Reverse(c.Response)
	if u = JudgeResponse(c); u == nil || u.Rises() || u.Over > 0.3 {
		t.Errorf("from 160 to 10 ms: %+v", u)
	}
}
