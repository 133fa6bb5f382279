package result_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"plimsoll/internal/result"
	"plimsoll/internal/result/resulttest"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

var begun = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func aPlan() *plan.Plan {
	return &plan.Plan{
		Study:    &study.Study{Name: "tiny", Members: []study.Member{{Weight: 1}}, Ladder: study.Ladder{Rungs: []int{1}}},
		Variants: []study.Variant{{Name: "ssd", Members: []study.Member{{Weight: 1}}}},
		Trials:   []plan.Trial{{Position: 1, ID: "ssd/1/1", Variant: "ssd", Rung: 1, Repetition: 1}},
	}
}

func aTrial() *result.Trial {
	return &result.Trial{
		Schema: result.SchemaVersion,
		ID:     "ssd/1/1", Variant: study.Variant{Name: "ssd", Factors: map[string]string{}, Weight: 1}, Rung: 1, Repetition: 1, Position: 1, Status: result.Passed,
		Begun: begun, MeasureStart: begun, MeasureEnd: begun.Add(time.Minute),
		Part: result.Part{Operations: map[string]result.OperationSummary{"order": {Count: 10, Mean: 0.1, P50: 0.1, P99: 0.2, Max: 0.3}}},
	}
}

// at is a trial of which nothing but the place is known.
func at(id string) *result.Trial { return &result.Trial{ID: id} }

func someSeries() []result.Series {
	return []result.Series{
		{Kind: "cpu", Metric: "utilisation", Unit: "1", Start: begun.UnixMilli(), Times: []int64{-1000, 0, 1000, 2000}, Values: []float64{math.NaN(), 0.25, 0.5, 1}},
		{Kind: "device", Name: "loop3", Metric: "reads", Unit: "IO/s", Start: begun.UnixMilli(), Times: []int64{0}, Values: []float64{12}},
		{Kind: "operation", Name: "order", Metric: "count", Unit: "1/s", Start: begun.UnixMilli()},
	}
}

