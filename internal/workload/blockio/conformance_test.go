package blockio_test

import (
	"testing"

	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/blockio"
)

func TestConformance(t *testing.T) {
	own := func(change func(*blockio.Parameters)) workload.Parameters {
		p := blockio.Workload{}.Defaults().(*blockio.Parameters)
		p.Size, p.Mode = 1<<20, "buffered" // which every file system has
		change(p)
		return p
	}
	workloadtest.RunOnVolume(t, workloadtest.Suite{
		Workload: blockio.Workload{}, Parameters: own(func(*blockio.Parameters) {}),
		Wrong: map[string]workload.Parameters{
			"read":  own(func(p *blockio.Parameters) { p.Read = -1 }),
			"block": own(func(p *blockio.Parameters) { p.Block = nil }),
		},
	})
}
