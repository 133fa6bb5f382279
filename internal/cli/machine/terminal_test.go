package machine

import (
	"path/filepath"
	"testing"
	"time"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/command/commandtest"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/devicepool"
	"plimsoll/internal/storage/probe"
)

// Lists of pools and results of a probe fit the terminal.
func TestOutputFitsTheTerminal(t *testing.T) {
	commandtest.New(t).Fits(true, func(s *command.State) { printPools(s, longPools()) })
	commandtest.New(t).Fits(true, func(s *command.State) {
		if err := printProbe(s, longProbe()); err != nil {
			t.Error(err)
		}
	})
}

func longPools() []devicepool.State {
	return []devicepool.State{{Name: "lab-of-the-second-floor", Since: time.Now(), Pools: []devicepool.Pool{
		{Name: "replicated-three-times", Class: "gluster", Volume: storage.Volume{Path: filepath.Join("/srv", "plimsoll", "mounts", "lab")}},
	}}}
}

func longProbe() probe.Report {
	return probe.Report{Path: "/srv/plimsoll/mounts/lab", Grade: "B", FileSystem: "xfs", MountPoint: "/srv/plimsoll", Took: 40 * time.Second,
		Findings: []probe.Finding{{Title: "A flush is durable, as far as can be seen", Grade: "A", Text: "A flush takes 8.1 ms, which is what a disk of 7,200 rpm needs."}},
		Measures: []probe.Measure{{Text: "read 4 KiB, random", Depth: 16, PerSecond: 12345, Rate: 5e7, Mean: 0.001, P50: 0.001, P95: 0.002, P99: 0.003, Max: 0.1, CPU: 0.5, Engine: "io_uring"}}}
}
