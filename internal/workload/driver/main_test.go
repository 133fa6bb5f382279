package driver

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"plimsoll/internal/host/task"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
	"plimsoll/test/quick"
)

// asDriver makes this test program a driver's task with the fake workload.
const asDriver = "PLIMSOLL_TEST_DRIVER"

func TestMain(m *testing.M) {
	if os.Getenv(asDriver) != "" {
		reg := workload.NewRegistry(newFake(20 * time.Millisecond))
		if task.Main(context.Background(), os.Stdin, os.Stdout, map[string]task.Handler{TaskKind: Handler(reg)}) != nil {
			os.Exit(3)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// driverProcess starts a driver with the job.
func driverProcess(t *testing.T, job Job) (*exec.Cmd, io.Reader) {
	t.Helper()
	described, err := task.NewJob(TaskKind, job.Name, job)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), asDriver+"=1")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	if err := errors.Join(task.WriteJob(in, described, nil), in.Close()); err != nil {
		t.Fatal(err)
	}
	return c, out
}

// heard is what a driver's process says, as a sink would have it, and why it
// failed by its own account.
func heard(t *testing.T, out io.Reader, each func(task.Frame)) (s stream, why string) {
	t.Helper()
	kept := &sink{}
	for frames := task.NewDecoder(out); ; {
		f, err := frames.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch f.Kind {
		case task.RecordFrame:
			err = kept.Record(f.Payload)
		case task.ReceiptsFrame:
			instance, packed, badErr := f.Receipts()
			err = errors.Join(badErr, kept.Receipts(instance, packed))
		case task.EndFrame:
			why = string(f.Payload)
		}
		if err != nil {
			t.Fatal(err)
		}
		each(f)
	}
	s = parse(t, kept.lines.Bytes())
	s.receipts = kept.receipts
	return s, why
}

func TestDriverProcessStreamsAll(t *testing.T) {
	job := fakeJob(t, 2, 2)
	job.Warmup, job.Measure = 0, unit.Duration(1500*time.Millisecond)
	c, out := driverProcess(t, job)
	s, why := heard(t, out, func(task.Frame) {})
	if err := c.Wait(); err != nil || why != "" {
		t.Fatalf("%v: %s", err, why)
	}
	if s.end == nil || s.end.Event != "" || s.count["order"] == 0 {
		t.Errorf("the driver counted %v and ended with %+v", s.count, s.end)
	}
	if d := s.drivers[0]; d.RSS == 0 || d.CPUUser+d.CPUSystem == 0 {
		t.Errorf("the driver does not know its own usage: %+v", d)
	}
	if n := countReceipts(s); n != s.count["order"] {
		t.Errorf("%d receipts, want %d", n, s.count["order"])
	}
}

func TestTerminationFlushesEverything(t *testing.T) {
	job := fakeJob(t, 1, 3)
	job.Measure = unit.Duration(time.Hour)
	c, out := driverProcess(t, job)
	reported := false
	s, why := heard(t, out, func(f task.Frame) {
		if !reported && strings.Contains(string(f.Payload), `"order"`) { // there is something to lose
			reported = true
			if err := c.Process.Signal(syscall.SIGTERM); err != nil {
				t.Error(err)
			}
		}
	})
	if err := c.Wait(); c.ProcessState.ExitCode() != 3 {
		t.Errorf("the driver ended with %v", err)
	}
	if s.end == nil || !strings.Contains(s.end.Event, "terminated") || !strings.Contains(why, "terminated") {
		t.Errorf("the end is %+v, %q, want one that says why", s.end, why)
	}
	if n := countReceipts(s); n == 0 || n != s.count["order"] {
		t.Errorf("%d receipts, want %d", n, s.count["order"])
	}
}

func countReceipts(s stream) (n int64) {
	for _, all := range s.receipts {
		n += int64(len(all))
	}
	return n
}

// A common start is a moment of the platform's clock. The clock of the driver's machine may
// be ahead.
func TestStartIsInThePlatformsClock(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	job := fakeJob(t, 1, 1)
	job.Start = time.Now().Add(time.Second - time.Hour) // a second for a busy machine to get there
	job.Warmup, job.Measure = 0, unit.Duration(2*time.Second)
	described, err := task.NewJob(TaskKind, job.Name, job)
	if err != nil {
		t.Fatal(err)
	}
	described.Offset = time.Hour
	var in, out strings.Builder
	if err := task.WriteJob(&in, described, nil); err != nil {
		t.Fatal(err)
	}
	handlers := map[string]task.Handler{TaskKind: Handler(workload.NewRegistry(newFake(time.Millisecond)))}
	if err := task.Main(t.Context(), strings.NewReader(in.String()), &out, handlers); err != nil {
		t.Fatal(err)
	}
	if s, _ := heard(t, strings.NewReader(out.String()), func(task.Frame) {}); s.measured["order"] == 0 {
		t.Error("nothing was measured: the driver took the start for long past")
	}
}

func TestHandlerRefuses(t *testing.T) {
	handle := Handler(workload.NewRegistry(newFake(0)))
	for _, c := range []struct{ text, want string }{
		{`{"workload": "fake", "usrs": 3}`, "usrs"},
		{`{"workload": "other"}`, "other"},
		{`not json`, "invalid"},
	} {
		if err := handle(t.Context(), task.Call{Spec: []byte(c.text)}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want an error with %q", err, c.want)
		}
	}
}
