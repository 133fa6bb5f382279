package smallfiles_test

import (
	"fmt"
	"testing"

	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/smallfiles"
)

func TestConformance(t *testing.T) {
	for _, operation := range []string{"create", "read", "append", "stat", "rename", "list", "delete", "mixed"} {
		run(t, operation, "once", false)
	}
	for _, operation := range []string{"create", "append", "delete", "mixed"} { // which bring files back
		run(t, operation, "timed", false)
	}
	for _, operation := range []string{"create", "list", "mixed"} {
		run(t, operation, "once", true)
	}
}

func run(t *testing.T, operation, work string, shared bool) {
	own := func(change func(*smallfiles.Parameters)) workload.Parameters {
		p := smallfiles.Workload{}.Defaults().(*smallfiles.Parameters)
		p.Operation, p.Work, p.Shared = operation, work, shared
		p.Files, p.FanOut, p.FileSize = 50, 2, 5000
		if work == "timed" {
			p.Files = 12 // so that each has its turn more than once
		}
		change(p)
		return p
	}
	t.Run(fmt.Sprintf("%s, %s, shared %t", operation, work, shared), func(t *testing.T) {
		workloadtest.RunOnVolume(t, workloadtest.Suite{
			Workload: smallfiles.Workload{}, Parameters: own(func(*smallfiles.Parameters) {}),
			Wrong: map[string]workload.Parameters{
				"operation": own(func(p *smallfiles.Parameters) { p.Operation = "chmod" }),
				"files":     own(func(p *smallfiles.Parameters) { p.Files = 0 }),
				"fan_out":   own(func(p *smallfiles.Parameters) { p.FanOut = 0 }),
				"depth":     own(func(p *smallfiles.Parameters) { p.Depth = 9 }),
				"mix":       own(func(p *smallfiles.Parameters) { p.Mix = nil }),
				"file_size": own(func(p *smallfiles.Parameters) { p.FileSize = -1 }),
				"work":      own(func(p *smallfiles.Parameters) { p.Work = "never" }),
			},
		})
	})
}
