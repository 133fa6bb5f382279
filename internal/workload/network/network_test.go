package network

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plimsoll/internal/app/builtin/sink"
	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/describe/errorclass"
	"plimsoll/internal/workload"
)

// parametersWith returns parameters that differ from the defaults.
func parametersWith(change func(*Parameters)) workload.Parameters {
	p := Workload{}.Defaults().(*Parameters)
	change(p)
	return p
}

func TestConformance(t *testing.T) {
	for _, direction := range []string{sending, receiving} {
		t.Run(direction, func(t *testing.T) {
			workloadtest.Run(t, workloadtest.Suite{
				Workload: Workload{}, Environment: workloadtest.Site(func(t *testing.T) endpoint.Endpoint { e, _ := start(t); return e }),
				Parameters: parametersWith(func(p *Parameters) { p.Message, p.Direction = 1000, direction }),
				Wrong: map[string]workload.Parameters{
					"message":       parametersWith(func(p *Parameters) { p.Message = 0 }),
					"socket_buffer": parametersWith(func(p *Parameters) { p.SocketBuffer = 1 }),
					"direction":     parametersWith(func(p *Parameters) { p.Direction = "up" }),
				},
			})
		})
	}
}

// start starts a sink; kill ends it at once, with all its streams.
func start(t *testing.T) (e endpoint.Endpoint, kill func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- sink.Serve(ctx, sink.Config{Listen: "127.0.0.1:0", Token: "t"}, io.Discard, func(at string) { ready <- at })
	}()
	kill = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(kill)
	return endpoint.Endpoint{Role: sinkRole, Kind: sink.Kind, Network: "tcp", Address: <-ready, Password: "t"}, kill
}

// recorder keeps what streams report.
type recorder struct {
	done, failed int
	bytes        int64
	receipts     [][]byte
}

func (r *recorder) Observe(_ int, _ time.Time, _ time.Duration, outcome workload.Outcome) {
	if outcome == workload.Failed {
		r.failed++
		return
	}
	r.done++
}
func (r *recorder) Moved(_ int, bytes int64)  { r.bytes += bytes }
func (*recorder) Spent(int, describe.Effort)  {}
func (r *recorder) Receipt(b []byte)          { r.receipts = append(r.receipts, slices.Clone(b)) }
func (r *recorder) account() (account, error) { return readAccount(r.receipts[0]) }

// endless is a pace without an end.
type endless struct{}

func (endless) Next() (time.Time, bool) { return time.Time{}, true }

// A sink that dies under a stream leaves it broken, and its messages in doubt: the audit
// neither misses them nor takes them for arrived. That no stream ended well it does not pass.
func TestASinkThatDies(t *testing.T) {
	for _, direction := range []string{sending, receiving} {
		t.Run(direction, func(t *testing.T) {
			e, kill := start(t)
			p := parametersWith(func(p *Parameters) { p.Direction = direction })
			s, err := Workload{}.Open(t.Context(), workload.Target{Endpoints: []endpoint.Endpoint{e}}, p, 0, 1)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			s.(workload.PacedSession).Pace(endless{})
			rec := &recorder{}
			for err == nil {
				if rec.done > 10 {
					kill()
				}
				err = s.Do(t.Context(), rec)
			}
			var classed interface{ ErrorClass() string }
			if !errors.As(err, &classed) || classed.ErrorClass() != errorclass.ConnectionLost || !s.Broken() || rec.failed != 1 {
				t.Errorf("broken %t, %d failed: %v", s.Broken(), rec.failed, err)
			}
			a := audited(t, 1, rec.receipts...)
			if failed := failedChecks(a); !slices.Equal(failed, []string{checkEnded}) || direction == sending && a.Doubtful == 0 {
				t.Errorf("%v failed: %+v", failed, a)
			}
		})
	}
}

func failedChecks(a describe.Audit) (names []string) {
	for _, c := range a.Checks {
		if !c.Passed {
			names = append(names, c.Name)
		}
	}
	return names
}

