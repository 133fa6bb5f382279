package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
)

// What an experiment showed of a prediction is in the report, in the list and in why.
func TestPredictionsHaveAScore(t *testing.T) {
	s := newSite(t)
	if err := os.Mkdir("runs", 0o755); err != nil {
		t.Fatal(err)
	}
	faster := analysistest.OfDisk
	faster.Faster = 2
	const name, alone = "20261125-101500-disk", "20261125-111500-alone"
	for dir, run := range map[string]error{
		name:                analysistest.WriteRun(filepath.Join("runs", name), analysistest.AtRate(analysistest.OfDisk, 1, "", ""), nil),
		name + "-confirm-1": analysistest.WriteRun(filepath.Join("runs", name+"-confirm-1"), analysistest.Experiment("storage.v.write_rate", "100MB/s", "200MB/s", analysistest.OfDisk, faster), nil),
		alone:               analysistest.WriteRun(filepath.Join("runs", alone), analysistest.AtRate(analysistest.OfDisk, 1, "", ""), nil),
	} {
		if run != nil {
			t.Fatalf("%s: %v", dir, run)
		}
	}
	const line = "1 of 1 tested prediction held."
	for _, arguments := range [][]string{{"report"}, {"report", "-f", "markdown"}, {"why"}} {
		if code, out, errs := s.plimsoll(append(arguments, "runs/"+name)...); code != 0 || !strings.Contains(out, line) || !strings.Contains(out, "with storage.v.write_rate at 200MB/s instead of 100MB/s") {
			t.Errorf("%v: code %d: %s%s", arguments, code, out, errs)
		}
		if _, out, _ := s.plimsoll(append(arguments, "runs/"+alone)...); strings.Contains(out, "prediction held") {
			t.Errorf("%v: without an experiment: %s", arguments, out)
		}
	}
	var doc struct{ Analysis analysis.Analysis }
	if err := json.Unmarshal([]byte(s.reported("runs/"+name)), &doc); err != nil || doc.Analysis.Score == nil || doc.Analysis.Score.Held != 1 {
		t.Errorf("%v: %+v", err, doc.Analysis.Score)
	}
	var all []struct {
		Name        string
		Predictions *struct{ Held, Missed, Untested int }
	}
	_, out, _ := s.plimsoll("list", "--json")
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if (r.Predictions != nil) != (r.Name == name) || r.Predictions != nil && (r.Predictions.Held != 1 || r.Predictions.Missed != 0) {
			t.Errorf("%+v", r)
		}
	}
	if _, out, _ := s.plimsoll("list"); !strings.Contains(out, "1 of 1 tested prediction of 1 run held.") {
		t.Error(out)
	}
}
