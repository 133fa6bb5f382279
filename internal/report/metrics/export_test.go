package metrics

import (
	"io"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"plimsoll/internal/campaign/progress"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// begun is a run whose only trial has some records and samples.
func begun(t testing.TB) *Run {
	t.Helper()
	r := New(RunInfo{Run: "run-1", Study: "shop", Version: "1", Started: time.Unix(1000, 0)})
	r.Begin(*result.TileOf(&result.Trial{ID: "hdd/4/1", Variant: study.Variant{Name: "hdd"}, Rung: 4, Repetition: 1, Part: result.Part{Profile: describe.Profile{
		Workload: "fake", Unit: describe.Unit{Name: "order", Plural: "orders", Throughput: "OPM", Seconds: 60}, Operations: []string{"order", "login"},
	}}}))
	r.Take(progress.Event{Kind: progress.Live, Phase: "measure", Throughput: 1200, Instances: 4, Ready: 3, Done: 0.25, Left: time.Minute, Of: 8})
	h := result.NewHistogram()
	for _, us := range []int64{900, 2000, 2000, 300_000} {
		if err := h.RecordValue(us * 1000); err != nil {
			t.Fatal(err)
		}
	}
	text, err := result.EncodeHistogram(h)
	if err != nil {
		t.Fatal(err)
	}
	for _, driver := range []string{"driver-0", "driver-1"} {
		r.Record(result.Record{Kind: result.KindOperation, Driver: driver, Phase: result.Measure, Operation: "order", Count: 3, RolledBack: 1, Bytes: 50, Errors: map[string]int64{"timeout": 2}, Histogram: text})
		r.Record(result.Record{Kind: result.KindDriver, Driver: driver, Second: 3, Users: 8, LateMax: 0.02, CPUUser: 0.25})
		r.Record(result.Record{Kind: result.KindDriver, Driver: driver, Second: 4, Users: 8, LateMax: 0.01, CPUUser: 0.25})
	}
	for at, rate := range []float64{7, 100, 300} {
		r.Sampled([]result.Series{
			{Kind: "device", Name: "sda", Metric: "write_bytes", Machine: "local", Times: []int64{int64(at) * 2000}, Values: []float64{rate}},
			{Kind: "cpu", Metric: "utilisation", Machine: "local", Times: []int64{int64(at) * 2000}, Values: []float64{rate / 1000}},
		})
	}
	return r
}

func scrape(t testing.TB, r *Run, accept string) string {
	t.Helper()
	request := httptest.NewRequest("GET", "/metrics", nil)
	request.Header.Set("Accept", accept)
	answer := httptest.NewRecorder()
	r.Handler().ServeHTTP(answer, request)
	text, err := io.ReadAll(answer.Result().Body)
	if err != nil || answer.Code != 200 {
		t.Fatalf("%d, %v: %s", answer.Code, err, text)
	}
	return string(text)
}

// Labels are written in the order of their names.
func TestFiguresOfARun(t *testing.T) {
	text := scrape(t, begun(t), "text/plain")
	for _, want := range []string{
		`plimsoll_run_info{run="run-1",study="shop",version="1"} 1`,
		`plimsoll_run_progress_ratio 0.25`,
		`plimsoll_run_remaining_seconds 60`,
		`plimsoll_run_phase{phase="measure"} 1`,
		`plimsoll_run_phase{phase="idle"} 0`,
		`plimsoll_trial_throughput{repetition="1",rung="4",unit="OPM",variant="hdd"} 1200`,
		`plimsoll_instances{repetition="1",rung="4",state="not_ready",variant="hdd"} 1`,
		`plimsoll_units_total{phase="measure",repetition="1",rung="4",unit="order",variant="hdd"} 6`,
		`plimsoll_units_total{phase="warmup",repetition="1",rung="4",unit="order",variant="hdd"} 0`,
		`plimsoll_operations_total{operation="order",outcome="rolled_back",phase="measure",repetition="1",rung="4",variant="hdd"} 2`,
		`plimsoll_operation_errors_total{class="timeout",operation="order",phase="measure",repetition="1",rung="4",variant="hdd"} 4`,
		`plimsoll_operation_duration_seconds_bucket{operation="order",phase="measure",repetition="1",rung="4",variant="hdd",le="0.001"} 2`,
		`plimsoll_operation_duration_seconds_bucket{operation="order",phase="measure",repetition="1",rung="4",variant="hdd",le="0.0025"} 6`,
		`plimsoll_operation_duration_seconds_count{operation="order",phase="measure",repetition="1",rung="4",variant="hdd"} 8`,
		`plimsoll_driver_late_seconds{driver="driver-1",repetition="1",rung="4",variant="hdd"} 0.02`,
		`plimsoll_driver_cpu_seconds_total{driver="driver-0",repetition="1",rung="4",variant="hdd"} 0.5`,
		`plimsoll_device_written_bytes_total{device="sda",machine="local"} 800`, // 100 and 300 a second, 2 s each
		`plimsoll_machine_cpu_utilization_ratio{machine="local"} 0.3`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("there is no %s", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// A trial that has ended leaves no values of the moment; the next one begins anew, and
// machines go on.
func TestTheNextTrialBeginsAnew(t *testing.T) {
	r := begun(t)
	r.Take(progress.Event{Kind: progress.TrialEnded, Failed: true})
	r.Begin(*result.TileOf(&result.Trial{ID: "ssd/1/2", Variant: study.Variant{Name: "ssd"}, Rung: 1, Repetition: 2}))
	r.Take(progress.Event{Kind: progress.TrialBegan})
	text := scrape(t, r, "text/plain")
	for _, gone := range []string{`variant="hdd"`, "utilization_ratio{", "plimsoll_driver_users{"} {
		if strings.Contains(text, gone) {
			t.Errorf("%s is still there:\n%s", gone, text)
		}
	}
	for _, kept := range []string{`plimsoll_trials_ended_total{outcome="failed"} 1`, `plimsoll_device_written_bytes_total{device="sda",machine="local"} 800`, `plimsoll_run_phase{phase="prepare"} 1`} {
		if !strings.Contains(text, kept) {
			t.Errorf("there is no %s:\n%s", kept, text)
		}
	}
}

func TestOpenMetricsIsOfferedAndEnds(t *testing.T) {
	text := scrape(t, begun(t), "application/openmetrics-text; version=1.0.0")
	if !strings.HasSuffix(text, "# EOF\n") || !strings.Contains(text, "# TYPE plimsoll_units counter\n") {
		t.Errorf("%s", text)
	}
}

// Names and types are as Prometheus' own check wants them.
func TestPromtoolFindsNothing(t *testing.T) {
	text := scrape(t, begun(t), "text/plain")
	parser := expfmt.NewTextParser(model.LegacyValidation)
	if _, err := parser.TextToMetricFamilies(strings.NewReader(text)); err != nil {
		t.Error(err)
	}
	if _, err := exec.LookPath("promtool"); err != nil {
		t.Skip("promtool is not installed; it comes with the package prometheus")
	}
	check := exec.Command("promtool", "check", "metrics")
	check.Stdin = strings.NewReader(text)
	if out, err := check.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}

// Error texts of existing servers do not become labels without end.
func TestClassesAreBounded(t *testing.T) {
	r := begun(t)
	for n := range 1000 {
		r.Record(result.Record{Kind: result.KindOperation, Phase: result.Measure, Operation: "order", Errors: map[string]int64{strings.Repeat("x", n): 1, "\xff": 1}})
	}
	if n := strings.Count(scrape(t, r, "text/plain"), "plimsoll_operation_errors_total{"); n > mostClasses+1 {
		t.Errorf("%d classes of errors", n)
	}
}

func BenchmarkScrape(b *testing.B) {
	r := begun(b)
	for b.Loop() {
		scrape(b, r, "text/plain")
	}
}

func BenchmarkRecord(b *testing.B) {
	r := begun(b)
	h := result.NewHistogram()
	for n := range 1000 {
		_ = h.RecordValue(int64(n*n + 1)) // within the range
	}
	text, err := result.EncodeHistogram(h)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		r.Record(result.Record{Kind: result.KindOperation, Phase: result.Measure, Operation: "order", Count: 1000, Histogram: text})
	}
}