func audited(t *testing.T, users int, receipts ...[]byte) describe.Audit {
	t.Helper()
	a, err := Workload{}.Audit(t.Context(), workload.Target{Users: users}, Workload{}.Defaults(), 0, func(yield func([]byte) bool) error {
		for _, r := range receipts {
			if !yield(r) {
				break
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAudit(t *testing.T) {
	right := account{message: 10, sent: 100, received: 100, wrong: -1}
	for name, c := range map[string]struct {
		change func(*account)
		fails  string
		audit  describe.Audit
	}{
		"right":                   {func(*account) {}, "", describe.Audit{Acknowledged: 10, Present: 10}},
		"bytes are missing":       {func(a *account) { a.received = 95 }, checkArrived, describe.Audit{Acknowledged: 10, Present: 9}},
		"more than was sent":      {func(a *account) { a.received = 105 }, checkArrived, describe.Audit{Acknowledged: 10, Present: 10}},
		"a byte is wrong":         {func(a *account) { a.wrong = 42 }, checkContent, describe.Audit{Acknowledged: 10, Present: 4}},
		"the sink says nothing":   {func(a *account) { a.unknown, a.received = true, 0 }, checkAccounted, describe.Audit{Acknowledged: 10}},
		"lost":                    {func(a *account) { a.open, a.received = true, 51 }, checkEnded, describe.Audit{Acknowledged: 5, Present: 5, Doubtful: 5}},
		"lost with the sink":      {func(a *account) { a.open, a.unknown, a.received = true, true, 0 }, checkEnded, describe.Audit{Doubtful: 10}},
		"wrong before it is lost": {func(a *account) { a.open, a.received, a.wrong = true, 51, 12 }, checkContent + checkEnded, describe.Audit{Acknowledged: 1, Present: 1, Doubtful: 9}},
	} {
		t.Run(name, func(t *testing.T) {
			one := right
			c.change(&one)
			got := audited(t, 1, one.bytes())
			if got.Acknowledged != c.audit.Acknowledged || got.Present != c.audit.Present || got.Doubtful != c.audit.Doubtful {
				t.Errorf("%+v, want %+v", got, c.audit)
			}
			for _, check := range got.Checks {
				if check.Passed == strings.Contains(c.fails, check.Name) || !check.Passed && len(check.Examples) == 0 {
					t.Errorf("%+v, and %q should fail", check, c.fails)
				}
			}
		})
	}
	lost := right
	lost.open, lost.unknown = true, true
	if a := audited(t, 1, lost.bytes(), right.bytes()); !a.Passed() {
		t.Errorf("a stream that took the place of a lost one: %+v", a)
	}
	if audited(t, 2, right.bytes()).Passed() {
		t.Error("it passes although one user of two accounts for nothing")
	}
}

func TestDamagedReceiptsAreRefused(t *testing.T) {
	whole := account{message: 1, sent: 1, received: 1, wrong: -1}.bytes()
	for _, b := range [][]byte{nil, {9}, whole[:3], append(slices.Clone(whole), 0), account{}.bytes()} {
		if a, err := readAccount(b); err == nil {
			t.Errorf("%v is taken for %+v", b, a)
		}
	}
}

// A stream that must keep a rate is timed from when its messages were due.
func TestARateIsKept(t *testing.T) {
	e, _ := start(t)
	s, err := Workload{}.Open(t.Context(), workload.Target{Endpoints: []endpoint.Endpoint{e}}, Workload{}.Defaults(), 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	begin := time.Now()
	s.(workload.PacedSession).Pace(&spaced{next: begin.Add(50 * time.Millisecond), left: 5})
	rec := &recorder{}
	for err == nil {
		err = s.Do(t.Context(), rec)
	}
	if !errors.Is(err, workload.ErrFinished) || rec.done != 5 || time.Since(begin) < 90*time.Millisecond {
		t.Errorf("%d messages after %v: %v", rec.done, time.Since(begin), err)
	}
}

// spaced has messages due every ten milliseconds.
type spaced struct {
	next time.Time
	left int
}

func (s *spaced) Next() (time.Time, bool) {
	due := s.next
	s.next = due.Add(10 * time.Millisecond)
	s.left--
	return due, s.left >= 0
}

// A stream that stalls ends with the context, and its receipt says that it is open.
func TestAStallEndsWithTheContext(t *testing.T) {
	e, _ := start(t)
	s, err := Workload{}.Open(t.Context(), workload.Target{Endpoints: []endpoint.Endpoint{e}}, Workload{}.Defaults(), 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.(workload.PacedSession).Pace(endless{})
	rec := &recorder{}
	if err := s.Do(ctx, rec); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if a, err := rec.account(); err != nil || !a.open {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestStrangersAreRefused(t *testing.T) {
	e, _ := start(t)
	e.Password = "another"
	_, err := Workload{}.Open(t.Context(), workload.Target{Endpoints: []endpoint.Endpoint{e}}, Workload{}.Defaults(), 0, 1)
	if err == nil || !strings.Contains(err.Error(), "token is wrong") {
		t.Error(err)
	}
}
