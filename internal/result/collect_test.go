package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var collectStart = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// encoded gives the histogram of values in microseconds.
func encoded(t testing.TB, values ...int64) string {
	t.Helper()
	h := NewHistogram()
	for _, v := range values {
		if err := h.RecordValue(v * 1000); err != nil {
			t.Fatal(err)
		}
	}
	text, err := EncodeHistogram(h)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// writeRecords writes the file of one driver.
func writeRecords(t testing.TB, name string, records ...any) string {
	t.Helper()
	var text bytes.Buffer
	for _, r := range records {
		if line, ok := r.(string); ok {
			text.WriteString(line + "\n")
			continue
		}
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(line, '\n'))
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func order(t testing.TB, second int, phase Phase, values ...int64) Record {
	return Record{Kind: KindOperation, Second: second, Phase: phase, Operation: "order", Count: int64(len(values)), Histogram: encoded(t, values...)}
}

// twoDrivers have each one warm-up and two measured seconds.
func twoDrivers(t testing.TB) []string {
	return []string{
		writeRecords(t, "driver-0.jsonl",
			order(t, 0, Warmup, 900_000),
			Record{Kind: KindDriver, Second: 0, Phase: Warmup, CPUUser: 0.9, Users: 8},
			order(t, 1, Measure, 1000, 2000),
			Record{Kind: KindOperation, Second: 1, Phase: Measure, Operation: "order", RolledBack: 1, Errors: map[string]int64{"deadlock": 2}},
			Record{Kind: KindDriver, Second: 1, Phase: Measure, CPUUser: 0.2, CPUSystem: 0.1, RSS: 100, LateMax: 0.5, LateMean: 0.1, Users: 8, Units: map[int]int64{0: 2}},
			order(t, 2, Measure, 3000),
			Record{Kind: KindDriver, Second: 2, Phase: Measure, CPUUser: 0.4, RSS: 90, LateMax: 0.2, LateMean: 0.3, Users: 8, Units: map[int]int64{0: 1}},
			Record{Kind: KindEvent, Second: 2, Event: "instance 0: connection lost"},
			Record{Kind: KindInstance, Second: 3, Instance: &InstanceRecord{Instance: 0, Count: 3, RolledBack: 1, Histogram: encoded(t, 1000, 2000, 2000, 3000),
				Operations: map[string]PartRecord{"login": {Count: 2, Errors: map[string]int64{"refused": 1}, Histogram: encoded(t, 500, 700)}}}},
			Record{Kind: KindEnd, Second: 3}),
		writeRecords(t, "driver-1.jsonl",
			order(t, 1, Measure, 4000),
			Record{Kind: KindDriver, Second: 1, Phase: Measure, Units: map[int]int64{1: 1}},
			Record{Kind: KindDriver, Second: 2, Phase: Measure, Units: map[int]int64{1: 5}},
			`{"kind":"operation","second":2,"op`),
	}
}

func TestCollectSumsTheMeasuredPhaseOfAllDrivers(t *testing.T) {
	s, err := Collect(twoDrivers(t), collectStart, "order")
	if err != nil {
		t.Fatal(err)
	}
	order := s.Operations["order"]
	if order.Count != 4 || order.RolledBack != 1 || order.Errors["deadlock"] != 2 {
		t.Errorf("order = %+v", order)
	}
	near(t, "mean", order.Mean, 0.0025)
	near(t, "p50", order.P50, 0.002)
	near(t, "max", order.Max, 0.004)
	if diff := cmp.Diff([]string{"driver-1"}, s.Unended); diff != "" {
		t.Errorf("drivers without an end:\n%s", diff)
	}
	if damage := strings.Join(s.Damage(), "\n"); !strings.Contains(damage, "driver-1.jsonl: line 4:") || !strings.Contains(damage, "driver-1: its records have no end") {
		t.Errorf("damage = %s", damage)
	}
	if len(s.Problems) != 1 || s.Problems[0].File != "driver-1.jsonl" || !strings.HasPrefix(s.Problems[0].Reason, "line 4:") {
		t.Errorf("problems = %v", s.Problems)
	}
	if len(s.Events) != 1 || s.Events[0].At != collectStart.Add(2*time.Second) {
		t.Errorf("events = %v", s.Events)
	}
}

func TestCollectSumsDrivers(t *testing.T) {
	s, err := Collect(twoDrivers(t), collectStart, "order")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Drivers) != 2 {
		t.Fatalf("drivers = %+v", s.Drivers)
	}
	d := s.Drivers[0]
	near(t, "CPU user", d.CPUUser, 0.6)
	near(t, "CPU system", d.CPUSystem, 0.1)
	near(t, "busiest second", d.BusyMax, 0.4)
	near(t, "latest", d.LateMax, 0.5)
	near(t, "late on average", d.LateMean, 0.2)
	if d.Name != "driver-0" || d.RSSMax != 100 {
		t.Errorf("driver = %+v", d)
	}
}

func TestCollectSumsInstances(t *testing.T) {
	s, err := Collect(twoDrivers(t), collectStart, "order")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Instances) != 2 {
		t.Fatalf("instances = %+v", s.Instances)
	}
	near(t, "orders of instance 0", float64(s.Instances[0].Count), 3)
	near(t, "mean of instance 0", s.Instances[0].Mean, 0.002)
	login, known := s.Instances[0].Of("login")
	if _, other := s.Instances[1].Of("login"); !known || other || login.Count != 2 || login.Errors["refused"] != 1 {
		t.Errorf("logins: %+v", login)
	}
	near(t, "mean of its logins", login.Mean, 0.0006)
	near(t, "its longest login", login.Max, 0.0007)
	near(t, "its longest order", s.Instances[0].Max, 0.003)
	near(t, "orders of instance 1, whose driver died", float64(s.Instances[1].Count), 6)
}

