package driver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"
	"time"

	"plimsoll/internal/host/peer"
	"plimsoll/internal/host/task"
	"plimsoll/internal/result"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
)

// AnswerKind is the kind of the task that answers a driver's users. It is a child of the
// driver, inherits its listener from it and ends with it.
const AnswerKind = "answer"

// listenerFD is where the task finds the listener.
const listenerFD = 3

const (
	// ceilingGap is from when no unit begins any more until all drivers begin against what
	// answers, so that they do so together; one that drains longer begins later.
	ceilingGap    = time.Second
	ceilingWarmup = time.Second
)

// answerTask is the specification of the task.
type answerTask struct {
	Workload   string            `json:"workload"`
	Parameters json.RawMessage   `json:"parameters"`
	Targets    []workload.Target `json:"targets"`
}

// AnswerHandler answers users with the registered workloads.
func AnswerHandler(reg workload.Registry) task.Handler {
	return func(ctx context.Context, c task.Call) error {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		go func() { // the input ends with the driver
			defer stop()
			_ = c.Input.Receipts(func([]byte) bool { return true })
		}()
		var spec answerTask
		if err := task.Decode(c.Spec, &spec); err != nil {
			return fmt.Errorf("read whom to answer: %w", err)
		}
		w, p, err := answering(reg, spec)
		if err != nil {
			return err
		}
		l, err := net.FileListener(os.NewFile(listenerFD, "listener"))
		if err != nil {
			return fmt.Errorf("take over the listener: %w", err)
		}
		defer l.Close()
		return w.Answer(ctx, peer.NewGuard(l, peer.OfThisUser, mostAnswered, 0), spec.Targets, p)
	}
}

// mostAnswered is more connections than a driver has users.
const mostAnswered = 1 << 20

func answering(reg workload.Registry, spec answerTask) (workload.Answerer, workload.Parameters, error) {
	w, err := reg.Get(spec.Workload)
	if err != nil {
		return nil, nil, err
	}
	a := w.Capabilities().Answerer
	if a == nil {
		return nil, nil, fmt.Errorf("users of workload %s cannot be answered without a store", w.Name())
	}
	p, err := workload.DecodeParameters(w, spec.Parameters)
	return a, p, err
}

// writeCeiling measures what the driver does by itself. That it cannot be measured is an
// event.
func (r *reporter) writeCeiling(ctx context.Context, second int) {
	c, err := r.driver.ceiling(ctx)
	if err != nil {
		r.write(result.Record{Kind: result.KindEvent, Second: second, At: time.Now(), Event: "the driver's ceiling is not known: " + err.Error()})
		return
	}
	r.write(result.Record{Kind: result.KindCeiling, Second: second, Ceiling: c})
}

// ceiling has the same users do the same work, without pauses, against a process that answers.
func (d *driver) ceiling(ctx context.Context) (*result.Ceiling, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer l.Close()
	job, err := d.againstAnswers(l.Addr().String())
	if err != nil {
		return nil, err
	}
	stop, err := d.startAnswers(ctx, l.(*net.TCPListener), job.Targets)
	if err != nil {
		return nil, err
	}
	sum := &ceilingSum{whole: d.profile.Whole(), sum: result.Ceiling{Seconds: job.Measure.D().Seconds()}}
	if at := d.clock.end().Add(ceilingGap); !d.profile.Fixed && time.Now().Before(at) {
		job.Start = at
	}
	before := cpuUsage()
	played := drive(ctx, job, d.workload, sum, d.settings)
	used := cpuUsage()
	return sum.done(errors.Join(played, stop()), (used.user + used.system - before.user - before.system).Seconds())
}

// againstAnswers is the job's own with targets that are answered at an address.
func (d *driver) againstAnswers(address string) (Job, error) {
	job := d.job
	job.ThinkTime, job.Rate, job.Arrivals, job.Bursts, job.RampRate = 0, 0, "", nil, 0
	job.Ramp, job.Warmup, job.Measure, job.Linger, job.Ceiling, job.ErrorLimit, job.Tolerate = 0, unit.Duration(ceilingWarmup), job.Ceiling, 0, 0, 0, 0
	job.Start, job.Targets = time.Time{}, nil
	if d.profile.Fixed { // all of it is measured
		job.Warmup = 0
	}
	w := d.workload.Capabilities().Answerer
	if w == nil {
		return job, fmt.Errorf("users of workload %s cannot be answered without a store", d.workload.Name())
	}
	for _, t := range d.job.Targets {
		at, able := w.Answerable(t, d.parameters, address)
		if !able {
			return job, fmt.Errorf("users reach instance %d in a way that cannot be answered without a store, as by TLS", t.Instance)
		}
		job.Targets = append(job.Targets, at)
	}
	return job, nil
}

// startAnswers starts this program again to answer users, and returns a function that ends
// it.
func (d *driver) startAnswers(ctx context.Context, l *net.TCPListener, targets []workload.Target) (stop func() error, err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	shared, err := l.File()
	if err != nil {
		return nil, err
	}
	defer shared.Close()
	job, err := task.NewJob(AnswerKind, d.job.Name+"-answers", answerTask{d.job.Workload, d.job.Parameters, targets})
	if err != nil {
		return nil, err
	}
	job.Input = true
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, program, "task")
	cmd.ExtraFiles, cmd.Stderr = []*os.File{shared}, &said
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	if err := task.WriteJob(in, job, nil); err != nil {
		return nil, errors.Join(err, in.Close(), cmd.Wait())
	}
	return func() error {
		_ = in.Close() // which ends it
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("what answered ended with %w: %s", err, bytes.TrimSpace(said.Bytes()))
		}
		return nil
	}, nil
}

// ceilingSum is a Sink that sums the measured phase.
type ceilingSum struct {
	whole  string
	mu     sync.Mutex
	sum    result.Ceiling
	all    int64 // units of work with those outside the measured phase
	failed map[string]int64
}

// Record implements Sink.
func (s *ceilingSum) Record(line []byte) error {
	var r result.Record
	if err := json.Unmarshal(line, &r); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Kind != result.KindOperation || r.Operation != s.whole {
		return nil
	}
	for class, n := range r.Errors {
		if s.failed == nil {
			s.failed = map[string]int64{}
		}
		s.failed[class] += n
	}
	s.all += r.Count
	if r.Phase == result.Measure {
		s.sum.Count += r.Count
		s.sum.Bytes += r.Bytes
	}
	return nil
}

// Receipts implements Sink.
func (*ceilingSum) Receipts(int, []byte) error { return nil }

// Flush implements Sink.
func (*ceilingSum) Flush() error { return nil }

// done returns the sum where every unit of work was answered well. Of the seconds of CPU that
// all took, the measured ones get their share: on a busy machine it is not known in which
// second they were used.
func (s *ceilingSum) done(err error, cpu float64) (*result.Ceiling, error) {
	switch {
	case err != nil:
		return nil, err
	case len(s.failed) > 0:
		return nil, fmt.Errorf("answers were not as expected: %v", s.failed)
	case s.sum.Count == 0:
		return nil, errors.New("nothing was done in its time")
	}
	s.sum.CPU = cpu * float64(s.sum.Count) / float64(s.all)
	return &s.sum, nil
}
