package main

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

	"plimsoll/bench/stand"
	"plimsoll/internal/load"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/workload"
)

// spent is what a load generator used for what it did.
type spent struct {
	cpu        float64 // s, user and system
	orders     int64   // of the measured phase, or transactions
	statements float64
	seconds    float64
	memory     []int64 // bytes by second of the measured phase
}

func (s spent) perThousand() float64  { return 1000 * s.cpu / float64(s.orders) }
func (s spent) perStatement() float64 { return 1e6 * s.cpu / s.statements }

// drive runs the driver as a process of its own and reads its records.
func drive(ctx context.Context, server *stand.Stand, job load.Job) (spent, error) {
	job.Workload, job.Name, job.Seed = "dvdstore", "driver-0", uint64(time.Now().UnixNano())
	job.Targets = []workload.Target{server.Target}
	job.Records, job.Receipts = filepath.Join(server.Dir, "records.jsonl"), filepath.Join(server.Dir, "receipts")
	job.Start = time.Now().Add(500 * time.Millisecond)
	defer os.Remove(job.Records)
	text, err := json.Marshal(job)
	if err != nil {
		return spent{}, err
	}
	path := filepath.Join(server.Dir, "job.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return spent{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return spent{}, err
	}
	if out, err := exec.CommandContext(ctx, self, "drive", path).CombinedOutput(); err != nil {
		return spent{}, fmt.Errorf("driver: %w: %s", err, out)
	}
	return readRecords(job.Records)
}

func readRecords(path string) (spent, error) {
	f, err := os.Open(path)
	if err != nil {
		return spent{}, err
	}
	defer f.Close()
	var s spent
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var r result.Record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return spent{}, err
		}
		if err := s.add(r); err != nil {
			return spent{}, err
		}
	}
	return s, lines.Err()
}

func (s *spent) add(r result.Record) error {
	switch {
	case r.Kind == result.KindEnd && r.Event != "":
		return errors.New(r.Event)
	case r.Kind == result.KindEvent:
		fmt.Println("  event:", r.Event)
	}
	if r.Phase != result.Measure {
		return nil
	}
	switch r.Kind {
	case result.KindDriver:
		s.cpu += r.CPUUser + r.CPUSystem
		s.seconds++
		s.memory = append(s.memory, r.RSS)
	case result.KindOperation:
		if r.Operation == "order" {
			s.orders += r.Count + r.RolledBack
		}
	}
	return nil
}

// measureMemory shows that memory does not grow with time.
func measureMemory(ctx context.Context, s settings, server *stand.Stand) error {
	s1, err := drive(ctx, server, load.Job{
		Users: s.memoryUsers, ThinkTime: study.Duration(5 * time.Second), RampRate: 100,
		Ramp:    study.Duration(time.Duration(s.memoryUsers/100+1) * time.Second),
		Measure: study.Duration(s.memoryDuration),
	})
	if err != nil {
		return err
	}
	if len(s1.memory) == 0 {
		return errors.New("the driver recorded no second of the measured phase")
	}
	fmt.Printf("memory with %d users, think time 5s: %.1f MB when all had connected, %.1f MB halfway, %.1f MB at the end (%v), %.2f cores\n",
		s.memoryUsers, megabytes(s1.memory[0]), megabytes(s1.memory[len(s1.memory)/2]), megabytes(s1.memory[len(s1.memory)-1]), s.memoryDuration, s1.cpu/s1.seconds)
	return nil
}

func megabytes(bytes int64) float64 { return float64(bytes) / 1e6 }
