package analysis

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/trust"
)

// Whatever a run holds, the analysis is an error or something that JSON can
// hold; it never panics.
func TestHostileRunsAreAnalysed(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		a, err := Analyse(analysistest.HostileRun(r), Options{})
		if err != nil {
			if !errors.Is(err, trust.ErrNothing) {
				r.Fatal(err)
			}
			return
		}
		if _, err := json.Marshal(a); err != nil {
			r.Fatal(err)
		}
		for _, s := range a.Verdict {
			if strings.Contains(s.Text, "NaN") || strings.Contains(s.Text, "Inf") {
				r.Fatalf("verdict %q", s.Text)
			}
		}
	})
}