func TestCollectMakesSeries(t *testing.T) {
	s, err := Collect(twoDrivers(t), collectStart, "order")
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	for _, c := range []struct {
		kind, name, metric string
		want               []float64
	}{
		{"operation", "order", "count", []float64{1, 3, 1}},
		{"operation", "order", "errors", []float64{0, 2, 0}},
		{"operation", "order", "p99", []float64{0.9, 0.004, 0.003}},
		{"driver", "driver-0", "busy", []float64{0.9, 0.3, 0.4}},
		{"driver", "driver-1", "users", []float64{nan, 0, 0}},
		{"instance", "instance-001", "units", []float64{0, 1, 5}},
	} {
		i := slices.IndexFunc(s.Series, func(s Series) bool { return s.Kind == c.kind && s.Name == c.name && s.Metric == c.metric })
		if i < 0 {
			t.Errorf("no series %s %s %s", c.kind, c.name, c.metric)
			continue
		}
		got := s.Series[i]
		if got.Start != collectStart.UnixMilli() || !slices.Equal(got.Times, []int64{1000, 2000, 3000}) {
			t.Errorf("%s %s %s: start %d, times %v", c.kind, c.name, c.metric, got.Start, got.Times)
		}
		for k, want := range c.want {
			near(t, fmt.Sprintf("%s %s %s at second %d", c.kind, c.name, c.metric, k), got.Values[k], want)
		}
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.IsNaN(want) != math.IsNaN(got) || math.Abs(got-want) > 1e-3*math.Abs(want)+1e-12 {
		t.Errorf("%s = %g, want %g", what, got, want)
	}
}

func TestCollectToleratesOrderAndGaps(t *testing.T) {
	file := writeRecords(t, "driver-0.jsonl", order(t, 5, Measure, 1000), order(t, 2, Measure, 2000), order(t, 7, Measure, 3000))
	s, err := Collect([]string{file}, collectStart, "order")
	if err != nil {
		t.Fatal(err)
	}
	if o := s.Operations["order"]; o.Count != 3 {
		t.Errorf("count = %d, want 3", o.Count)
	}
	counts := s.Series[slices.IndexFunc(s.Series, func(s Series) bool { return s.Metric == "count" })].Values
	if diff := cmp.Diff([]float64{0, 0, 1, 0, 0, 1, 0, 1}, counts); diff != "" {
		t.Errorf("counts by second (-want +got):\n%s", diff)
	}
}

func TestCollectNeedsFiles(t *testing.T) {
	if _, err := Collect([]string{filepath.Join(t.TempDir(), "missing")}, collectStart, "order"); err == nil {
		t.Error("a missing file was collected")
	}
	s, err := Collect(nil, collectStart, "order")
	if err != nil || len(s.Operations) != 0 {
		t.Errorf("no drivers: %+v, %v", s, err)
	}
}

func TestOperationsMergesFilesBySecond(t *testing.T) {
	dir := t.TempDir()
	w := &TrialWriter{dir: dir, id: "a/1/1"}
	for _, path := range twoDrivers(t) {
		feed(t, w, path)
	}
	if err := errors.Join(w.Merge(), w.RemoveMerged()); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left beside the merged file: %v, %v", left, err)
	}
	var seconds []int
	bad := 0
	for r, err := range recordsOf(dir, RecordsFile) {
		if err != nil {
			bad++
			continue
		}
		seconds = append(seconds, r.Second)
	}
	if !slices.IsSorted(seconds) || len(seconds) != 13 || bad != 1 {
		t.Errorf("seconds %v and %d unreadable lines, want 13 sorted ones and 1", seconds, bad)
	}
	again, err := Collect([]string{filepath.Join(dir, RecordsFile)}, collectStart, "order")
	if err != nil || again.Operations["order"].Count != 4 {
		t.Errorf("collecting the merged file: %+v, %v", again.Operations, err)
	}
}

