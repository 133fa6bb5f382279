package cli

import (
	"bytes"
	"strings"
	"testing"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// Each time has the unit that suits it: an operation in memory takes no 0.00 ms.
func TestShowWritesTimesInUnitsThatFit(t *testing.T) {
	var out bytes.Buffer
	s := &State{Stdout: &out}
	trial := &result.Trial{
		Profile:    describe.Profile{Operations: []string{"stat"}},
		Operations: map[string]result.OperationSummary{"stat": {Count: 9, Mean: 0.65e-6, P50: 0.61e-6, P95: 1.4e-6, P99: 0.012, Max: 5.01}},
	}
	s.showOperations(trial)
	for _, want := range []string{"0.65 µs", "0.61 µs", "1.4 µs", "12 ms", "5.01 s"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is missing in\n%s", want, out.String())
		}
	}
}
