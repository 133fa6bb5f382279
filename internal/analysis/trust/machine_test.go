package trust

import (
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// CPU that belongs to nobody: on a local file system the kernel has no threads
// of its own to blame, and code outside the kernel is never the kernel's.
func TestNeighbourIsNotTheKernel(t *testing.T) {
	for _, c := range []struct {
		name     string
		busy     float64 // of 8 cores; one belongs to the trial
		user     float64 // of busy
		device   string
		severity Severity
		kernel   bool
	}{
		{"36 % on a local file system", 0.485, 0, "vda", Caution, false},
		{"59 % on a local file system", 0.715, 0, "vda", Serious, false},
		{"36 % behind loop devices", 0.485, 0.1, "loop3", Note, true},
		{"20 % behind loop devices", 0.325, 0.1, "loop3", Note, false},
		{"59 % of it user code, behind loop devices", 0.715, 0.6, "loop3", Serious, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := Sift(analysistest.MadeUp(analysistest.MeanBelow(1), analysistest.Sample{Variant: "a", Rung: 1, OPM: 1200, Mean: 0.1, Change: func(t *result.Trial) {
				analysistest.Sampled(t, "cpu", "", "utilisation", c.busy)
				analysistest.Sampled(t, "cpu", "", "user", c.user)
				analysistest.Sampled(t, "instance", "db-000", "cpu", 1)
				t.Devices = []describe.Device{{Name: c.device, Actuators: 1}}
			}}))
			for _, w := range e.Doubts() {
				if w.Kind == Background {
					why := w.Args[2].Reasons[0].Form
					if w.Severity != c.severity || (why == BackgroundKernel || why == BackgroundKernelNew) != c.kernel {
						t.Errorf("%s: %s", w.Severity, why)
					}
					return
				}
			}
			t.Error("nothing was said")
		})
	}
}
