package platformtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/host/task"
	"plimsoll/internal/platform"
)

// RunTasks runs those tests of the suite that are about tasks.
func (s Suite) RunTasks(t *testing.T) {
	t.Run("a task streams records, progress and a result", s.taskStreams)
	t.Run("a stream that breaks is resumed", s.taskBrokenStream)
	t.Run("a task gets its input", s.taskInput)
	t.Run("input that cannot be handed over is told", s.taskInputFails)
	t.Run("a task that fails says why", s.taskFails)
	t.Run("a task that is killed leaves what it had written", s.taskKilled)
	t.Run("a task that crashes leaves what it had written, and its log", s.taskCrashes)
	t.Run("a task that is stopped ends in order", s.taskStopped)
	t.Run("a task that does not stop is killed", s.taskStubborn)
	t.Run("one name is one task", s.taskName)
	t.Run("reserved tasks begin", s.taskReserved)
	t.Run("a task may say more than memory holds", s.taskMuch)
	t.Run("close ends tasks", s.taskClose)
}

func begin(t *testing.T, p platform.Platform, name, kind string, w work) platform.Running {
	t.Helper()
	r, err := p.Task(t.Context(), jobOf(t, name, kind, w))
	if err != nil {
		t.Fatalf("start %s: %v", name, err)
	}
	return r
}

func jobOf(t *testing.T, name, kind string, w work) platform.Task {
	t.Helper()
	job, err := task.NewJob(kind, name, w)
	if err != nil {
		t.Fatal(err)
	}
	return platform.Task{Name: name, Job: job}
}

// heard is what a task sent.
type heard struct {
	hello    task.Hello
	records  int // in order
	receipts []string
	progress int
	result   string
}

func (h *heard) take(f task.Frame) (err error) {
	switch f.Kind {
	case task.HelloFrame:
		h.hello, err = f.Hello()
	case task.RecordFrame:
		err = h.record(f.Payload)
	case task.ReceiptsFrame:
		err = h.receipt(f)
	case task.ProgressFrame:
		h.progress++
	case task.ResultFrame:
		h.result = string(f.Payload)
	}
	return err
}

func (h *heard) record(line []byte) error {
	var r struct {
		N *int `json:"n"`
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return err
	}
	if r.N != nil && *r.N != h.records {
		return fmt.Errorf("record %d comes after %d others", *r.N, h.records)
	}
	h.records++
	return nil
}

func (h *heard) receipt(f task.Frame) error {
	instance, packed, err := f.Receipts()
	if err != nil || instance != 3 {
		return fmt.Errorf("receipts of instance %d: %w", instance, err)
	}
	return task.EachReceipt(bytes.NewReader(packed), func(r []byte) bool {
		h.receipts = append(h.receipts, string(r))
		return true
	})
}

// hear takes all that a task says.
func hear(t *testing.T, source task.Source) (heard, error) {
	t.Helper()
	var h heard
	err := (&task.Follower{Source: source}).Run(t.Context(), h.take)
	return h, err
}

// hearUntil takes what a task says until it has written some records.
func hearUntil(t *testing.T, source task.Source, records int) {
	t.Helper()
	enough := errors.New("enough")
	var h heard
	err := (&task.Follower{Source: source}).Run(t.Context(), func(f task.Frame) error {
		if err := h.take(f); err != nil || h.records < records {
			return err
		}
		return enough
	})
	if !errors.Is(err, enough) {
		t.Fatalf("only %d records came: %v", h.records, err)
	}
}

func finish(t *testing.T, r platform.Running) {
	t.Helper()
	<-r.Done()
	if err := r.Remove(t.Context()); err != nil {
		t.Errorf("remove the output of %s: %v", r.Name(), err)
	}
}

func (s Suite) taskStreams(t *testing.T) {
	p := s.open(t)
	before := time.Now()
	r := begin(t, p, "count", "count", work{Records: 1000, Size: 100})
	h, err := hear(t, r)
	if err != nil || h.records != 1000 || h.result != "1000" || h.progress == 0 {
		t.Errorf("%d records, result %s, progress %d, %v", h.records, h.result, h.progress, err)
	}
	if at := h.hello.Clock.Add(-h.hello.Offset); h.hello.Name != "count" || at.Before(before.Add(-time.Minute)) || at.After(time.Now().Add(time.Minute)) {
		t.Errorf("hello %+v", h.hello)
	}
	<-r.Done()
	if r.Err() != nil {
		t.Errorf("it ended with %v", r.Err())
	}
	if again, err := hear(t, r); err != nil || again.records != 1000 {
		t.Errorf("read again: %d records, %v", again.records, err)
	}
	finish(t, r)
	finish(t, begin(t, p, "count", "count", work{})) // the name is free again
}

