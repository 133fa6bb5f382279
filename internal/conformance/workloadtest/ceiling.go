package workloadtest

import (
	"context"
	"encoding/json"
	"os"
	"sync"
	"testing"
	"time"

	"plimsoll/internal/host/task"
	"plimsoll/internal/result"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/driver"
	"plimsoll/test/quick"
)

// Answering runs the tests of a package whose workload's users can be answered: the program of
// the tests answers them, as Plimsoll does. TestMain is os.Exit of it.
func Answering(m *testing.M, w workload.Workload) int {
	if len(os.Args) != 2 || os.Args[1] != "task" {
		return m.Run()
	}
	handlers := map[string]task.Handler{driver.AnswerKind: driver.AnswerHandler(workload.NewRegistry(w))}
	if err := task.Main(context.Background(), os.Stdin, os.Stdout, handlers); err != nil {
		_, _ = os.Stderr.WriteString(err.Error())
		return 1
	}
	return 0
}

// Ceiling runs a driver of two users against an instance, and checks that the driver
// reports its own ceiling and that every operation was done. The package's tests run it
// through Answering.
func Ceiling(t *testing.T, w workload.Workload, p workload.Parameters, target workload.Target) {
	t.Helper()
	quick.Skip(t, quick.Seconds)
	target.Users = 2
	if err := w.Prepare(t.Context(), target, p, 1, func(float64) {}); err != nil {
		t.Fatal(err)
	}
	parameters, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	job := driver.Job{
		Name: "driver-0", Workload: w.Name(), Parameters: parameters, Targets: []workload.Target{target},
		Users: 2, Measure: unit.Duration(time.Second), Ceiling: unit.Duration(time.Second),
	}
	out := kept{counts: map[string]int64{}}
	for range 4 { // on a machine that is busy for seconds, nothing may be done in its time
		if err := driver.Run(t.Context(), job, w, &out); err != nil {
			t.Fatal(err)
		}
		if out.ceiling != nil {
			break
		}
		job.Ceiling *= 3
	}
	if c := out.ceiling; c == nil || c.Count == 0 || c.CPU <= 0 {
		t.Errorf("%+v, %q", c, out.events)
	}
	for _, name := range w.Describe(p).Operations {
		if out.counts[name] == 0 {
			t.Errorf("no %s among %v", name, out.counts)
		}
	}
}

// kept takes what a driver records.
type kept struct {
	mu      sync.Mutex
	ceiling *result.Ceiling
	counts  map[string]int64 // by operation
	events  []string
}

// Record implements driver.Sink.
func (k *kept) Record(line []byte) error {
	var r result.Record
	k.mu.Lock()
	defer k.mu.Unlock()
	err := json.Unmarshal(line, &r)
	switch r.Kind {
	case result.KindCeiling:
		k.ceiling = r.Ceiling
	case result.KindOperation:
		k.counts[r.Operation] += r.Count
	case result.KindEvent:
		k.events = append(k.events, r.Event)
	}
	return err
}

// Receipts implements driver.Sink.
func (*kept) Receipts(int, []byte) error { return nil }

// Flush implements driver.Sink.
func (*kept) Flush() error { return nil }
