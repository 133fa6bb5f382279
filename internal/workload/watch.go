package workload

import "context"

// Watch interrupts the connection of a session when the context of its work ends. The zero
// Watch watches nothing.
type Watch struct {
	of   context.Context
	stop func() bool
}

// Over watches a context in place of the one before. Drivers pass the same context for every
// unit of work, so that this costs nothing.
func (w *Watch) Over(ctx context.Context, connection interface{ Interrupt() }) {
	if ctx == w.of {
		return
	}
	w.End()
	w.of, w.stop = ctx, context.AfterFunc(ctx, connection.Interrupt)
}

// End watches no more, because the connection is closed or replaced.
func (w *Watch) End() {
	if w.stop != nil {
		w.stop()
	}
	*w = Watch{}
}
