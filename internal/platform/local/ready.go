package local

import (
	"context"
	"time"

	"plimsoll/internal/platform"
)

// askInterval is the pause between two questions whether a server is ready.
const askInterval = 50 * time.Millisecond

// awaitReady asks until the server answers, it ends, or the time is up.
func (p *process) awaitReady(ctx context.Context) error {
	err := platform.Starting{
		Server: p.server, Asked: p.Asked(), Pause: askInterval, Done: p.done, Err: p.Err, WithTail: p.log.WithTail,
	}.AwaitReady(ctx)
	if err == nil {
		p.readyAt = time.Now()
	}
	return err
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
