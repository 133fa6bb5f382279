package analysis_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/compare"
	"plimsoll/internal/result"
	"plimsoll/internal/result/resulttest"
	"plimsoll/internal/study"
	"plimsoll/test/quick"
)

// The results of a run do not depend on how much of its trials was held in memory.
func TestLeanRunsSayTheSame(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for name, make := range map[string]func(dir string) error{
		"databases": func(dir string) error { return resulttest.Run(dir, []string{"ssd", "hdd"}, []int{1, 2, 8}, 3, 40) },
		"blocks": func(dir string) error {
			return resulttest.RunOf(resulttest.Blocks(), dir, []string{"ssd"}, []int{1, 4}, 2, 20)
		},
		"measured again": again,
		"a stall": func(dir string) error {
			l := analysistest.Loop{Instances: 8, Users: 2, Seconds: 40, Service: 0.01, Frozen: func(i int) (float64, float64) { return 20, 20 + 10*float64(i%2) }}
			l.Objectives = []study.Objective{{Metric: "p99", Limit: 0.05, Text: "p99 <= 50ms"}, {Metric: "p95", Limit: 1, Text: "p95 <= 1s", Operation: "order"}}
			_, err := l.Run(dir)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			if err := make(dir); err != nil {
				t.Fatal(err)
			}
			full, err := result.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			lean, err := result.OpenWithin(dir, 0)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := analysed(t, full), analysed(t, lean); a != b {
				t.Errorf("all of it:\n%s\nlean:\n%s", a, b)
			}
			if a, b := compared(t, full), compared(t, lean); a != b {
				t.Errorf("compared, all of it:\n%s\nlean:\n%s", a, b)
			}
		})
	}
}

func analysed(t *testing.T, run *result.Run) string {
	t.Helper()
	a, err := analysis.Analyse(run, analysis.Options{Baseline: run})
	if err != nil {
		t.Fatal(err)
	}
	return inJSON(t, a)
}

func compared(t *testing.T, run *result.Run) string {
	t.Helper()
	other := *run
	other.Dir = filepath.Join(t.TempDir(), "other") // a run is not compared with itself
	if err := os.CopyFS(other.Dir, os.DirFS(run.Dir)); err != nil {
		t.Fatal(err)
	}
	c, err := compare.Runs(compare.Side{Run: run}, compare.Side{Run: &other}, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return inJSON(t, c)
}

func inJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// again makes a run with a trial that a neighbour spoiled and that was repeated.
func again(dir string) error {
	if err := resulttest.Run(dir, []string{"ssd"}, []int{1, 2}, 2, 30); err != nil {
		return err
	}
	first := filepath.Join(dir, result.TrialsDir, "ssd", "2", "1")
	if err := os.CopyFS(first+".2", os.DirFS(first)); err != nil {
		return err
	}
	if err := edit(first+".2", func(t *result.Trial) { t.ID, t.Attempt = "ssd/2/1.2", 2 }); err != nil {
		return err
	}
	return edit(first, func(t *result.Trial) {
		for i := range t.Resources {
			if r := &t.Resources[i]; r.Kind == "cpu" && r.Metric == "steal" {
				r.Mean, r.P95, r.Max = 0.3, 0.3, 0.3
			}
		}
	})
}

// edit changes a trial.json.
func edit(dir string, change func(*result.Trial)) error {
	path := filepath.Join(dir, result.TrialFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var t result.Trial
	if err := json.Unmarshal(text, &t); err != nil {
		return err
	}
	change(&t)
	if text, err = json.Marshal(t); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// The memory of a trial grows neither with its instances and their measurements, nor during
// analysis.
func TestLeanTrialsAreSmall(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := resulttest.Run(dir, []string{"ssd"}, []int{1, 64}, 2, 20); err != nil {
		t.Fatal(err)
	}
	run, err := result.OpenWithin(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := analysis.Analyse(run, analysis.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, kept := range run.Trials {
		if text := inJSON(t, kept); len(text) > 8<<10 || len(run.Trials) != 4 {
			t.Errorf("%s takes %d bytes of JSON, %d resources and %d instances", kept.ID, len(text), len(kept.Resources), len(kept.Instances))
		}
		whole, err := run.Whole(kept)
		if err != nil || len(whole.Instances) != whole.Rung || len(whole.Resources) < 20 || whole.Whole().Histogram == "" {
			t.Errorf("%s read again: %v", kept.ID, err)
		}
	}
}
