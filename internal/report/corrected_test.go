package report

import (
	"bytes"
	"encoding/csv"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/report/tables"
	"plimsoll/internal/study"
)

// The corrected times, which include stalls, are shown next to the recorded ones and
// labelled.
func TestCorrectedTimesStandBesideTheRecorded(t *testing.T) {
	for _, stalled := range []bool{true, false} {
		l := analysistest.Loop{Instances: 1, Users: 4, Seconds: 12, Service: 0.004, Objectives: []study.Objective{{Metric: "p99", Limit: 0.05, Text: "p99 <= 50ms"}}}
		if stalled {
			l.Frozen = func(int) (float64, float64) { return 4, 9 }
		}
		run, err := l.Run(filepath.Join(t.TempDir(), "run"))
		if err != nil {
			t.Fatal(err)
		}
		a, err := analysis.Analyse(run, analysis.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var markdown, terminal, operations, text bytes.Buffer
		if err := errors.Join(tables.CSV(&operations, a, "operations"), tables.CSV(&text, a, "rungs")); err != nil {
			t.Fatal(err)
		}
		rungs, err := csv.NewReader(&text).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if at := slices.Index(rungs[0], "p99_corrected_s"); at < 0 || (rungs[1][at] != "") != stalled {
			t.Errorf("stalled %v: the table of rungs is\n%v", stalled, rungs)
		}
		if err := Markdown(&markdown, a); err != nil {
			t.Fatal(err)
		}
		if err := Terminal(&terminal, a, 120, false); err != nil {
			t.Fatal(err)
		}
		for name, out := range map[string]string{"markdown": markdown.String(), "terminal": terminal.String(), "csv": operations.String()} {
			if got := strings.Contains(out, "p99 corrected"); got != stalled {
				t.Errorf("%s, stalled %v: p99 corrected %v in\n%s", name, stalled, got, out)
			}
		}
	}
}
