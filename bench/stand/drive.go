package stand

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"plimsoll/internal/load"
	"plimsoll/internal/result"
	"plimsoll/internal/workload"
)

// Drive runs the driver against the server as a process of its own, which is the
// benchmark's program with the arguments "drive" and a job's path. It calls each
// with every record and gives the CPU time that the process used.
func (s *Stand) Drive(ctx context.Context, job load.Job, each func(result.Record) error) (cpu time.Duration, err error) {
	job.Workload, job.Name, job.Seed = s.workload.Name(), "driver-0", uint64(time.Now().UnixNano())
	job.Targets = []workload.Target{s.Target}
	job.Records, job.Receipts = filepath.Join(s.Dir, "records.jsonl"), filepath.Join(s.Dir, "receipts")
	job.Start = time.Now().Add(500 * time.Millisecond)
	defer os.Remove(job.Records)
	text, err := json.Marshal(job)
	if err != nil {
		return 0, err
	}
	path := filepath.Join(s.Dir, "job.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return 0, err
	}
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	c := exec.CommandContext(ctx, self, "drive", path)
	if out, err := c.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("driver: %w: %s", err, out)
	}
	return c.ProcessState.UserTime() + c.ProcessState.SystemTime(), readRecords(job.Records, each)
}

func readRecords(path string, each func(result.Record) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var r result.Record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return err
		}
		switch {
		case r.Kind == result.KindEnd && r.Event != "":
			return errors.New(r.Event)
		case r.Kind == result.KindEvent:
			fmt.Fprintln(os.Stderr, "  event:", r.Event)
		}
		if err := each(r); err != nil {
			return err
		}
	}
	return lines.Err()
}
