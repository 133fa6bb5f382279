package study_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
)

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]unit.Bytes{
		"0": 0, "0.0": 0, "4096B": 4096, "5Gi": 5 << 30, "5GiB": 5 << 30, "10MB": 10e6, "1.5 GiB": 3 << 29, "1kB": 1000, "7B": 7,
		"9007199254740993B": 9007199254740993, "9223372036854775807B": math.MaxInt64,
	} {
		got, err := unit.ParseBytes(text)
		if err != nil || got != want {
			t.Errorf("%q is %d (%v), want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "GB", "-1MB", "1e3GB", "0x10", "inf", "NaN", "5 G B", "9223372036854775808B", "10", "4096", "1.5", "9e99TB", "8388608TiB", "1.2.3MB", "+5MB"} {
		if got, err := unit.ParseBytes(text); err == nil {
			t.Errorf("%q is taken as %d", text, got)
		}
	}
}

func TestBytesPrint(t *testing.T) {
	for b, want := range map[unit.Bytes]string{
		0: "0B", 4096: "4KiB", 5 << 30: "5GiB", 10e6: "10MB", 1536 << 20: "1536MiB", 1_920_000_000_000: "1920GB",
		342272 << 10: "334MiB", 66522477 << 10: "63.4GiB", 1023<<30 + 1: "0.999TiB", 999<<20 + 1: "999MiB", 1001: "0.978KiB", 999: "999B",
	} {
		if got := b.String(); got != want {
			t.Errorf("%d prints as %s, want %s", int64(b), got, want)
		}
	}
}

func TestSuggestions(t *testing.T) {
	for text, want := range map[string]string{"5gb": "5GB", "5gib": "5GiB", "5G": "5GB or 5GiB", "5 giga": "5GB or 5GiB", "10mbytes": "10MB or 10MiB",
		"5Gigs": "5GB or 5GiB", "2 gibibytes": "2GiB", "1,5GB": "1.5GB", "64k": "64kB or 64KiB", "3 Gibs": "",
		"10": "10MB, 10GB or 10TB", "1.5": "1.5MB, 1.5GB or 1.5TB", "4096": "4KiB or 4096B", "9007199254740993": "9007199254740993B"} {
		if _, err := unit.ParseBytes(text); err == nil || !suggests(err, want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for text, want := range map[string]string{"5": "5s or 5ms", "5 min": "5m", "2 hours": "2h", "10 msec": "10ms", "1d": "24h", "3 seconds": "3s",
		"1h 30m": "1h30m", "5M": "5m", "1.5 days": "36h", "0,5s": "0.5s", "5 months": "", "1h30": "", "10 minutes and more": "", "5GB": "", "200ms and errors <= 1%": ""} {
		var d unit.Duration
		if err := d.UnmarshalText([]byte(text)); err == nil || !suggests(err, want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for text, want := range map[string]string{"2 cores": "2", "1 vCPU": "1", "50%": "0.5", "500 millicores": "500m", "half": "", "2GiB": ""} {
		var c unit.Cores
		if err := c.UnmarshalText([]byte(text)); err == nil || !suggests(err, want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// suggests reports whether an error suggests this, or nothing where it is empty.
func suggests(err error, want string) bool {
	if want == "" {
		return !strings.Contains(err.Error(), "did you mean")
	}
	return strings.Contains(err.Error(), "did you mean "+want+"?")
}

// CPU may be written as in Kubernetes, whose quotes are usual.
func TestCores(t *testing.T) {
	for text, want := range map[string]unit.Cores{"0.5": 0.5, "500m": 0.5, `"500m"`: 0.5, "2": 2, `"2"`: 2, "1500m": 1.5, "0": 0, "1e-1": 0.1} {
		if got := parse(t, edit(t, "cpu: 0.5", "cpu: "+text), "").Members[0].Engine.CPU; got != want {
			t.Errorf("%s is %v cores, want %v", text, got, want)
		}
	}
	s := parse(t, edit(t, "engine.cpu: [1, 2]", "engine.cpu: [500m, 2]"), "")
	if variants, err := s.Expand(); err != nil || variants[0].Members[0].Engine.CPU != 0.5 {
		t.Errorf("%v: %+v", err, variants)
	}
}

func TestBytesSurviveText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := unit.Bytes(rapid.Int64Min(0).Draw(t, "bytes"))
		if rapid.Bool().Draw(t, "round") {
			scale := rapid.SampledFrom([]int64{1e3, 1e6, 1e9, 1 << 10, 1 << 20, 1 << 30}).Draw(t, "unit")
			b = unit.Bytes(rapid.Int64Range(0, 1<<30).Draw(t, "count") * scale)
		}
		text, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		var back unit.Bytes
		if err := json.Unmarshal(text, &back); err != nil || back != b {
			t.Fatalf("%d became %s became %d (%v)", b, text, back, err)
		}
	})
}

// Recordings of earlier versions have sizes that are no multiple of a unit without one.
func TestRecordedBytesWithoutUnit(t *testing.T) {
	var b unit.Bytes
	if err := json.Unmarshal([]byte(`"16777217"`), &b); err != nil || b != 16777217 {
		t.Errorf("%d, %v", b, err)
	}
	if err := json.Unmarshal([]byte(`"12 things"`), &b); err == nil {
		t.Errorf("taken as %d", b)
	}
	if text, err := json.Marshal(unit.Bytes(16777217)); err != nil || string(text) != `"16777217B"` {
		t.Errorf("written as %s (%v)", text, err)
	}
}

func TestDurationSurvivesText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := unit.Duration(rapid.Int64Min(0).Draw(t, "nanoseconds"))
		if rapid.Bool().Draw(t, "round") {
			d = unit.Duration(time.Duration(rapid.Int64Range(0, 1e6).Draw(t, "count")) * time.Second)
		}
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		var back unit.Duration
		if err := json.Unmarshal(text, &back); err != nil || back != d {
			t.Fatalf("%d became %s became %d (%v)", d, text, back, err)
		}
	})
}

func TestUnitsNeverPanic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		_, _ = unit.ParseBytes(text)
		_, _ = study.ParseObjective(text)
		var d unit.Duration
		_ = d.UnmarshalText([]byte(text))
	})
}

