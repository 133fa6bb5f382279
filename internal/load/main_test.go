package load

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"plimsoll/internal/study"
	"plimsoll/internal/workload"
)

// asDriver makes this test program a driver process of the fake workload.
const asDriver = "PLIMSOLL_TEST_DRIVER"

func TestMain(m *testing.M) {
	if job := os.Getenv(asDriver); job != "" {
		f := newFake(20 * time.Millisecond)
		if err := Main(context.Background(), job, workload.NewRegistry(f)); err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(3)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// driverProcess starts a driver with the job.
func driverProcess(t *testing.T, job Job) (*exec.Cmd, *strings.Builder) {
	t.Helper()
	text, err := json.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(os.Args[0])
	c.Stdin = bytes.NewReader(text)
	c.Env = append(os.Environ(), asDriver+"=-")
	var said strings.Builder
	c.Stderr = &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	return c, &said
}

func TestMainWritesItsRecords(t *testing.T) {
	job := fakeJob(t, 2, 2)
	job.Warmup, job.Measure, job.Records = 0, study.Duration(1500*time.Millisecond), filepath.Join(t.TempDir(), "records.jsonl")
	c, said := driverProcess(t, job)
	if err := c.Wait(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	s := parseFile(t, job.Records)
	if s.end == nil || s.end.Event != "" || s.count["order"] == 0 {
		t.Errorf("the driver counted %v and ended with %+v", s.count, s.end)
	}
	if d := s.drivers[0]; d.RSS == 0 || d.CPUUser+d.CPUSystem == 0 {
		t.Errorf("the driver does not know what it used: %+v", d)
	}
	if n := countReceipts(t, job); n != s.count["order"] {
		t.Errorf("%d acknowledgements, want %d", n, s.count["order"])
	}
}

func TestTerminationFlushesEverything(t *testing.T) {
	job := fakeJob(t, 1, 3)
	job.Measure, job.Records = study.Duration(time.Hour), filepath.Join(t.TempDir(), "records.jsonl")
	c, said := driverProcess(t, job)
	for range 500 { // until there is something to lose
		time.Sleep(20 * time.Millisecond)
		if text, _ := os.ReadFile(job.Records); strings.Contains(string(text), `"order"`) {
			break
		}
	}
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); c.ProcessState.ExitCode() != 3 {
		t.Errorf("the driver ended with %v: %s", err, said)
	}
	s := parseFile(t, job.Records)
	if s.end == nil || !strings.Contains(s.end.Event, "terminated") {
		t.Errorf("the end is %+v, want one that says why", s.end)
	}
	if n := countReceipts(t, job); n == 0 || n != s.count["order"] {
		t.Errorf("%d acknowledgements, want %d", n, s.count["order"])
	}
}

func parseFile(t *testing.T, path string) stream {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, text)
}

func countReceipts(t *testing.T, job Job) int64 {
	t.Helper()
	n := int64(0)
	for _, target := range job.Targets {
		all, err := readAll(ReceiptPath(job.Receipts, target.Instance))
		if err != nil {
			t.Fatal(err)
		}
		n += int64(len(all))
	}
	return n
}

func TestMainRefuses(t *testing.T) {
	reg := workload.NewRegistry(newFake(0))
	for _, c := range []struct{ text, want string }{
		{`{"workload": "fake", "usrs": 3}`, "usrs"},
		{`{"workload": "other"}`, "other"},
		{`not json`, "invalid"},
	} {
		path := filepath.Join(t.TempDir(), "job.json")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Main(t.Context(), path, reg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want an error with %q", err, c.want)
		}
	}
	if err := Main(t.Context(), filepath.Join(t.TempDir(), "none"), reg); err == nil {
		t.Error("a job that is not there was done")
	}
}
