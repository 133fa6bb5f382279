package platform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"plimsoll/internal/host/task"
)

// Do runs a task to its end, removes its output, and decodes its result into to unless to
// is nil. A task that fails may still have a result, which Do decodes too. progress may be
// nil. Cancelling ctx stops the task in order: it still records the objects that it made on
// an existing server.
func Do(ctx context.Context, p Platform, t Task, progress func(task.Progress), to any) error {
	r, err := p.Task(ctx, t)
	if err != nil {
		return err
	}
	follower := task.Follower{Source: r}
	err = follower.Run(ctx, func(f task.Frame) error {
		switch {
		case f.Kind == task.ProgressFrame && progress != nil:
			progressed, err := f.Progress()
			if err != nil {
				return err
			}
			progress(progressed)
		case f.Kind == task.ResultFrame && to != nil:
			return json.Unmarshal(f.Payload, to)
		}
		return nil
	})
	patient := context.WithoutCancel(ctx)
	if ctx.Err() != nil {
		err = errors.Join(err, r.Stop(patient))
	} else if endErr := AwaitEnd(err, r); endErr != nil {
		err = errors.Join(err, endErr)
	}
	return errors.Join(WhyEnded(err, r), r.Remove(patient))
}

// AwaitEnd waits for a task that has sent its last record, and kills any other
// whose output can not be followed further. err is the follower's.
func AwaitEnd(err error, r Running) error {
	if err == nil || errors.As(err, new(task.Failure)) {
		<-r.Done()
		return nil
	}
	return r.Kill()
}

// WhyEnded adds what the platform knows of a task's end to the error that
// following it gave. A task's own words are better.
func WhyEnded(err error, r Running) error {
	known := r.Err()
	switch {
	case err == nil || known == nil || errors.Is(err, context.Canceled) || errors.Is(known, ErrKilled):
		return err
	case errors.Is(known, ErrInput):
		return known
	case errors.As(err, new(task.Failure)) && !errors.Is(known, ErrTakenAway):
		return err
	}
	return fmt.Errorf("%w; %w", err, known)
}
