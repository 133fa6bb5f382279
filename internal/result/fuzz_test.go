package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The fuzz tests look for one thing: a damaged file must never panic, hang or
// take memory without bounds, whatever else it leads to.

func FuzzOpen(f *testing.F) {
	trial, err := json.Marshal(Trial{ID: "a/1/1", Rung: 1, Repetition: 1, Status: Passed, Part: Part{Operations: map[string]OperationSummary{"order": {Histogram: fromPython}}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(trial, []byte(`{"study":{"study":"x"},"trials":[{"id":"a/1/1"}]}`), []byte(`{"cores":2}`))
	f.Add([]byte(`{"rung":1e99}`), []byte(`null`), []byte(`[]`))
	f.Add([]byte(``), []byte(`{"trials":null}`), []byte("\x00"))
	f.Fuzz(func(t *testing.T, trial, plan, machine []byte) {
		dir := t.TempDir()
		for name, text := range map[string][]byte{
			filepath.Join(TrialsDir, "a", "1", "1", TrialFile): trial, PlanFile: plan, MachineFile: machine,
		} {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		run, err := Open(dir)
		if err != nil {
			t.Fatalf("a damaged run cannot be opened at all: %v", err)
		}
		if len(run.Trials)+len(run.Problems) == 0 {
			t.Error("neither a trial nor a problem")
		}
		if _, err := List(dir); err != nil {
			t.Error(err)
		}
	})
}

func FuzzRecords(f *testing.F) {
	f.Add([]byte(`{"kind":"operation","second":1,"phase":"measure","operation":"order","count":3,"histogram":"` + fromPython + `"}`))
	f.Add([]byte(`{"kind":"driver","second":2,"units":{"3":4}}` + "\n" + `{"kind":"end"}`))
	f.Add([]byte(`{"kind":"instance","instance":{"instance":-1,"histogram":"HISTFAAAAAA="}}`))
	f.Add([]byte("\n\n{\"second\":"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for range ReadRecords(bytes.NewReader(text)) { //nolint:errcheck // any error will do
		}
		path := filepath.Join(t.TempDir(), "driver-0.jsonl")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Collect([]string{path}, collectStart, "order")
		if err != nil {
			return
		}
		for _, series := range s.Series {
			if len(series.Times) != len(series.Values) {
				t.Fatalf("%s %s %s: %d times and %d values", series.Kind, series.Name, series.Metric, len(series.Times), len(series.Values))
			}
		}
	})
}

func FuzzHistogram(f *testing.F) {
	f.Add(fromPython)
	f.Add("HISTFAAAAAA=")
	f.Fuzz(func(t *testing.T, text string) {
		h, err := DecodeHistogram(text)
		if err != nil {
			return
		}
		Quantile(h, 0.5)
		MergeHistograms(text, text) //nolint:errcheck // only panics count here
	})
}

func FuzzSeries(f *testing.F) {
	var file bytes.Buffer
	w := newSeriesWriter(&file)
	err := w.write([]Series{
		{Kind: "cpu", Metric: "busy", Unit: "cores", Times: []int64{1, 2, 3}, Values: []float64{1, 2, 3}},
		{Kind: "device", Name: "loop0", Metric: "reads", Unit: "IO/s", Times: []int64{1}, Values: []float64{4}},
	})
	if err := errors.Join(err, w.close()); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Add(file.Bytes()[:file.Len()/2])
	f.Add([]byte("PAR1PAR1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := gathered(eachSeries(bytes.NewReader(data), int64(len(data))))
		if err != nil {
			return
		}
		for _, s := range all {
			s.Between(0, 10)
		}
		Summarise(all, time.UnixMilli(0), time.UnixMilli(10))
	})
}
