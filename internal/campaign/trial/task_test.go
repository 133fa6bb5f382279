package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/host/journal/journaltest"
	"plimsoll/internal/host/task"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/local/localtest"
	"plimsoll/internal/result"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/workload/driver"
)

// TestMain makes this test program a task when the platform started it as one.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "task" {
		handlers := map[string]task.Handler{driver.TaskKind: fakeDriver, "act": act}
		if err := task.Main(context.Background(), os.Stdin, os.Stdout, handlers); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(journaltest.WithRegisters(m))
}

// act ends as its job says.
func act(ctx context.Context, c task.Call) error {
	c.Out.Progress(0.5)
	if err := errors.Join(c.Out.Result(42), c.Out.Flush()); err != nil {
		return err
	}
	switch string(c.Spec) {
	case `"fail"`:
		return errors.New("the tables are not empty")
	case `"crash"`:
		fmt.Fprintln(os.Stderr, "panic: out of cheese")
		os.Exit(2)
	case `"wait"`:
		<-ctx.Done()
		return ctx.Err()
	case `"read"`:
		return c.Input.Receipts(func([]byte) bool { return true })
	}
	return nil
}

func acting(t *testing.T, how string) platform.Task {
	t.Helper()
	described, err := task.NewJob("act", "act", how)
	if err != nil {
		t.Fatal(err)
	}
	return platform.Task{Name: "act", Job: described}
}