// brittle is a source whose streams break after some bytes, within a frame as a
// rule. Each brings one frame of work.Size 200 at least: of a task that has ended,
// a follower takes three streams that bring nothing for the end.
type brittle struct {
	task.Source
	broke *int
}

func (b brittle) Open(ctx context.Context, from uint64) (io.ReadCloser, error) {
	r, err := b.Source.Open(ctx, from)
	if err != nil || *b.broke > 40 {
		return r, err
	}
	*b.broke++
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(r, 300+rand.Int64N(2700)), r}, nil
}

func (s Suite) taskBrokenStream(t *testing.T) {
	p := s.open(t)
	r := begin(t, p, "long", "count", work{Records: 300, Size: 200, Pause: 5 * time.Millisecond})
	broke := 0
	h, err := hear(t, brittle{r, &broke})
	if err != nil || h.records != 300 || h.result != "300" || broke < 3 {
		t.Errorf("%d records, result %s, %d streams broke, %v", h.records, h.result, broke, err)
	}
	finish(t, r)
}

// receipts gives so many for the input of a task.
func receipts(n int) func() (io.ReadCloser, error) {
	var packed []byte
	for i := range n {
		packed = task.AppendReceipt(packed, fmt.Appendf(nil, "receipt %d", i))
	}
	return task.ReceiptsInput(3, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed)), nil })
}

func (s Suite) taskInput(t *testing.T) {
	p := s.open(t)
	for _, n := range []int{0, 20000} {
		about := jobOf(t, "echo", "echo", work{})
		about.Job.Input, about.Input = true, receipts(n)
		r, err := p.Task(t.Context(), about)
		if err != nil {
			t.Fatal(err)
		}
		h, err := hear(t, r)
		if err != nil || len(h.receipts) != n || h.result != fmt.Sprint(n) || n > 0 && h.receipts[n-1] != fmt.Sprintf("receipt %d", n-1) {
			t.Errorf("%d of %d receipts came back, result %s, %v", len(h.receipts), n, h.result, err)
		}
		finish(t, r)
	}
}