// newRun makes a run with one finished trial.
func newRun(t *testing.T) (dir string, w *result.Writer) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "2026-03-01-tiny")
	w, err := result.Create(dir, []byte("study: tiny\n"), aPlan(), result.Machine{Cores: 2})
	if err != nil {
		t.Fatal(err)
	}
	files, err := w.Trial("ssd/1/1")
	if err != nil {
		t.Fatal(err)
	}
	if err := files.Audit(&result.Audit{Summary: result.AuditSummary{Passed: true}}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(files.Series(someSeries()), files.Finish(result.TileOf(aTrial()))); err != nil {
		t.Fatal(err)
	}
	return dir, w
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	dir, _ := newRun(t)
	run, err := result.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Problems) > 0 || run.ID != "2026-03-01-tiny" {
		t.Errorf("run %q has problems %v", run.ID, run.Problems)
	}
	if diff := cmp.Diff([]*result.Trial{aTrial()}, run.Trials, cmpopts.IgnoreFields(result.Trial{}, "TelemetryChecksum", "Checksums"), cmpopts.IgnoreUnexported(result.Trial{})); diff != "" {
		t.Errorf("trials differ (-written +read):\n%s", diff)
	}
	if run.Machine == nil || run.Machine.Cores != 2 {
		t.Errorf("machine = %+v", run.Machine)
	}
	if diff := cmp.Diff(aPlan(), run.Plan, cmpopts.IgnoreUnexported(study.Study{})); diff != "" {
		t.Errorf("plan differs (-written +read):\n%s", diff)
	}
	audit, err := run.Audit(at("ssd/1/1"))
	if err != nil || !audit.Summary.Passed {
		t.Errorf("audit = %+v, %v", audit, err)
	}
	series, err := run.Series(at("ssd/1/1"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(someSeries(), series, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("series differ (-written +read):\n%s", diff)
	}
}

func TestSeriesOfOneKind(t *testing.T) {
	dir, _ := newRun(t)
	run, err := result.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, kinds := range [][]string{{"device"}, {"cpu", "device"}, {"nothing"}, {"device/" + someSeries()[0].Metric, "cpu"}, {"cpu/nothing"}} {
		series, err := run.Series(at("ssd/1/1"), kinds...)
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for _, k := range kinds {
			for _, s := range someSeries() {
				if s.Kind == k || s.Kind+"/"+s.Metric == k {
					want++
				}
			}
		}
		if len(series) != want {
			t.Errorf("kinds %v: %d series, want %d", kinds, len(series), want)
		}
	}
}

func TestResultsAreWrittenOnce(t *testing.T) {
	dir, w := newRun(t)
	if _, err := result.Create(dir, nil, aPlan(), result.Machine{}); err == nil {
		t.Error("a second run was made in the same directory")
	}
	if _, err := w.Trial("ssd/1/1"); err == nil {
		t.Error("a finished trial was begun again")
	}
	if again, err := result.Continue(dir); err != nil || !again.Finished("ssd/1/1") || again.Finished("ssd/1/2") {
		t.Errorf("continuing the run: %v", err)
	}
	for _, id := range []string{"", "ssd", "../../x", "a/b/..", "a/b/c/d", "a//c"} {
		if _, err := w.Trial(id); err == nil {
			t.Errorf("trial %q was begun", id)
		}
	}
}

func TestAnUnfinishedTrialIsBegunAfresh(t *testing.T) {
	dir, w := newRun(t)
	files, err := w.Trial("ssd/1/2")
	if err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(files.Logs(), "db-000.log")
	if err := os.WriteFile(left, []byte("crash"), 0o600); err != nil {
		t.Fatal(err)
	}
	run, err := result.Open(dir)
	if err != nil || len(run.Trials) != 1 || !cmp.Equal(run.Unfinished, []string{"ssd/1/2"}) || len(run.Problems) > 0 {
		t.Errorf("run with an unfinished trial: %d trials, unfinished %v, problems %v, %v", len(run.Trials), run.Unfinished, run.Problems, err)
	}
	if _, err := w.Trial("ssd/1/2"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("what the unfinished attempt left is still there")
	}
}

func TestNumbersThatJSONCannotHoldDoNotLoseATrial(t *testing.T) {
	dir, w := newRun(t)
	files, err := w.Trial("ssd/1/2")
	if err != nil {
		t.Fatal(err)
	}
	trial := aTrial()
	trial.ID, trial.Repetition = "ssd/1/2", 2
	trial.Operations["order"] = result.OperationSummary{Mean: math.NaN()}
	trial.Instances = []result.InstanceSummary{{Count: 5}}
	if err := files.Finish(result.TileOf(trial)); err != nil {
		t.Fatal(err)
	}
	run, err := result.Open(dir)
	if err != nil || run.Trial("ssd/1/2") == nil {
		t.Fatalf("the trial is lost: %v, %v", run.Problems, err)
	}
}

// firstTrial is trial.json of the run that newRun makes.
func firstTrial() string {
	return filepath.Join(result.TrialsDir, "ssd", "1", "1", result.TrialFile)
}

// edit replaces a text in a file of a run.
func edit(file, from, to string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		path := filepath.Join(dir, file)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(string(text), from, to, 1)
		if changed == string(text) {
			t.Fatalf("%s does not hold %q", file, from)
		}
		if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDamagedRunsAreReadAsFarAsTheyGo(t *testing.T) {
	trialFile := firstTrial()
	truncate := func(file string, size int64) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(dir, file), size); err != nil {
				t.Fatal(err)
			}
		}
	}
	// instead puts something else in the place of a file.
	instead := func(file string, put func(path string) error) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, file)
			if err := errors.Join(os.Remove(path), put(path)); err != nil {
				t.Fatal(err)
			}
		}
	}
	text := func(text string) func(string) error {
		return func(path string) error { return os.WriteFile(path, []byte(text), 0o600) }
	}
	pipe := func(path string) error { return syscall.Mkfifo(path, 0o600) }
	link := func(path string) error { return os.Symlink("/etc/hostname", path) }
	for _, c := range []struct {
		name   string
		damage func(*testing.T, string)
		file   string
		reason string
		trials int
	}{
		{"plan missing", func(t *testing.T, dir string) { _ = os.Remove(filepath.Join(dir, result.PlanFile)) }, "plan.json", "is missing", 1},
		{"plan cut short", truncate(result.PlanFile, 40), "plan.json", "is cut short", 1},
		{"machine empty", truncate(result.MachineFile, 0), "machine.json", "is cut short", 1},
		{"trial cut short", truncate(trialFile, 100), trialFile, "is cut short", 0},
		{"trial garbled", edit(trialFile, `"rung": 1`, `"rung": !`), trialFile, "is damaged at byte", 0},
		{"wrong type", edit(trialFile, `"rung": 1`, `"rung": "many"`), trialFile, "rung", 0},
		{"rung 0", edit(trialFile, `"rung": 1`, `"rung": 0`), trialFile, "must have at least 1 instance, got 0", 0},
		{"renamed", edit(trialFile, `"id": "ssd/1/1"`, `"id": "hdd/1/1"`), trialFile, "is in the directory of", 0},
		{"time turned", edit(trialFile, `"measure_end": "2026`, `"measure_end": "2016`), trialFile, "measured phase lasts", 0},
		{"newer", edit(trialFile, `"schema": 4`, `"schema": 99`), trialFile, "use a newer plimsoll", 0},
		{"negative count", edit(trialFile, `"count": 10`, `"count": -10`), trialFile, "counts -10 done", 0},
		{"plan null", instead(result.PlanFile, text("null\n")), "plan.json", "contains only null", 1},
		{"plan of nothing", instead(result.PlanFile, text("{}")), "plan.json", "has no study", 1},
		{"plan of a variant that is not there", edit(result.PlanFile, `"variant": "ssd"`, `"variant": "hdd"`), "plan.json", "a variant that it does not have", 1},
		{"plan with another identifier", edit(result.PlanFile, `"id": "ssd/1/1"`, `"id": "../../x"`), "plan.json", "plans trial", 1},
		{"plan a directory", instead(result.PlanFile, func(path string) error { return os.Mkdir(path, 0o700) }), "plan.json", "is a directory", 1},
		{"machine a pipe", instead(result.MachineFile, pipe), "machine.json", "not a regular file", 1},
		{"trial a pipe", instead(trialFile, pipe), trialFile, "not a regular file", 0},
		{"trial a link to elsewhere", instead(trialFile, link), trialFile, "a link that points outside", 0},
		{"trial huge", truncate(trialFile, 1<<40), trialFile, "has 1099511627776 bytes", 0},
		{"trial null", instead(trialFile, text("null")), trialFile, "contains only null", 0},
		{"histogram that disagrees", edit(trialFile, `"histogram": ""`, `"histogram": "`+threeTimes(t)+`"`), trialFile, "has a histogram of 3 response times but a count of 10", 0},
		{"percentiles turned", edit(trialFile, `"p99": 0.2`, `"p99": 0.9`), trialFile, "contradict", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, _ := newRun(t)
			c.damage(t, dir)
			run, err := result.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			if len(run.Trials) != c.trials {
				t.Errorf("%d trials read, want %d", len(run.Trials), c.trials)
			}
			if len(run.Problems) != 1 || run.Problems[0].File != filepath.ToSlash(c.file) || !strings.Contains(run.Problems[0].Reason, c.reason) {
				t.Errorf("problems = %v, want one of %s with %q", run.Problems, c.file, c.reason)
			}
		})
	}
}