// onLocal is this machine.
func onLocal(t *testing.T) platform.Platform {
	t.Helper()
	p := localtest.Platform(t)
	t.Cleanup(func() {
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return p
}

func TestTasksAreDoneToTheirEnd(t *testing.T) {
	c := onLocal(t)
	for _, tc := range []struct {
		how    string
		result int
		says   []string
	}{
		{"well", 42, nil},
		{"fail", 42, []string{"the tables are not empty"}},
		{"crash", 42, []string{"no end", "out of cheese"}},
	} {
		var got int
		share := 0.0
		err := platform.Do(t.Context(), c, acting(t, tc.how), func(p task.Progress) { share = p.Share }, &got)
		if (err == nil) != (tc.says == nil) || got != tc.result || share != 0.5 {
			t.Errorf("%s: %v, result %d, progress %v", tc.how, err, got, share)
		}
		for _, want := range tc.says {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: the error says nothing of %q: %v", tc.how, want, err)
			}
		}
	}
}

// A cancelled task ends at once and leaves nothing behind; onLocal checks that.
func TestTaskIsCancelled(t *testing.T) {
	c := onLocal(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := platform.Do(ctx, c, acting(t, "wait"), func(task.Progress) { cancel() }, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if err := platform.Do(t.Context(), c, acting(t, "well"), nil, nil); err != nil {
		t.Errorf("its name is not free again: %v", err)
	}
}

func TestReceiptsThatCannotBeReadAreTheCause(t *testing.T) {
	c := onLocal(t)
	about := acting(t, "read")
	about.Job.Input = true
	about.Input = task.ReceiptsInput(0, func() (io.ReadCloser, error) { return nil, errors.New("the disk is gone") })
	if err := platform.Do(t.Context(), c, about, nil, nil); !errors.Is(err, platform.ErrInput) || !strings.Contains(err.Error(), "the disk is gone") {
		t.Errorf("the error is %v", err)
	}
}

// fakeDriver records two seconds and a receipt of each of its instances, and ends
// as its workload says.
func fakeDriver(ctx context.Context, c task.Call) error {
	var j driver.Job
	if err := task.Decode(c.Spec, &j); err != nil {
		return err
	}
	for second := range 2 {
		line, err := json.Marshal(result.Record{Kind: result.KindOperation, Driver: j.Name, Second: second, Phase: result.Measure, Operation: "work", Count: 10})
		if err := errors.Join(err, c.Out.Record(line)); err != nil {
			return err
		}
	}
	for _, target := range j.Targets {
		if err := c.Out.Receipts(target.Instance, task.AppendReceipt(nil, fmt.Append(nil, "unit of ", target.Instance))); err != nil {
			return err
		}
	}
	if err := c.Out.Flush(); err != nil {
		return err
	}
	switch j.Workload {
	case "fails":
		return errors.New("8 of 10 units failed")
	case "crashes":
		fmt.Fprintln(os.Stderr, "panic: too many users")
		os.Exit(2)
	case "waits":
		<-ctx.Done()
	}
	line, err := json.Marshal(result.Record{Kind: result.KindEnd, Driver: j.Name, At: time.Now()})
	return errors.Join(err, c.Out.Record(line), ctx.Err())
}

// driving is a trial whose drivers, two with two instances each, are at work.
func driving(t *testing.T, workload string) *trial {
	t.Helper()
	p := onLocal(t)
	w, err := result.Create(t.TempDir(), nil, nil, result.Machine{})
	if err != nil {
		t.Fatal(err)
	}
	tr := &trial{plan: plan.Trial{Position: 3}, result: &result.Tile{Trial: result.Trial{Start: time.Now()}}}
	if tr.files, err = w.Trial("ssd/4/1"); err != nil {
		t.Fatal(err)
	}
	tr.variant.Workload.Name, tr.variant.Load.InstancesPerDriver = workload, 2
	m := alone(tr, "some").members[0]
	m.result.Profile = describe.Profile{Unit: describe.Unit{Seconds: 1}, Operations: []string{"work"}}
	tr.live, tr.Platform = tr.newLive(), p
	if m.receipts, err = newReceipts(filepath.Join(t.TempDir(), "receipts")); err != nil {
		t.Fatal(err)
	}
	for n := range 4 {
		tr.instances = append(tr.instances, running(tr, n, stopped{}, nil))
	}
	drivers, err := tr.newDrivers()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range drivers {
		if err := d.start(t.Context()); err != nil {
			t.Fatal(err)
		}
		tr.drivers = append(tr.drivers, d)
	}
	return tr
}

func TestWhatDriversRecordIsCollected(t *testing.T) {
	tr := driving(t, "steady")
	for _, d := range tr.drivers {
		<-d.done
	}
	if err := tr.driverFailures(nil, nil); err != nil {
		t.Error(err)
	}
	checkCollected(t, tr)
	if len(tr.result.Damage) != 0 {
		t.Errorf("damage %v", tr.result.Damage)
	}
	if err := tr.removeDrivers(t.Context()); err != nil {
		t.Error(err)
	}
}

// checkCollected looks for what all drivers had flushed.
func checkCollected(t *testing.T, tr *trial) {
	t.Helper()
	if err := tr.collect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := tr.members[0].result.Operations["work"].Count; n != 40 {
		t.Errorf("%d units, want 40", n)
	}
	for n := range tr.instances {
		if got := receiptsOf(t, tr.members[0].receipts, n); fmt.Sprint(got) != fmt.Sprintf("[unit of %d]", n) {
			t.Errorf("receipts of instance %d: %q", n, got)
		}
	}
	if tr.live.event(3).Throughput == 0 {
		t.Error("the live figures know nothing of it")
	}
}

func receiptsOf(t *testing.T, kept *receipts, instance int) (all []string) {
	t.Helper()
	r, err := kept.open(instance)()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := task.EachReceipt(r, func(receipt []byte) bool {
		all = append(all, string(receipt))
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// A driver that fails, crashes or is killed fails the trial with its reason. The records it had
// flushed are in the result.
func TestDriversThatEndEarlySayWhy(t *testing.T) {
	for workload, want := range map[string]string{
		"fails":   "driver-1 ended early: 8 of 10 units failed",
		"crashes": "panic: too many users",
	} {
		tr := driving(t, workload)
		for _, d := range tr.drivers {
			<-d.done
		}
		if err := tr.driverFailures(nil, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", workload, err)
		}
		checkCollected(t, tr)
		if len(tr.result.Damage) != 2 {
			t.Errorf("%s: damage %q", workload, tr.result.Damage)
		}
		if text, err := os.ReadFile(filepath.Join(tr.files.Logs(), "driver-0.log")); err != nil || len(text) == 0 {
			t.Errorf("%s: its log says %q, %v", workload, text, err)
		}
		if err := tr.removeDrivers(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// Users are stopped in order when something else ends the trial: although it was
// cancelled, what they recorded last comes in.
func TestDriversAreStoppedInOrder(t *testing.T) {
	tr := driving(t, "waits")
	for n := range tr.instances {
		for len(receiptsOf(t, tr.members[0].receipts, n)) == 0 { // until they are at work
			time.Sleep(10 * time.Millisecond)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tr.stopDrivers(ctx)
	checkCollected(t, tr)
	if len(tr.result.Damage) != 0 || len(tr.result.Notes) != 0 {
		t.Errorf("damage %v, notes %v", tr.result.Damage, tr.result.Notes)
	}
	if err := tr.removeDrivers(t.Context()); err != nil {
		t.Error(err)
	}
}

// Moments that a driver on another machine noted are translated.
func TestMomentsAreTranslated(t *testing.T) {
	at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	line, err := json.Marshal(result.Record{Kind: result.KindEvent, At: at, Event: "x"})
	if err != nil {
		t.Fatal(err)
	}
	var r result.Record
	if err := json.Unmarshal(inOurTime(line, time.Hour), &r); err != nil || !r.At.Equal(at.Add(-time.Hour)) || r.Event != "x" {
		t.Errorf("%+v, %v", r, err)
	}
	for _, same := range [][]byte{line, []byte(`{"kind":"driver","second":3}`), []byte(`{"kin`)} {
		ahead := time.Duration(0)
		if !bytes.Equal(same, line) {
			ahead = time.Hour
		}
		if got := inOurTime(same, ahead); !bytes.Equal(got, same) {
			t.Errorf("%s became %s", same, got)
		}
	}
}
