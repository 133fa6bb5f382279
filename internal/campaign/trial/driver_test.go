package trial

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/host/task"
	"plimsoll/internal/platform"
	"plimsoll/internal/result"
)

func TestStartDelay(t *testing.T) {
	for _, c := range []struct {
		drivers  int
		interval time.Duration
		want     time.Duration
	}{
		{1, time.Second, 3 * time.Second},
		{1, 100 * time.Millisecond, 1200 * time.Millisecond},
		{1, 10 * time.Second, 4 * time.Second}, // not worth waiting for
		{17, time.Second, 3800 * time.Millisecond},
	} {
		if got := startDelay(c.drivers, c.interval); got != c.want {
			t.Errorf("%d drivers, sampled every %s: %s, want %s", c.drivers, c.interval, got, c.want)
		}
	}
}

// drifting runs on a machine whose clock is fast, and is set back once.
type drifting struct {
	platform.Running
	ahead time.Duration
}

func (d *drifting) Ahead() time.Duration { return d.ahead }

// Over a day a clock that is 50 ppm fast gains 4.3 s, and one may be set: the moments of
// records stay right.
func TestMomentsFollowTheClockOfTheDriversMachine(t *testing.T) {
	run, err := result.Create(filepath.Join(t.TempDir(), "run"), nil, nil, result.Machine{})
	if err != nil {
		t.Fatal(err)
	}
	files, err := run.Trial("a/1/1")
	if err != nil {
		t.Fatal(err)
	}
	tr := alone(&trial{files: files}, "some")
	tr.live = tr.newLive()
	machine := &drifting{ahead: 3 * time.Second}
	d := &instanceDriver{name: "driver-0", member: tr.members[0], running: machine, offset: machine.ahead}
	if d.records, err = files.Records(d.name); err != nil {
		t.Fatal(err)
	}
	begun := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for hour := range 24 {
		machine.ahead += 180 * time.Millisecond
		if hour == 12 {
			machine.ahead -= time.Minute
		}
		now := begun.Add(time.Duration(hour) * time.Hour)
		line, err := json.Marshal(result.Record{Kind: result.KindEvent, Second: hour * 3600, At: now.Add(machine.ahead), Event: "x"})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.take(task.Frame{Kind: task.RecordFrame, Payload: line}); err != nil {
			t.Fatal(err)
		}
	}
	d.noteClock()
	if err := d.records.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := files.Sum(begun, "order", []string{d.name}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Events) != 24 {
		t.Fatalf("%d events", len(got.Events))
	}
	for hour, e := range got.Events {
		if off := e.At.Sub(begun.Add(time.Duration(hour) * time.Hour)); off != 0 {
			t.Errorf("hour %d: %s off", hour, off)
		}
	}
	if notes := strings.Join(tr.result.Notes, "; "); !strings.Contains(notes, "driver-0: the clock of its machine moved by") {
		t.Errorf("notes: %s", notes)
	}
}
