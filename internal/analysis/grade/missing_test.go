package grade

import (
	"testing"

	"plimsoll/internal/analysis/trust"
)

func TestMissingTrialsOfARung(t *testing.T) {
	for want, c := range map[trust.Form][3]int{trust.MissingSomeAt: {1, 3, 4}, trust.MissingAllAt: {3, 3, 8}} {
		if got := missingAt(c[0], c[1], c[2]); got.Form != want || got.Args[len(got.Args)-1].Value != float64(c[2]) {
			t.Errorf("%+v, want %q", got, want)
		}
	}
}
