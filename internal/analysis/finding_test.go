package analysis

import (
	"testing"

	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/experiment"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
)

// findingOf is the only finding of a kind; nil where there is none.
func findingOf(t *testing.T, a *Analysis, kind model.FindingKind) (found *Finding) {
	t.Helper()
	for i := range a.Findings {
		if a.Findings[i].Kind != kind {
			continue
		}
		if found != nil {
			t.Fatalf("several findings of %s", kind)
		}
		found = &a.Findings[i]
	}
	return found
}

// bottleneck returns the finding of a run with one variant.
func bottleneck(t *testing.T, run *result.Run) (Finding, *Analysis) {
	t.Helper()
	a := analyse(t, run)
	f := findingOf(t, a, "bottleneck")
	if f == nil {
		t.Fatal("no bottleneck finding")
	}
	t.Log(f.Text, "→", f.Next, f.Change)
	return *f, a
}

// diagnosisOf is what limits the first variant of an analysis, and the rung where it does.
func diagnosisOf(a *Analysis) (diagnose.Diagnosis, *rung.Rung) {
	v := &a.Variants[0]
	r := loadline.Limiting(v.Rungs, v.LoadLine)
	return diagnose.Diagnose(v.Rungs, v.LoadLine, r), r
}

// experimentOf is what would prove the bottleneck of the first variant.
func experimentOf(t *testing.T, run *result.Run, a *Analysis) experiment.Experiment {
	t.Helper()
	v := &a.Variants[0]
	e, ok := experiment.For(setup.New(run), v, loadline.Limiting(v.Rungs, v.LoadLine))
	if !ok {
		t.Fatal("no experiment")
	}
	return e
}

// ofWarnings are the warnings of a kind.
func ofWarnings[K ~string](a *Analysis, kind K) (out []trust.Warning) {
	for _, w := range a.Warnings {
		if string(w.Kind) == string(kind) {
			out = append(out, w)
		}
	}
	return out
}

// figuresOf are the numbers of a warning.
func figuresOf(w trust.Warning) (all []float64) {
	for _, f := range w.Figures {
		all = append(all, f.Value)
	}
	return all
}
