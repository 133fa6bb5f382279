package telemetry

import (
	"math"
	"slices"
	"testing"
	"time"

	"plimsoll/internal/describe"
)

func TestParseCPU(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want, user float64
		ok         bool
	}{
		{"plain", "8636 (cat) R 8627 8627 4771 0 -1 4194304 100 0 0 0 150 50 30 20 20 0 7 0 121709 3133440", 2.5, 1.8, true},
		{"name with brackets and blanks", "1 (a) R (b) D 1) S 0 1 1 0 -1 0 0 0 0 0 1 2 3 4 20 0 1 0 5 6", 0.1, 0.04, true},
		{"cut short", "1 (a) S 0 1 1", 0, 0, false},
		{"empty", "", 0, 0, false},
		{"no state", "1 (a)", 0, 0, false},
	} {
		got, user, ok := parseCPU([]byte(c.text))
		if ok != c.ok || got != c.want || user != c.user {
			t.Errorf("%s: %g, %g of users, %t, want %g, %g, %t", c.name, got, user, ok, c.want, c.user, c.ok)
		}
	}
}

func FuzzParseCPU(f *testing.F) {
	f.Add([]byte("8636 (cat) R 8627 8627 4771 0 -1 4194304 100 0 0 0 150 50 30 20 20 0 7 0 121709 3133440"))
	f.Fuzz(func(_ *testing.T, text []byte) {
		parseCPU(text)
		keyed(text, "a")
		pidsIn(text)
		var n [4]uint64
		numbers(text, n[:])
	})
}

func TestKeyed(t *testing.T) {
	text := []byte("MemTotal:  100 kB\nMemFree: 7 kB\nusage_usec 12\nbad: x\n")
	for key, want := range map[string]float64{"MemTotal:": 100, "MemFree:": 7, "usage_usec ": 12, "bad:": math.NaN(), "none:": math.NaN()} {
		if got := keyed(text, key); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s = %g, want %g", key, got, want)
		}
	}
}

func TestParseIO(t *testing.T) {
	got := parseIO([]byte("rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\ncancelled_write_bytes: 7\n"))
	want := amounts{ioReadByCalls: 1, ioWrittenByCalls: 2, ioReadCalls: 3, ioWriteCalls: 4, ioRead: 5, ioWritten: 6}
	if got != want {
		t.Errorf("%v, want %v", got, want)
	}
	short := parseIO([]byte("rchar: 1\nwchar: x\n"))
	if short[ioReadByCalls] != 1 || !math.IsNaN(short[ioWrittenByCalls]) || !math.IsNaN(short[ioWritten]) {
		t.Errorf("missing amounts are not unknown: %v", short)
	}
}

func TestPidsIn(t *testing.T) {
	for text, want := range map[string][]int{"": nil, "\n": nil, "1 2 3 ": {1, 2, 3}, "10\n20\n": {10, 20}, "7 x 8": {7}} {
		if got := pidsIn([]byte(text)); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestCounter(t *testing.T) {
	var c counter
	nan := math.NaN()
	for i, step := range []struct{ value, want float64 }{
		{10, nan}, {15, 5}, {15, 0}, {3, nan}, {4, 1}, {nan, nan}, {9, nan}, {10, 1},
	} {
		if got := c.since(step.value); got != step.want && !(math.IsNaN(got) && math.IsNaN(step.want)) {
			t.Errorf("step %d: %g, want %g", i, got, step.want)
		}
	}
}

func TestClockSkipsWhatItMissed(t *testing.T) {
	start := time.Now().Add(-10 * time.Second)
	c := newClock(start, time.Second)
	if c.due <= 10*time.Second || c.due%time.Second != 0 {
		t.Fatalf("first sample due at %v", c.due)
	}
	due := c.due
	if missed := c.next(c.origin.Add(due + 5*time.Millisecond)); missed != 0 || c.due != due+time.Second {
		t.Errorf("in time: %d missed, next due %v after", missed, c.due-due)
	}
	due = c.due
	if missed := c.next(c.origin.Add(due + 3500*time.Millisecond)); missed != 3 || c.due != due+4*time.Second {
		t.Errorf("3.5 intervals late: %d missed, next due %v after", missed, c.due-due)
	}
	early := newClock(time.Now().Add(time.Hour), time.Second)
	if early.due > 0 || early.due < -time.Hour || early.due%time.Second != 0 {
		t.Errorf("before the common start the first sample is due at %v", early.due)
	}
}

func TestCPUSourceGivesShares(t *testing.T) {
	b := newBook(0)
	s := newCPUSource(b, newFiles()).(*cpuSource)
	defer s.close()
	s.machine([len(cpuModes)]uint64{100, 0, 100, 800}, 4)
	s.machine([len(cpuModes)]uint64{150, 0, 125, 815, 10}, 4) // 50 user, 25 system, 15 idle, 10 iowait
	last := func(metric string) float64 {
		values := b.column(describe.CPUKind, "", metric).series.Values
		return values[len(values)-1]
	}
	for metric, want := range map[string]float64{"user": 0.5, "system": 0.25, "iowait": 0.1, "idle": 0.15, "utilisation": 0.75, "busy": 3, "user_cores": 2} {
		if got := last(metric); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s = %g, want %g", metric, got, want)
		}
	}
	first := b.column(describe.CPUKind, "", "utilisation").series.Values[0]
	if !math.IsNaN(first) {
		t.Errorf("the first sample has no time before it, yet utilisation = %g", first)
	}
}
