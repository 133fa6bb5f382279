package stand

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/pprof"
	"strings"
	"time"

	"plimsoll/internal/host/task"
	"plimsoll/internal/result"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/driver"
)

// DriverMain makes the benchmark's program the driver's process when Drive
// started it as one; it then does not return.
func DriverMain(ctx context.Context, all ...workload.Workload) {
	if len(os.Args) != 2 || os.Args[1] != "task" {
		return
	}
	stop := profile()
	handlers := map[string]task.Handler{driver.TaskKind: driver.Handler(workload.NewRegistry(all...))}
	if err := task.Main(ctx, os.Stdin, os.Stdout, handlers); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	stop()
	os.Exit(0)
}

// profileVariable of the environment names the file for a driver's CPU profile.
const profileVariable = "BENCH_CPU_PROFILE"

// profile begins a CPU profile if one is asked for, for go tool pprof.
func profile() (stop func()) {
	f, err := os.Create(os.Getenv(profileVariable))
	if err != nil {
		return func() {}
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return func() {}
	}
	return pprof.StopCPUProfile
}

// Drive runs the driver against the server; see the function of that name.
func (s *Stand) Drive(ctx context.Context, job driver.Job, each func(result.Record) error) (cpu time.Duration, err error) {
	job.Workload, job.Targets = s.workload.Name(), []workload.Target{s.Target}
	return Drive(ctx, job, each)
}

// Drive runs the driver as a process of its own. It calls each with every
// record and gives the CPU time that the process used.
func Drive(ctx context.Context, job driver.Job, each func(result.Record) error) (cpu time.Duration, err error) {
	job.Name, job.Seed = "driver-0", uint64(time.Now().UnixNano())
	if job.Start.IsZero() {
		job.Start = time.Now().Add(500 * time.Millisecond)
	}
	described, err := task.NewJob(driver.TaskKind, job.Name, job)
	if err != nil {
		return 0, err
	}
	var in, text strings.Builder
	if err := task.WriteJob(&in, described, nil); err != nil {
		return 0, err
	}
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	c := exec.CommandContext(ctx, self, "task")
	c.Stdin, c.Stderr = strings.NewReader(in.String()), &text
	out, err := c.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := c.Start(); err != nil {
		return 0, err
	}
	readErr := readRecords(out, each)
	_, _ = io.Copy(io.Discard, out) // so that it can end
	if err := c.Wait(); err != nil {
		return 0, errors.Join(fmt.Errorf("driver: %w: %s", err, text.String()), readErr)
	}
	return c.ProcessState.UserTime() + c.ProcessState.SystemTime(), readErr
}

func readRecords(out io.Reader, each func(result.Record) error) error {
	for frames := task.NewDecoder(out); ; {
		f, err := frames.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && f.Kind == task.RecordFrame {
			err = readRecord(f.Payload, each)
		}
		if err != nil {
			return err
		}
	}
}

func readRecord(line []byte, each func(result.Record) error) error {
	var r result.Record
	if err := json.Unmarshal(line, &r); err != nil {
		return err
	}
	switch {
	case r.Kind == result.KindEnd && r.Event != "":
		return errors.New(r.Event)
	case r.Kind == result.KindEvent:
		fmt.Fprintln(os.Stderr, "  event:", r.Event)
	}
	return each(r)
}
