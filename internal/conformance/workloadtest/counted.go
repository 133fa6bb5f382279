package workloadtest

import (
	"context"

	"plimsoll/internal/workload"
)

// Counted is an audited workload with sessions that ask for every unit, as RunOnVolume needs
// them, where its own leave that to the driver.
type Counted struct{ workload.Workload }

// Open implements workload.Workload.
func (w Counted) Open(ctx context.Context, t workload.Target, p workload.Parameters, user int, seed uint64) (workload.Session, error) {
	s, err := w.Workload.Open(ctx, t, p, user, seed)
	if err != nil {
		return nil, err
	}
	return &counted{Session: s}, nil
}

type counted struct {
	workload.Session
	pace workload.Pace
}

// Pace implements workload.PacedSession.
func (s *counted) Pace(p workload.Pace) { s.pace = p }

// Do implements workload.Session.
func (s *counted) Do(ctx context.Context, rec workload.Recorder) error {
	if _, more := s.pace.Next(); !more {
		return workload.ErrFinished
	}
	return s.Session.Do(ctx, rec)
}