func TestParseObjective(t *testing.T) {
	for text, want := range map[string]study.Objective{
		"mean <= 1s":          {Metric: "mean", Limit: 1},
		"p99.9<=1.5s":         {Metric: "p99.9", Limit: 1.5},
		"login p95 ≤ 200ms":   {Operation: "login", Metric: "p95", Limit: 0.2},
		"errors <= 0":         {Metric: "errors", Limit: 0},
		"rolledback <= 2.5 %": {Metric: "rolledback", Limit: 0.025},
		"rate >= 99%":         {Metric: "undone", Limit: 0.01},
		" rate ≥ 99.5 % ":     {Metric: "undone", Limit: 0.005},
		"rate >= 100%":        {Metric: "undone", Limit: 0},
		"au >= 90%":           {Operation: "au", Metric: "idle", Limit: 0.1},
	} {
		got, err := study.ParseObjective(text)
		want.Text = strings.TrimSpace(text)
		if err != nil || got != want {
			t.Errorf("%q is %+v (%v)", text, got, err)
		}
	}
	for _, text := range []string{"", "<=", "p95", "p95 <=", "p95 <= 0s", "a b p95 <= 1s", "errors <= -1%", "errors <= 2", "errors <= 1", "errors <= 0.01", "errors <= 101%", "mean >= 1s", "p95 <= 200", "rate <= 99%", "rate >= 99", "rate >= 0", "rate >= 101%", "read rate >= 99%", "undone <= 1%", "au <= 90%", "au >= 0%", "au >= 90", "compute idle <= 10%"} {
		if _, err := study.ParseObjective(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
