package driver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/task"
	"plimsoll/internal/result"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
)

// fake is a workload whose users sleep instead of asking a database, so that
// tests under testing/synctest know every response time exactly.
type fake struct {
	// step plays one order of a user: how long it takes and how it ends.
	step func(number int, now time.Time) (time.Duration, workload.Outcome, error)
	// connect may refuse a user.
	connect func(now time.Time) error
	// gone are instances that refuse all users.
	gone map[int]bool

	// fixed reports that the work ends by itself, when step returns ErrFinished.
	fixed   bool
	mu      sync.Mutex
	orders  int // of all users
	endings map[workload.Outcome]int
	opened  []time.Time
	last    int64
}

type fakeParameters struct {
	Name string `json:"name"`
	// Rate is the rate of each user's own schedule.
	Rate float64 `json:"rate"`
}

func (p *fakeParameters) Validate() []describe.Problem {
	if p.Name == "" {
		return []describe.Problem{{Path: "name", Text: "is empty"}}
	}
	return nil
}

func (f *fake) Name() string                  { return "fake" }
func (f *fake) Defaults() workload.Parameters { return &fakeParameters{Name: "default"} }

func (f *fake) Describe(p workload.Parameters) describe.Profile {
	return describe.Profile{
		Workload:   "fake",
		Unit:       describe.Unit{Name: "order", Plural: "orders", Throughput: "OPM", Seconds: 60},
		Operations: []string{"order", "step"},
		Fixed:      f.fixed,
		UserRate:   p.(*fakeParameters).Rate,
	}
}

func (f *fake) Capabilities() workload.Capabilities { return workload.Capabilities{} }

func (f *fake) Roles(workload.Parameters) []workload.Role {
	return []workload.Role{{Name: "db", Kinds: []string{"none"}, Needed: workload.Always}}
}

func (f *fake) Dataset(workload.Parameters, workload.Kinds, uint64) (d workload.Dataset) { return d }

func (f *fake) Prepare(context.Context, workload.Target, workload.Parameters, uint64, func(float64)) error {
	return nil
}

