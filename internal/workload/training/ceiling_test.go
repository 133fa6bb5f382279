package training

import (
	"os"
	"testing"

	"plimsoll/internal/conformance/workloadtest"
)

func TestMain(m *testing.M) { os.Exit(workloadtest.Answering(m, Workload{})) }

// A driver of accelerators says what its readers do by themselves, and with a barrier how long
// accelerators wait for each other.
func TestDriverSaysWhatItDoesByItself(t *testing.T) {
	for _, name := range []string{"files", "objects, in ranges"} {
		of := places()[name]
		t.Run(name, func(t *testing.T) {
			workloadtest.Ceiling(t, Workload{}, small(func(p *Parameters) { of.change(p); p.Barrier = true }), of.start(t).Target)
		})
	}
}
