package files

import (
	"testing"

	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/workload"
)

func TestConformance(t *testing.T) {
	own := func(change func(*Parameters)) workload.Parameters {
		p := defaults()
		p.FileSize, p.BlockSize, p.Files = 40_000, 4096, 2 // the last block is short
		change(p)
		return p
	}
	for operation, change := range map[string]func(*Parameters){
		write: func(*Parameters) {}, rewrite: func(p *Parameters) { p.Flush = false }, read: func(*Parameters) {}, mixed: func(*Parameters) {},
		reread: func(p *Parameters) { p.Files = 1; p.FileSize = 4096 },
	} {
		t.Run(operation, func(t *testing.T) {
			workloadtest.RunOnVolume(t, workloadtest.Suite{
				Workload: Workload{}, Parameters: own(func(p *Parameters) { p.Operation = operation; change(p) }),
				Wrong: map[string]workload.Parameters{
					"operation":  own(func(p *Parameters) { p.Operation = "append" }),
					"file_size":  own(func(p *Parameters) { p.FileSize = 100 }),
					"block_size": own(func(p *Parameters) { p.BlockSize = 0 }),
					"files":      own(func(p *Parameters) { p.Files = 0 }),
					"io":         own(func(p *Parameters) { p.IO = "mmap" }),
					"work":       own(func(p *Parameters) { p.Operation, p.Work = reread, once }),
					"read":       own(func(p *Parameters) { p.Read = -1 }),
				},
			})
		})
	}
}
