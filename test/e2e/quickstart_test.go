package e2e

import (
	"runtime"
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/result"
	"plimsoll/studies"
)

// TestQuickstartDecides: whoever runs it, on whichever machine, gets two load
// lines with an end and what gave out, and no refusal. Its phases are shortened.
func TestQuickstartDecides(t *testing.T) {
	if runtime.NumCPU() > 32 {
		t.Skipf("its ladder ends at 64 instances, which %d cores may carry", runtime.NumCPU())
	}
	text, err := studies.Read("quickstart")
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t)
	study := s.write("quickstart.yaml", replace(string(text), "warmup: 4s", "warmup: 1s", "measure: 10s", "measure: 4s"))
	out, _ := s.plimsoll(0, "run", study, "--name", "decides")
	contains(t, out, "Grade ")
	run, err := result.Open(s.run("decides"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := analysis.Analyse(run, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Variants) != 2 {
		t.Fatalf("%d classes", len(a.Variants))
	}
	for _, v := range a.Variants {
		if v.LoadLine.Open || v.LoadLine.Next == 0 {
			t.Errorf("the load line of %s has no end: %s", v.Name, v.LoadLine.Text)
		}
	}
	for _, f := range a.Findings {
		if f.Kind == "bottleneck" && strings.Contains(f.Text, "No resource is saturated") {
			t.Errorf("nothing gave out: %s", f.Text)
		}
	}
}
