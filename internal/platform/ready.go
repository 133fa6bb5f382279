package platform

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
)

// askLimit is how long a server may think about whether it is ready.
const askLimit = 5 * time.Second

// Starting is a server that is not ready yet.
type Starting struct {
	Server app.Server
	// Asked is how the campaign's process reaches it.
	Asked endpoint.Endpoint
	// Pause is the time between two questions.
	Pause time.Duration
	// Done and Err come from its Process.
	Done <-chan struct{}
	Err  func() error
	// WithTail adds to an error what the server says about it.
	WithTail func(error) error
}

// AwaitReady asks until the server answers, it ends, or its time is up.
func (s Starting) AwaitReady(ctx context.Context) error {
	limit := s.Server.StartTimeout
	if limit <= 0 {
		limit = time.Minute
	}
	deadline := time.After(limit)
	for {
		last := s.ask(ctx)
		switch {
		case s.ended():
			return s.endedEarly()
		case last == nil:
			return nil
		case errors.Is(last, app.ErrHopeless):
			return s.WithTail(fmt.Errorf("%s is running but cannot be used: %w", s.Server.Name, last))
		}
		select {
		case <-s.Done:
			return s.endedEarly()
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", s.Server.Name, ctx.Err())
		case <-deadline:
			return s.WithTail(fmt.Errorf("%s was not ready within %s: %w", s.Server.Name, limit, last))
		case <-time.After(s.Pause):
		}
	}
}

func (s Starting) ask(ctx context.Context) error {
	if s.Server.Ready == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	return s.Server.Ready(ctx, s.Asked)
}

func (s Starting) ended() bool {
	select {
	case <-s.Done:
		return true
	default:
		return false
	}
}

// endedEarly is why it ended.
func (s Starting) endedEarly() error {
	if err := s.Err(); err != nil {
		return err
	}
	return fmt.Errorf("%s was stopped before it was ready", s.Server.Name)
}