// feed has a writer take a file of records line by line.
func feed(t *testing.T, w *TrialWriter, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.Records(strings.TrimSuffix(filepath.Base(path), ".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if err := r.Add([]byte(strings.TrimSuffix(line, "\n"))); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestRecordsAreOfADriver(t *testing.T) {
	w := &TrialWriter{dir: t.TempDir(), id: "a/1/1"}
	for _, name := range []string{"", "../x", ".."} {
		if _, err := w.Records(name); err == nil {
			t.Errorf("a driver is called %q", name)
		}
	}
}

func TestRecordsRefuseTheImpossible(t *testing.T) {
	for _, line := range []string{
		`{`, `[]`, `{"kind":"operation","second":0}`, `{"kind":"operation","operation":"order","count":-1}`,
		`{"kind":"instance"}`, `{"kind":"driver","second":-1}`, `{"kind":"driver","second":99999999}`,
	} {
		for _, err := range ReadRecords(strings.NewReader(line)) {
			if err == nil || !strings.HasPrefix(err.Error(), "line 1: ") {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
}

// BenchmarkCollect sums the records of a trial of ten minutes with ten
// operations.
func BenchmarkCollect(b *testing.B) {
	var records []any
	values := make([]int64, 400)
	for second := range 600 {
		for o := range 10 {
			for i := range values {
				values[i] = int64(1000 + (i*7919+second*104729+o)%50000)
			}
			r := order(b, second, Measure, values...)
			r.Operation = fmt.Sprintf("operation-%d", o)
			records = append(records, r)
		}
	}
	file := writeRecords(b, "driver-0.jsonl", records...)
	if info, err := os.Stat(file); err == nil {
		b.SetBytes(info.Size())
	}
	for b.Loop() {
		if _, err := Collect([]string{file}, collectStart, "order"); err != nil {
			b.Fatal(err)
		}
	}
}

// A line that is too long ends its file, and is not passed over in silence.
func TestOverLongLineIsReported(t *testing.T) {
	whole := writeRecords(t, "driver-0.jsonl", order(t, 1, Measure, 1000), Record{Kind: KindEnd, Second: 2})
	long := filepath.Join(t.TempDir(), "driver-1.jsonl")
	if err := os.WriteFile(long, []byte(`{"kind":"event","second":1,"event":"`+strings.Repeat("x", maxLine)+`"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Collect([]string{whole, long}, time.Unix(1000, 0), "order")
	if err != nil {
		t.Fatal(err)
	}
	if d := s.Damage(); len(d) == 0 || !strings.HasPrefix(d[0], "driver-1.jsonl: line 1: ") || !strings.Contains(d[0], "too long") {
		t.Errorf("damage = %v", d)
	}
}
