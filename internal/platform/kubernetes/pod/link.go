package pod

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httputil"
	"time"
)

// Link is a client's connection to a supervisor, over the standard input and output of `pod
// link`. Every error wraps ErrBroken or comes from the supervisor, except the input error
// of Give.
type Link struct {
	in  io.WriteCloser
	out *bufio.Reader
}

// NewLink talks over two streams.
func NewLink(in io.WriteCloser, out io.Reader) *Link {
	return &Link{in: in, out: bufio.NewReader(out)}
}

// Close hangs up.
func (l *Link) Close() error { return l.in.Close() }

func (l *Link) say(verb string) error {
	if _, err := io.WriteString(l.in, verb+"\n"); err != nil {
		return fmt.Errorf("%w: %w", ErrBroken, err)
	}
	return nil
}

func (l *Link) hear() (a answer, err error) {
	line, err := l.out.ReadBytes('\n')
	if err != nil {
		return a, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	if err := json.Unmarshal(line, &a); err != nil {
		return a, fmt.Errorf("the pod's first process says %q: %w", line, err)
	}
	if a.Error != "" {
		return a, fmt.Errorf("the pod's first process says: %s", a.Error)
	}
	return a, nil
}

// Offset measures how far the clock of the pod's machine is ahead, by asking for the
// time so many times: the middle of the shortest of the round trips is the best
// guess, half of that trip (within) its largest error, as in NTP (RFC 5905, section
// 8).
func (l *Link) Offset(rounds int) (ahead, within time.Duration, err error) {
	for round := range rounds {
		asked := time.Now()
		if err := l.say(verbClock); err != nil {
			return 0, 0, err
		}
		a, err := l.hear()
		if err != nil {
			return 0, 0, err
		}
		if half := time.Since(asked) / 2; round == 0 || half < within {
			within, ahead = half, time.Unix(0, a.Clock).Sub(asked.Add(half).Round(0))
		}
	}
	return ahead, within, nil
}

// Give hands over a job with what write gives for it. input is write's own error:
// the task then gets what came before. Once err is nil the supervisor has it all,
// and Give may be called again for nothing.
func (l *Link) Give(write func(io.Writer) error) (input, err error) {
	if err := l.say(verbJob); err != nil {
		return nil, err
	}
	to := &remembering{to: l.in}
	buffered := bufio.NewWriterSize(to, 32<<10)
	chunks := httputil.NewChunkedWriter(buffered)
	input = write(chunks)
	if to.err == nil {
		_, _ = chunks.Close(), buffered.Flush() // errors of writing are remembered
	}
	if to.err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, to.err)
	}
	_, err = l.hear()
	return input, err
}

// remembering records the error of its writer, to distinguish a failure of the link from a
// failure of Give's write function.
type remembering struct {
	to  io.Writer
	err error
}

func (r *remembering) Write(p []byte) (n int, err error) {
	if r.err == nil {
		n, r.err = r.to.Write(p)
	}
	return n, r.err
}

// End waits for the end of the task.
func (l *Link) End() (Status, error) {
	if err := l.say(verbEnd); err != nil {
		return Status{}, err
	}
	a, err := l.hear()
	if err != nil || a.Status == nil {
		return Status{}, err
	}
	return *a.Status, nil
}
