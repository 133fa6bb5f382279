package driver

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"plimsoll/internal/result"
	"plimsoll/internal/text/unit"
)

func TestSlots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := func(name string) unit.Duration {
			return unit.Duration(rapid.Int64Range(0, int64(4*time.Second)).Draw(t, name))
		}
		now := time.Now()
		c := newClock(Job{Start: now, Ramp: length("ramp"), Warmup: length("warmup"), Measure: length("measure")}, now)
		before := c.slot(c.start)
		if before.index != 0 || before.second != 0 {
			t.Fatalf("the first slot is %+v", before)
		}
		since := time.Duration(0)
		for range 50 {
			since += time.Duration(rapid.Int64Range(0, int64(500*time.Millisecond)).Draw(t, "step"))
			s := c.slot(c.start.Add(since))
			if s.second != int(since/time.Second) || s.phase != c.phase(since) {
				t.Fatalf("slot at %v is %+v", since, s)
			}
			same := s.second == before.second && s.phase == before.phase
			if same != (s.index == before.index) || s.index < before.index {
				t.Fatalf("slots %+v and %+v: the index must rise with second or phase, and only then", before, s)
			}
			before = s
		}
	})
}

func TestClockTakesAStartFromAnotherProcess(t *testing.T) {
	now := time.Now()
	c := newClock(Job{Start: now.Round(0).Add(time.Second), Measure: unit.Duration(time.Second)}, now)
	if got := c.start.Sub(now); got != time.Second {
		t.Errorf("the start is %v away, want 1s", got)
	}
	if got := newClock(Job{}, now).start; !got.Equal(now) {
		t.Errorf("without a common start the start is %v, want now", got)
	}
}

func TestLateObservationsAreNotLost(t *testing.T) {
	now := time.Now()
	c := newClock(Job{Start: now, Measure: unit.Duration(time.Minute)}, now)
	r := newRecorder(c, 1, fakeJob(t, 1, 1).Targets, 1, 0)
	at := func(d time.Duration) time.Time { return now.Add(d) }
	r.shard(0).observe(0, 0, at(100*time.Millisecond), time.Millisecond, 0)
	if got := r.takeSecond(1); len(got) != 1 || got[0].slot.second != 0 {
		t.Fatalf("took %+v, want second 0", got)
	}
	r.shard(0).observe(0, 0, at(200*time.Millisecond), time.Millisecond, 0) // its second is written
	r.shard(0).observe(0, 0, at(5*time.Second), time.Millisecond, 0)
	late := r.takeSecond(2)
	if len(late) != 1 || late[0].operations[0].done != 1 {
		t.Fatalf("took %+v, want the late one", late)
	}
	r.release(late)
	if got := r.takeSecond(9); len(got) != 1 || got[0].slot.second != 5 || got[0].slot.phase != result.Measure {
		t.Errorf("took %+v, want second 5", got)
	}
}

func TestAlarmIsNotEarly(t *testing.T) {
	a, err := newAlarm()
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	for _, d := range []time.Duration{1, time.Microsecond, 700 * time.Microsecond, 3 * time.Millisecond} {
		begin := time.Now()
		if err := a.sleep(d); err != nil {
			t.Fatal(err)
		}
		if slept := time.Since(begin); slept < d {
			t.Errorf("slept %v of %v", slept, d)
		}
	}
}
