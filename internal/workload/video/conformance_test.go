package video_test

import (
	"context"
	"testing"

	"plimsoll/internal/unit"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/video"
	"plimsoll/internal/workload/workloadtest"
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
		Workload: counted{}, Parameters: own(func(*video.Parameters) {}),
		Wrong: map[string]workload.Parameters{
			"rate":    own(func(p *video.Parameters) { p.Rate = 0 }),
			"reads":   own(func(p *video.Parameters) { p.Reads = 100 }),
			"history": own(func(p *video.Parameters) { p.History = 0 }),
		},
	})
}

// counted is the workload with sessions that ask for every unit, as those of the suite do:
// streams leave that to the driver.
type counted struct{ video.Workload }

func (w counted) Open(ctx context.Context, t workload.Target, p workload.Parameters, user int, seed uint64) (workload.Session, error) {
	s, err := w.Workload.Open(ctx, t, p, user, seed)
	if err != nil {
		return nil, err
	}
	return &countedStream{Session: s}, nil
}

type countedStream struct {
	workload.Session
	pace workload.Pace
}

// Pace implements workload.Paced.
func (s *countedStream) Pace(p workload.Pace) { s.pace = p }

// Do implements workload.Session.
func (s *countedStream) Do(ctx context.Context, rec workload.Recorder) error {
	if _, more := s.pace.Next(); !more {
		return workload.ErrFinished
	}
	return s.Session.Do(ctx, rec)
}
