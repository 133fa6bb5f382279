package compare

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/compare/sides"
	"plimsoll/test/quick"
)

func TestHostileRunsAreCompared(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	rapid.Check(t, func(r *rapid.T) {
		c, err := Runs(sides.Side{Run: analysistest.HostileRun(r)}, sides.Side{Run: analysistest.HostileRun(r)}, Options{})
		if err != nil {
			return
		}
		if _, err := json.Marshal(c); err != nil {
			r.Fatal(err)
		}
	})
}
