package results

import (
	"testing"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// Operations are in the order of bytes read for a second of CPU time, over all passed trials.
func TestIntensity(t *testing.T) {
	trial := func(status result.Status, efforts map[string]describe.Effort) *result.Trial {
		t := &result.Trial{Status: status}
		t.Profile.Operations = []string{"query"}
		t.Operations = map[string]result.OperationSummary{}
		for name, e := range efforts {
			t.Operations[name] = result.OperationSummary{Effort: &e}
		}
		t.Operations["query"] = result.OperationSummary{Effort: &describe.Effort{Count: 9, CPU: 1, InputBytes: 1 << 40}}
		return t
	}
	run := &result.Run{Trials: []*result.Trial{
		trial(result.Passed, map[string]describe.Effort{"q1": {Count: 1, CPU: 2, InputBytes: 100}, "q2": {Count: 1, CPU: 1, InputBytes: 300}, "q3": {Count: 1, InputBytes: 50}}),
		trial(result.Passed, map[string]describe.Effort{"q1": {Count: 1, CPU: 2, InputBytes: 500}}),
		trial(result.Failed, map[string]describe.Effort{"q4": {Count: 1, CPU: 1, InputBytes: 1 << 30}}),
	}}
	all := intensitiesOf(run)
	if len(all) != 3 || all[0].Operation != "q2" || all[1] != (intensity{"q1", 2, 4, 600, 150}) || all[2] != (intensity{Operation: "q3", Count: 1, InputBytes: 50}) {
		t.Errorf("%+v", all)
	}
	if none := intensitiesOf(&result.Run{}); len(none) != 0 {
		t.Errorf("%+v", none)
	}
}
