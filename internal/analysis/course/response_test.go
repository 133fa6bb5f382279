package course

import (
	"testing"

	"plimsoll/internal/analysis/analysistest"
)

// A response time that rises is seen though as much is done in each second, and one that comes
// and goes with checkpoints, or has long tails, is steady.
func TestResponseTimesThatAreSteady(t *testing.T) {
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
