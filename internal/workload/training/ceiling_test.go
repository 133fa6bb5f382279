package training

import (
	"context"
	"encoding/json"
	"os"
	"sync"
	"testing"
	"time"

	"plimsoll/internal/endpoint"
	"plimsoll/internal/load"
	"plimsoll/internal/result"
	"plimsoll/internal/task"
	"plimsoll/internal/unit"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// TestMain has this program answer a driver, as Plimsoll does.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "task" {
		handlers := map[string]task.Handler{load.AnswerKind: load.AnswerHandler(workload.NewRegistry(Workload{}))}
		if err := task.Main(context.Background(), os.Stdin, os.Stdout, handlers); err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// kept takes what a driver records.
type kept struct {
	mu      sync.Mutex
	ceiling *result.Ceiling
	counts  map[string]int64 // by operation
	events  []string
}

// Record implements load.Sink.
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

// Receipts implements load.Sink.
func (*kept) Receipts(int, []byte) error { return nil }

// Flush implements load.Sink.
func (*kept) Flush() error { return nil }

// A driver of accelerators says what its readers do by themselves.
func TestDriverSaysWhatItDoesByItself(t *testing.T) {
	p := small(func(*Parameters) {})
	target := workload.Target{Users: 2, Endpoints: []endpoint.Endpoint{endpoint.OfDirectory(fileio.VolumeRole, t.TempDir())}}
	if err := (Workload{}).Prepare(t.Context(), target, p, 1, func(float64) {}); err != nil {
		t.Fatal(err)
	}
	parameters, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	job := load.Job{
		Name: "driver-0", Workload: Name, Parameters: parameters, Targets: []workload.Target{target},
		Users: 2, Measure: unit.Duration(time.Second), Ceiling: unit.Duration(time.Second),
	}
	out := kept{counts: map[string]int64{}}
	if err := load.Run(t.Context(), job, Workload{}, &out); err != nil {
		t.Fatal(err)
	}
	if c := out.ceiling; c == nil || c.Count == 0 || c.Bytes == 0 || c.CPU <= 0 {
		t.Errorf("%+v, %q", c, out.events)
	}
	for _, name := range (Workload{}).Describe(p).Operations {
		if out.counts[name] == 0 {
			t.Errorf("no %s among %v", name, out.counts)
		}
	}
}