func (f *fake) Open(_ context.Context, t workload.Target, _ workload.Parameters, user int, _ uint64) (workload.Session, error) {
	if f.connect != nil {
		if err := f.connect(time.Now()); err != nil {
			return nil, err
		}
	}
	if f.gone[t.Instance] {
		return nil, syscall.ECONNREFUSED
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opened = append(f.opened, time.Now())
	return &fakeSession{fake: f, instance: t.Instance}, nil
}

type fakeSession struct {
	fake     *fake
	instance int
	broken   bool
}

// errBreaks loses the connection.
var errBreaks = errors.New("the connection breaks")

func (s *fakeSession) Do(ctx context.Context, rec workload.Recorder) error {
	f := s.fake
	f.mu.Lock()
	f.orders++
	number := f.orders
	f.mu.Unlock()
	start := time.Now()
	d, outcome, err := f.step(number, start)
	if errors.Is(err, workload.ErrFinished) {
		return err
	}
	select {
	case <-time.After(d):
	case <-ctx.Done():
		return ctx.Err()
	}
	f.mu.Lock()
	f.endings[outcome]++
	f.last++
	id := f.last
	f.mu.Unlock()
	rec.Observe(1, start, d, workload.Done)
	rec.Observe(0, start, d, outcome)
	if outcome == workload.Done {
		rec.Receipt(fmt.Appendf(nil, "%d of instance %d", id, s.instance))
	}
	s.broken = errors.Is(err, errBreaks)
	return err
}

func (s *fakeSession) Broken() bool { return s.broken }
func (s *fakeSession) Close() error { return nil }

// newFake makes users whose orders all take the same time.
func newFake(service time.Duration) *fake {
	return &fake{
		endings: map[workload.Outcome]int{},
		step:    func(int, time.Time) (time.Duration, workload.Outcome, error) { return service, workload.Done, nil },
	}
}

func fakeJob(t *testing.T, targets, users int) Job {
	job := Job{
		Name: "driver-0", Workload: "fake", Users: users, Seed: 1, Start: time.Now(),
		Warmup: unit.Duration(5 * time.Second), Measure: unit.Duration(20 * time.Second),
	}
	for i := range targets {
		job.Targets = append(job.Targets, workload.Target{Instance: i, Endpoints: []endpoint.Endpoint{{Role: "db", Kind: "none"}}})
	}
	return job
}

// sink keeps what a driver records.
type sink struct {
	mu       sync.Mutex
	lines    bytes.Buffer
	receipts map[int][]string // by instance
	limit    int              // of bytes, when it is not 0; then no more fit
}

func (s *sink) Record(line []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.limit > 0 && s.lines.Len()+len(line) > s.limit {
		return syscall.ENOSPC
	}
	s.lines.Write(append(line, '\n'))
	return nil
}

func (s *sink) Receipts(instance int, packed []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.receipts == nil {
		s.receipts = map[int][]string{}
	}
	return task.EachReceipt(bytes.NewReader(packed), func(r []byte) bool {
		s.receipts[instance] = append(s.receipts[instance], string(r))
		return true
	})
}

func (s *sink) Flush() error { return nil }

// stream is what a driver wrote.
type stream struct {
	receipts  map[int][]string // by instance
	records   []result.Record
	count     map[string]int64 // by operation, Done
	rolled    map[string]int64
	errors    map[string]int64 // by class, of orders
	measured  map[string]int64 // by operation, Done, in the measured phase
	times     *hdr.Histogram   // of all orders of the measured phase
	instances []result.InstanceRecord
	drivers   []result.Record
	events    []string
	end       *result.Record
}

func run(t *testing.T, ctx context.Context, job Job, w workload.Workload) (stream, error) {
	t.Helper()
	d, err := newDriver(job, w)
	if err != nil {
		return stream{}, err
	}
	d.simulated = true
	out := &sink{}
	err = d.run(ctx, out)
	s := parse(t, out.lines.Bytes())
	s.receipts = out.receipts
	return s, err
}

func mustRun(t *testing.T, job Job, w workload.Workload) stream {
	t.Helper()
	s, err := run(t, t.Context(), job, w)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func parse(t *testing.T, text []byte) stream {
	t.Helper()
	s := stream{
		count: map[string]int64{}, rolled: map[string]int64{}, errors: map[string]int64{}, measured: map[string]int64{},
		times: result.NewHistogram(),
	}
	for line := range bytes.Lines(text) {
		var r result.Record
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		s.add(t, r)
	}
	return s
}

func (s *stream) add(t *testing.T, r result.Record) {
	t.Helper()
	if s.end != nil {
		t.Fatalf("record %+v comes after the end", r)
	}
	s.records = append(s.records, r)
	switch r.Kind {
	case result.KindOperation:
		s.addOperation(t, r)
	case result.KindDriver:
		s.drivers = append(s.drivers, r)
	case result.KindInstance:
		s.instances = append(s.instances, *r.Instance)
	case result.KindEvent:
		s.events = append(s.events, r.Event)
	case result.KindEnd:
		s.end = &r
	}
}

func (s *stream) addOperation(t *testing.T, r result.Record) {
	t.Helper()
	h, err := result.DecodeHistogram(r.Histogram)
	if err != nil {
		t.Fatal(err)
	}
	if h.TotalCount() != r.Count+r.RolledBack {
		t.Fatalf("second %d of %s: %d times for %d + %d orders", r.Second, r.Operation, h.TotalCount(), r.Count, r.RolledBack)
	}
	s.count[r.Operation] += r.Count
	s.rolled[r.Operation] += r.RolledBack
	for class, n := range r.Errors {
		if r.Operation == "order" {
			s.errors[class] += n
		}
	}
	if r.Phase == result.Measure {
		s.measured[r.Operation] += r.Count
		if r.Operation == "order" {
			s.times.Merge(h)
		}
	}
}
