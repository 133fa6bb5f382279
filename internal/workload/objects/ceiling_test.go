package objects_test

import (
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/result"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/driver"
	"plimsoll/internal/workload/objects"
)

func TestMain(m *testing.M) { os.Exit(workloadtest.Answering(m, objects.Workload{})) }

// kept takes what a driver records.
type kept struct {
	mu  sync.Mutex
	all []result.Record
}

func (k *kept) Record(line []byte) error {
	var r result.Record
	k.mu.Lock()
	defer k.mu.Unlock()
	err := json.Unmarshal(line, &r)
	k.all = append(k.all, r)
	return err
}

func (*kept) Receipts(int, []byte) error { return nil }

func (*kept) Flush() error { return nil }

func drive(t *testing.T, change func(*driver.Job)) []result.Record {
	t.Helper()
	l := newLuck(t, "get:50, put:30, list:10, delete:10")
	parameters, err := json.Marshal(l.p)
	if err != nil {
		t.Fatal(err)
	}
	job := driver.Job{
		Name: "driver-0", Workload: objects.Name, Parameters: parameters, Targets: []workload.Target{l.target},
		Users: 1, Rate: 50, Measure: unit.Duration(time.Second), Ceiling: unit.Duration(time.Second),
	}
	change(&job)
	var out kept
	if err := driver.Run(t.Context(), job, objects.Workload{}, &out); err != nil {
		t.Fatal(err)
	}
	return out.all
}

// ceilings returns the driver's own figures and the events about them. end is the last
// record.
func ceilings(t *testing.T, all []result.Record) (own *result.Ceiling, events string) {
	t.Helper()
	for _, r := range all {
		switch r.Kind {
		case result.KindCeiling:
			own = r.Ceiling
		case result.KindEvent:
			events += r.Event
		}
	}
	if last := all[len(all)-1]; last.Kind != result.KindEnd || last.Event != "" {
		t.Errorf("the driver ended with %+v", last)
	}
	return own, events
}

func TestADriverSaysWhatItDoesByItself(t *testing.T) {
	own, events := ceilings(t, drive(t, func(*driver.Job) {}))
	if own == nil {
		t.Fatalf("it is not known: %s", events)
	}
	if own.Seconds != 1 || own.Count == 0 || own.Bytes == 0 || own.CPU <= 0 {
		t.Errorf("%+v", own)
	}
}

func TestADriverThatIsNotAskedIsNotAnswered(t *testing.T) {
	if own, events := ceilings(t, drive(t, func(j *driver.Job) { j.Ceiling = 0 })); own != nil || strings.Contains(events, "ceiling") {
		t.Errorf("%+v, %s", own, events)
	}
}
