package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plimsoll/internal/app"
)

// askInterval is the pause between two questions whether a server is ready,
// and askLimit how long it may think about one.
const (
	askInterval = 50 * time.Millisecond
	askLimit    = 5 * time.Second
)

// awaitReady asks until the server answers, it ends, or the time is up.
func (p *process) awaitReady(ctx context.Context) error {
	limit := p.server.StartTimeout
	if limit <= 0 {
		limit = time.Minute
	}
	deadline := time.After(limit)
	for {
		last := p.ask(ctx)
		switch {
		case p.ended():
			return p.endedEarly()
		case last == nil:
			p.readyAt = time.Now()
			return nil
		case errors.Is(last, app.ErrHopeless):
			return p.log.withTail(fmt.Errorf("%s is running but cannot be used: %w", p.name, last))
		}
		select {
		case <-p.done:
			return p.endedEarly()
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", p.name, ctx.Err())
		case <-deadline:
			return p.log.withTail(fmt.Errorf("%s was not ready within %s: %w", p.name, limit, last))
		case <-time.After(askInterval):
		}
	}
}

func (p *process) ask(ctx context.Context) error {
	if p.server.Ready == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	return p.server.Ready(ctx, p.asked())
}

func (p *process) ended() bool { return isClosed(p.done) }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
