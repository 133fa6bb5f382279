package training

import (
	"os"
	"testing"

	"plimsoll/internal/workload/fileio"
	"plimsoll/internal/workload/workloadtest"
)

func TestMain(m *testing.M) { os.Exit(workloadtest.Answering(m, Workload{})) }

// A driver of accelerators says what its readers do by themselves.
func TestDriverSaysWhatItDoesByItself(t *testing.T) {
	workloadtest.Ceiling(t, Workload{}, small(func(*Parameters) {}), fileio.VolumeRole)
}
