package video_test

import (
	"testing"

	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/video"
)

func TestConformance(t *testing.T) {
	own := func(change func(*video.Parameters)) workload.Parameters {
		p := video.Workload{}.Defaults().(*video.Parameters)
		p.Rate, p.ReadSize, p.History = 400_000, 8<<10, 1<<20
		p.Segment, p.IO = unit.Duration(1e9), "buffered" // which every file system has
		change(p)
		return p
	}
	workloadtest.RunOnVolume(t, workloadtest.Suite{
		Workload: workloadtest.Counted{Workload: video.Workload{}}, Parameters: own(func(*video.Parameters) {}),
		Wrong: map[string]workload.Parameters{
			"rate":    own(func(p *video.Parameters) { p.Rate = 0 }),
			"reads":   own(func(p *video.Parameters) { p.Reads = 100 }),
			"history": own(func(p *video.Parameters) { p.History = 0 }),
		},
	})
}
