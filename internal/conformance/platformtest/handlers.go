package platformtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"plimsoll/internal/host/task"
)

// TaskMain makes this test program a task when a platform started it as one; it
// then does not return. A test program whose platform starts tasks calls it
// first of all.
func TaskMain() {
	if len(os.Args) < 2 || os.Args[1] != "task" {
		return
	}
	err := task.Main(context.Background(), os.Stdin, os.Stdout, handlers())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// work is what the tasks of this suite are to do.
type work struct {
	Records int           `json:"records"` // to write, each with its number
	Size    int           `json:"size"`    // of each, at least, in bytes
	Pause   time.Duration `json:"pause"`   // between them
	Say     string        `json:"say"`     // on standard error, or as the reason of a failure
}

func handlers() map[string]task.Handler {
	return map[string]task.Handler{"count": count, "fail": fail, "crash": crash, "linger": linger, "stubborn": stubborn, "echo": echo, "dial": dial, "glutton": glutton}
}

// count writes records, and how many as its result.
func count(ctx context.Context, c task.Call) error {
	var w work
	if err := task.Decode(c.Spec, &w); err != nil {
		return err
	}
	filler := bytes.Repeat([]byte("x"), w.Size)
	for n := range w.Records {
		if err := c.Out.Record(fmt.Appendf(nil, `{"n":%d,"filler":"%s"}`, n, filler)); err != nil {
			return err
		}
		c.Out.Progress(float64(n) / float64(w.Records))
		if w.Pause > 0 {
			if err := errors.Join(c.Out.Flush(), sleep(ctx, w.Pause)); err != nil {
				return err
			}
		}
	}
	return c.Out.Result(w.Records)
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// fail fails by its own account.
func fail(_ context.Context, c task.Call) error {
	var w work
	return errors.Join(task.Decode(c.Spec, &w), errors.New(w.Say))
}

// crash ends without an end, after its records have gone out.
func crash(ctx context.Context, c task.Call) error {
	if err := errors.Join(count(ctx, c), c.Out.Flush()); err != nil {
		return err
	}
	var w work
	if err := task.Decode(c.Spec, &w); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, w.Say)
	os.Exit(7)
	return nil
}

// linger counts and then waits to be stopped, which is its error.
func linger(ctx context.Context, c task.Call) error {
	if err := errors.Join(count(ctx, c), c.Out.Flush()); err != nil {
		return err
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// stubborn does not listen.
func stubborn(_ context.Context, c task.Call) error {
	if err := errors.Join(c.Out.Record([]byte("{}")), c.Out.Flush()); err != nil {
		return err
	}
	time.Sleep(10 * time.Minute)
	return nil
}

// echo gives back the receipts that it gets, and their number.
func echo(_ context.Context, c task.Call) error {
	n := 0
	var failed error
	err := c.Input.Receipts(func(receipt []byte) bool {
		n++
		failed = c.Out.Receipts(3, task.AppendReceipt(nil, receipt))
		return failed == nil
	})
	return errors.Join(err, failed, c.Out.Result(n))
}

// glutton takes memory until it may have no more.
func glutton(_ context.Context, c task.Call) error {
	if err := errors.Join(c.Out.Record([]byte("{}")), c.Out.Flush()); err != nil {
		return err
	}
	for all := [][]byte{}; ; {
		all = append(all, bytes.Repeat([]byte("x"), 1<<20))
		all[len(all)/2][0]++ // all of it is in use
	}
}