func (s Suite) taskInputFails(t *testing.T) {
	p := s.open(t)
	gone := errors.New("the receipts are gone")
	for name, input := range map[string]func() (io.ReadCloser, error){
		"at-once": func() (io.ReadCloser, error) { return nil, gone },
		"later": task.ReceiptsInput(3, func() (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(strings.NewReader("\x01a"), failing{gone})), nil
		}),
	} {
		about := jobOf(t, name, "echo", work{})
		about.Job.Input, about.Input = true, input
		r, err := p.Task(t.Context(), about)
		if err != nil {
			t.Fatal(err)
		}
		_, err = hear(t, r)
		<-r.Done()
		if err == nil || !errors.Is(r.Err(), platform.ErrInput) {
			t.Errorf("%s: the task says %v, the platform %v", name, err, r.Err())
		}
		mention(t, r.Err(), "the receipts are gone")
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func (s Suite) taskFails(t *testing.T) {
	p := s.open(t)
	r := begin(t, p, "fail", "fail", work{Say: "80 of 100 failed"})
	if _, err := hear(t, r); !errors.Is(err, task.Failure("80 of 100 failed")) {
		t.Errorf("it failed with %v", err)
	}
	<-r.Done()
	mention(t, r.Err(), "fail", "80 of 100 failed") // in its log, too
	r = begin(t, p, "unknown", "nonsense", work{})
	_, err := hear(t, r)
	mention(t, err, `unknown kind of task "nonsense"`)
}

func (s Suite) taskKilled(t *testing.T) {
	p := s.open(t)
	r := begin(t, p, "killed", "linger", work{Records: 50})
	hearUntil(t, r, 50)
	if err := r.Kill(); err != nil {
		t.Fatal(err)
	}
	h, err := hear(t, r)
	if !errors.Is(err, task.ErrUnended) || h.records != 50 {
		t.Errorf("%d records, %v", h.records, err)
	}
	if !errors.Is(r.Err(), platform.ErrKilled) {
		t.Errorf("it ended because %v", r.Err())
	}
	if why := platform.WhyEnded(errors.ErrUnsupported, r); why != errors.ErrUnsupported { //nolint:errorlint // it is the same, unwrapped
		t.Errorf("%v: who kills a task knows why", why)
	}
	finish(t, r)
}

func (s Suite) taskCrashes(t *testing.T) {
	p := s.open(t)
	r := begin(t, p, "crash", "crash", work{Records: 50, Say: "panic: the sky is falling"})
	h, err := hear(t, r)
	if !errors.Is(err, task.ErrUnended) || h.records != 50 {
		t.Errorf("%d records, %v", h.records, err)
	}
	<-r.Done()
	mention(t, r.Err(), "crash", "the sky is falling")
	finish(t, r)
	log, err := r.Log(t.Context()) // although its output is gone
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if text, err := io.ReadAll(log); err != nil || !strings.Contains(string(text), "the sky is falling") {
		t.Errorf("the log says %q, %v", text, err)
	}
}

func (s Suite) taskStopped(t *testing.T) {
	p := s.open(t)
	r := begin(t, p, "stopped", "linger", work{Records: 50})
	hearUntil(t, r, 50)
	if err := r.Remove(t.Context()); err == nil {
		t.Error("the output of a task at work was removed")
	}
	if err := r.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-r.Done()
	if r.Err() != nil {
		t.Errorf("after Stop: %v", r.Err())
	}
	h, err := hear(t, r)
	var why task.Failure
	if !errors.As(err, &why) || h.records != 50 {
		t.Errorf("%d records, it ended with %v, want its own reason", h.records, err)
	}
	finish(t, r)
}

func (s Suite) taskStubborn(t *testing.T) {
	p := s.open(t)
	r := begin(t, p, "stubborn", "stubborn", work{})
	hearUntil(t, r, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	mention(t, r.Stop(ctx), "stubborn", "killed")
	finish(t, r)
}

func (s Suite) taskName(t *testing.T) {
	p := s.open(t)
	begin(t, p, "twice", "linger", work{})
	_, err := p.Task(t.Context(), jobOf(t, "twice", "linger", work{}))
	mention(t, err, "twice", "already")
	for _, name := range []string{"", "a/b", "..", "a\nb"} {
		if _, err := p.Task(t.Context(), jobOf(t, name, "count", work{})); err == nil {
			t.Errorf("a task is called %q", name)
		}
	}
}

func (s Suite) taskReserved(t *testing.T) {
	p := s.open(t)
	var all []platform.Task
	for n := range 3 {
		all = append(all, jobOf(t, fmt.Sprintf("reserved-%d", n), "count", work{Records: n}))
	}
	release, err := p.Reserve(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	for n, about := range all[:2] {
		r, err := p.Task(t.Context(), about)
		if err != nil {
			t.Fatal(err)
		}
		if h, err := hear(t, r); err != nil || h.records != n {
			t.Errorf("%d records of %s, %v", h.records, about.Name, err)
		}
		finish(t, r)
	}
	for range 2 {
		if err := release(t.Context()); err != nil {
			t.Error(err)
		}
	}
	finish(t, begin(t, p, "reserved-2", "count", work{})) // the name is free again
}

// taskMuch follows far more than it may keep.
func (s Suite) taskMuch(t *testing.T) {
	p := s.open(t)
	const records, size, limit = 8000, 16 << 10, 80 << 20 // 131 MB; other tests of the process have memory too
	r := begin(t, p, "much", "count", work{Records: records, Size: size})
	var h heard
	largest := uint64(0)
	err := (&task.Follower{Source: r}).Run(t.Context(), func(f task.Frame) error {
		if h.records%500 == 0 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			largest = max(largest, m.HeapAlloc)
		}
		return h.take(f)
	})
	if err != nil || h.records != records {
		t.Errorf("%d records, %v", h.records, err)
	}
	if largest > limit {
		t.Errorf("%d MB were in memory", largest>>20)
	}
	finish(t, r)
}

func (s Suite) taskClose(t *testing.T) {
	p := s.Platform(t)
	r := begin(t, p, "open", "linger", work{Records: 1})
	hearUntil(t, r, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // clean-up must not depend on it
	if err := p.Close(ctx); err != nil {
		t.Fatal(err)
	}
	<-r.Done()
	if _, err := hear(t, r); err == nil {
		t.Error("the output of a task is there after Close")
	}
}