// threeTimes is a histogram of three response times.
func threeTimes(t *testing.T) string {
	t.Helper()
	h := result.NewHistogram()
	if err := h.RecordValues(1_000_000, 3); err != nil {
		t.Fatal(err)
	}
	text, err := result.EncodeHistogram(h)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// What an editor or a hostile hand left in the text of a file does no harm: a
// byte-order mark is passed over, and control characters become visible.
func TestMarksAndControlCharactersAreCleaned(t *testing.T) {
	dir, _ := newRun(t)
	path := filepath.Join(dir, result.MachineFile)
	if err := os.WriteFile(path, []byte("\ufeff{\"cores\": 2, \"os\": \"\\u001b[2J\u009b\"}\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run, err := result.Open(dir)
	if err != nil || len(run.Problems) > 0 {
		t.Fatal(run.Problems, err)
	}
	if want := `\u001b[2J\u009b`; run.Machine.OS != want || run.Machine.Cores != 2 {
		t.Errorf("read %+v, want %s", run.Machine, want)
	}
}

// A pipe in the place of records or telemetry does not hang its reader.
func TestPipesAreNotReadAsRecords(t *testing.T) {
	dir, _ := newRun(t)
	for _, name := range []string{result.RecordsFile, result.TelemetryFile, result.AuditFile} {
		path := filepath.Join(result.TrialDir(dir, "ssd/1/1"), name)
		_ = os.Remove(path)
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run, err := result.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range run.Records(at("ssd/1/1")) {
		if err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("records: %v", err)
		}
	}
	if _, err := run.Series(at("ssd/1/1")); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("telemetry: %v", err)
	}
	if _, err := run.Audit(at("ssd/1/1")); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("audit: %v", err)
	}
}

func TestOpenRefusesWhatIsNoRun(t *testing.T) {
	if _, err := result.Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a run directory") {
		t.Errorf("an empty directory: %v", err)
	}
	if _, err := result.Open(filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("a directory that does not exist was opened")
	}
}

