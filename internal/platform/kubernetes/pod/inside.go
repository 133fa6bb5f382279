package pod

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"plimsoll/internal/host/task"
)

// dialLimit is how long the supervisor may take to begin.
const dialLimit = 30 * time.Second

// dial connects to the supervisor of the pod, which may have just been started.
func (p Place) dial(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	for {
		conn, err := (&net.Dialer{}).DialContext(ctx, "unix", p.socket())
		if err == nil {
			return conn, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("reach the first process of the pod: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// link connects in and out to the supervisor until one of them ends.
func (p Place) link(ctx context.Context, in io.Reader, out io.Writer) error {
	conn, err := p.dial(ctx)
	if err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(conn, in) // an end of it is an end of the link
		_ = conn.Close()
	}()
	_, err = io.Copy(out, conn)
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	return errors.Join(err, ignoreClosed(conn.Close()))
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// status writes how the task is doing.
func (p Place) status(ctx context.Context, out io.Writer) error {
	now, err := p.ask(ctx, verbStatus)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(now)
}

// request has the supervisor end the task, and returns when it has heard.
func (p Place) request(ctx context.Context, verb string) error {
	_, err := p.ask(ctx, verb+"\n"+verbStatus)
	return err
}

// ask says something to which the answer is the status.
func (p Place) ask(ctx context.Context, what string) (Status, error) {
	conn, err := p.dial(ctx)
	if err != nil {
		return Status{}, err
	}
	defer conn.Close()
	if _, err := fmt.Fprintln(conn, what); err != nil {
		return Status{}, err
	}
	reply, err := bufio.NewReader(conn).ReadBytes('\n')
	if err != nil {
		return Status{}, err
	}
	var a answer
	if err := json.Unmarshal(reply, &a); err != nil || a.Status == nil {
		return Status{}, fmt.Errorf("the first process of the pod says %q", reply)
	}
	return *a.Status, nil
}

// read writes the frames of the spool from one with a number on, until the task has
// ended or nobody listens any more.
func (p Place) read(ctx context.Context, from uint64, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	conn, err := p.dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() // the supervisor waits for it
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := awaitEnd(conn); err != nil {
			cancel(err)
		}
	}()
	go untilHungUp(in, cancel)
	spool, err := task.OpenSpool(ctx, p.spool(), from, ended)
	if err != nil {
		return fmt.Errorf("read the output of the task: %w", err)
	}
	defer spool.Close()
	if _, err := io.Copy(out, spool); err != nil {
		return err
	}
	return context.Cause(ctx)
}

func awaitEnd(conn net.Conn) error {
	if _, err := fmt.Fprintln(conn, verbEnd); err != nil {
		return err
	}
	_, err := bufio.NewReader(conn).ReadBytes('\n')
	return err
}

var errHungUp = errors.New("the reader has hung up")

// untilHungUp waits for the end of a pipe, which ends with the connection. Another
// input says nothing: without one it is empty.
func untilHungUp(in io.Reader, cancel context.CancelCauseFunc) {
	file, ok := in.(*os.File)
	if !ok {
		return
	}
	if info, err := file.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return
	}
	_, _ = io.Copy(io.Discard, file)
	cancel(errHungUp)
}