func TestMissingTelemetryIsAnError(t *testing.T) {
	dir, _ := newRun(t)
	_ = os.Remove(filepath.Join(result.TrialDir(dir, "ssd/1/1"), result.TelemetryFile))
	run, err := result.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Series(at("ssd/1/1")); err == nil || !strings.Contains(err.Error(), "ssd/1/1") {
		t.Errorf("missing telemetry: %v", err)
	}
	if _, err := run.Series(at("../../etc/passwd")); err == nil {
		t.Error("an identifier led out of the run directory")
	}
	for _, id := range []string{"../../etc/passwd", "ssd/1/1"} { // the second has no records
		for _, err := range run.Records(at(id)) {
			if err == nil {
				t.Errorf("records of %s were read", id)
			}
		}
	}
}

func TestDamagedTelemetryIsFound(t *testing.T) {
	for name, damage := range map[string]func(text []byte) []byte{
		"cut short":    func(text []byte) []byte { return text[:len(text)/2] },
		"empty":        func([]byte) []byte { return nil },
		"a byte flips": func(text []byte) []byte { text[len(text)/2] ^= 1; return text },
	} {
		t.Run(name, func(t *testing.T) {
			dir, _ := newRun(t)
			path := filepath.Join(result.TrialDir(dir, "ssd/1/1"), result.TelemetryFile)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, damage(text), 0o600); err != nil {
				t.Fatal(err)
			}
			run, err := result.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := run.Series(run.Trials[0]); err == nil || !strings.Contains(err.Error(), "damaged") {
				t.Errorf("damage is not told: %v", err)
			}
			// Without trial.json there is no checksum to compare with.
			if _, err := run.Series(at("ssd/1/1")); name != "a byte flips" && err == nil {
				t.Error("damage is not found without the checksum")
			}
		})
	}
}

func TestSummariseTakesTheMeasuredPhase(t *testing.T) {
	// Values stand at the end of the second that they describe, with jitter.
	s := result.Series{Kind: "device", Name: "vda", Metric: "reads", Unit: "IO/s", Start: begun.UnixMilli(),
		Times: []int64{1003, 2001, 3004, 4002, 5003}, Values: []float64{100, 1, math.NaN(), 3, 100}}
	empty := result.Series{Kind: "device", Name: "vda", Metric: "read_await", Start: begun.UnixMilli(), Times: []int64{2001}, Values: []float64{math.NaN()}}
	operation := s
	operation.Kind = "operation"
	got := result.Summarise([]result.Series{s, empty, operation}, begun.Add(time.Second), begun.Add(4*time.Second))
	want := []result.ResourceSummary{{Kind: "device", Name: "vda", Metric: "reads", Unit: "IO/s", Mean: 2, P95: 3, Max: 3}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("summaries (-want +got):\n%s", diff)
	}
}

func TestListFindsRunsNewestFirst(t *testing.T) {
	runs := t.TempDir()
	for _, r := range []struct{ name, at string }{{"a", "2026-01-02T00:00:00Z"}, {"b", "2026-01-03T00:00:00Z"}, {"c", "2026-01-01T00:00:00Z"}} {
		dir := filepath.Join(runs, r.name)
		if err := resulttest.Run(dir, []string{"ssd"}, []int{1, 2}, 1, 2); err != nil {
			t.Fatal(err)
		}
		line := `{"at":"` + r.at + `","act":"note","event":"run-started"}` + "\n"
		if err := os.WriteFile(filepath.Join(dir, result.JournalFile), []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(filepath.Join(runs, "c", result.TrialsDir, "ssd", "2")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(runs, "not-a-run"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := result.List(runs)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range all {
		got = append(got, r.Name+" "+r.State())
	}
	if diff := cmp.Diff([]string{"b finished", "a finished", "c unfinished"}, got); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	if latest, err := result.Latest(runs); err != nil || filepath.Base(latest) != "b" {
		t.Errorf("latest = %s, %v", latest, err)
	}
	if _, err := result.Latest(filepath.Join(runs, "missing")); err == nil {
		t.Error("there is a latest run in a directory that does not exist")
	}
}

// A search adds trials to those that were planned.
func TestListOfASearchThatGrew(t *testing.T) {
	runs := t.TempDir()
	dir := filepath.Join(runs, "a")
	if err := resulttest.Run(dir, []string{"ssd"}, []int{1, 2, 4}, 1, 2); err != nil {
		t.Fatal(err)
	}
	p := aPlan()
	p.Study.Ladder = study.Ladder{Auto: true, From: 1, To: 8, Budget: 8}
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, result.PlanFile), text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ last, state string }{{"trial-finished", "unfinished"}, {"run-finished", "finished"}} {
		line := `{"at":"2026-01-01T00:00:00Z","act":"note","event":"` + c.last + `"}` + "\n"
		if err := os.WriteFile(filepath.Join(dir, result.JournalFile), []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		all, err := result.List(runs)
		if err != nil || len(all) != 1 || all[0].State() != c.state || all[0].Done != 3 || all[0].Planned != 0 {
			t.Errorf("after %s: %+v, %v; want 3 trials of no fixed number, %s", c.last, all, err, c.state)
		}
	}
}

func TestSyntheticRunsAreSound(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := resulttest.Run(dir, []string{"ssd", "hdd"}, []int{1, 32}, 2, 20); err != nil {
		t.Fatal(err)
	}
	run, err := result.Open(dir)
	if err != nil || len(run.Problems) > 0 || len(run.Trials) != 8 {
		t.Fatalf("%d trials, problems %v, %v", len(run.Trials), run.Problems, err)
	}
	if ssd, hdd := run.Trial("ssd/32/1").Operations["order"].Mean, run.Trial("hdd/32/1").Operations["order"].Mean; ssd >= hdd {
		t.Errorf("the faster variant takes %g s, the slower %g s", ssd, hdd)
	}
}

// TestOverdueOrdersAreInTheHistogram: orders that still waited at the end are
// among the response times and not in the count, and that contradicts nothing.
func TestOverdueOrdersAreInTheHistogram(t *testing.T) {
	dir, _ := newRun(t)
	edit(firstTrial(), `"count": 10`, `"overdue": 1, "count": 2`)(t, dir)
	edit(firstTrial(), `"histogram": ""`, `"histogram": "`+threeTimes(t)+`"`)(t, dir)
	run, err := result.Open(dir)
	if err != nil || len(run.Problems) > 0 || len(run.Trials) != 1 {
		t.Fatalf("%d trials read: %v, %v", len(run.Trials), run.Problems, err)
	}
}

// TestSecondAttemptsAreNoFurtherTrials: a run with one of two trials measured
// twice is not finished.
func TestSecondAttemptsAreNoFurtherTrials(t *testing.T) {
	dir, _ := newRun(t)
	again := filepath.Join(dir, result.TrialsDir, "ssd", "1", "1.2")
	if err := os.CopyFS(again, os.DirFS(filepath.Join(dir, filepath.Dir(firstTrial())))); err != nil {
		t.Fatal(err)
	}
	all, err := result.List(filepath.Dir(dir))
	if err != nil || len(all) != 1 || all[0].Done != 1 {
		t.Errorf("%+v, %v", all, err)
	}
}

// Series and sums of things that have one name on two machines do not collide.
func TestMachinesAreToldApart(t *testing.T) {
	var all []result.Series
	for i, machine := range []string{"node-1", "node-2", ""} {
		all = append(all, result.Series{Machine: machine, Kind: "device", Name: "vda", Metric: "queue", Unit: "1", Times: []int64{1000, 2000}, Values: []float64{float64(i), float64(i)}})
	}
	dir, w := newRun(t)
	files, err := w.Trial("ssd/1/2")
	if err != nil {
		t.Fatal(err)
	}
	trial := aTrial()
	trial.ID, trial.Repetition = "ssd/1/2", 2
	if err := errors.Join(files.Series(all), files.Finish(result.TileOf(trial))); err != nil {
		t.Fatal(err)
	}
	run, err := result.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	read, err := run.Series(at("ssd/1/2"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(all, read); diff != "" {
		t.Error(diff)
	}
	sums := result.Summarise(all, time.UnixMilli(0), time.UnixMilli(5000))
	if len(sums) != 3 || sums[0].Machine != "node-1" || sums[1].Machine != "node-2" || sums[1].Mean != 1 || sums[2].Machine != "" {
		t.Errorf("sums %+v", sums)
	}
}
