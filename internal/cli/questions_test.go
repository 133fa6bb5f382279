package cli

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/test/quick"
)

// Recorded runs of the shipped studies on a machine of two cores that was busy with other
// work answer their questions in the form that the question has. Of each run only what its
// trials sum up is kept, and of odf-tpcds the telemetry.
func TestStudiesAnswerTheirQuestions(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	const figure = `[\d.,]+`
	runs, err := filepath.Abs("testdata/questions")
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t)
	for study, form := range map[string]string{
		"gluster-small":      "^Per drive, “dispersed.*” did most in 3 of 4 cases and “replicated.*” in 1\\. In total “replicated.*” did most in 4 of 4 cases \\(36 drives against 12\\)\\. Measured once: chance is not excluded\\. CPU of the machine, " + figure + " % busy, limits ",
		"gluster-saturation": "^All 4 variants grow with the ladder, 1\\.3- to 2\\.2-fold\\. Measured once: chance is not excluded\\. Disk loop\\d+ of peer\\d, at " + figure + " % or more, limits replicated.*\\. .* limits the other 2\\.$",
		"receive-offload":    "^“receive offload on” instead of “receive offload off”: with 256B, .* % Gb/s, .* % per core\\. With 16KiB, .* % Gb/s, .* % per core\\. With 64KiB, " + figure + "–" + figure + " times the Gb/s, " + figure + "–" + figure + " times that per core\\. Measured once: ",
		"baseline":           "^`drive.*` gives " + figure + " % of its drives' rating, .* and `raid6.*` " + figure + " %\\. Not rated: " + figure + " MB/s with `memory",
		"gluster-video":      "^Within both objectives, `dispersed-cached` carries 16 to 19 streams, `dispersed-jbod` 16 to 23 and `replicated-raid6` 4 to 7\\. Measured once: chance is not excluded\\. .* limits `replicated-raid6`\\. .* limits the other 2\\.$",
		"desktops":           "^Within all 4 objectives, `ssd` carries at least 48 sessions and `hdd` 12 to 15 .*\\. 1 to 4 repetitions leave both open\\. At 8 sessions, `ssd` does " + figure + " % more actions/min than `hdd`\\. Disk .*, limits `hdd`\\.",
		"odf-postgres":       "^Within p95 ≤ 100 ms and errors ≤ 0.1 %, `tuned` carries 4 to 7 instances and `default` 2 to 3\\. Measured once: chance is not excluded\\. At 2 instances, `tuned` does " + figure + " times the TPS of `default`\\.",
		"odf-tpcds":          "^Undecided: " + figure + " queries/h with “hard disk” and " + figure + " with “solid-state drive”, but the repetitions of each differ too much among themselves\\. 2 repetitions each\\.",
		"power-cut":          "^`lying` did not come back after its fault in 1 of 1 trial \\(2\\.5–100 %\\)\\. The other 2 kept all\\. Where it came back, recovery took at most ",
		"containers-ds2":     "^“container” instead of “bare”: −" + figure + ", −" + figure + " and −" + figure + " % OPM at 1, 2 and 4 instances\\. Measured once: ",
	} {
		dir := filepath.Join(t.TempDir(), study)
		if err := unpack(filepath.Join(runs, study+".tar.gz"), dir); err != nil {
			t.Fatalf("%s: %v", study, err)
		}
		var a analysis.Analysis
		if err := json.Unmarshal([]byte(s.reported(dir)), &struct {
			Analysis *analysis.Analysis `json:"analysis"`
		}{&a}); err != nil {
			t.Fatalf("%s: %v", study, err)
		}
		if !regexp.MustCompile(form).MatchString(a.Headline) {
			t.Errorf("%s:\n%s\nis not of the form\n%s", study, a.Headline, form)
		}
	}
}

// A recorded run of queries tells what was busy during those that lasted for several samples,
// and bounds what a faster store would give. Nothing is called bound by anything: others took
// most of the CPU.
func TestRecordedQueriesAreTabled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "odf-tpcds")
	if err := unpack("testdata/questions/odf-tpcds.tar.gz", dir); err != nil {
		t.Fatal(err)
	}
	s := newSite(t)
	var a analysis.Analysis
	if err := json.Unmarshal([]byte(s.reported(dir)), &struct {
		Analysis *analysis.Analysis `json:"analysis"`
	}{&a}); err != nil {
		t.Fatal(err)
	}
	if len(a.Lists) != 1 || len(a.Lists[0].Rows) != 4 || a.Lists[0].Common != 4 {
		t.Fatalf("%+v", a.Lists)
	}
	for at, c := range a.Lists[0].Columns {
		if c.Storage == nil || c.Storage.Faster <= 1 || c.Geometric.Value <= 0 || c.Total.Value <= c.Geometric.Value {
			t.Errorf("%+v", c)
		}
		told := 0
		for _, r := range a.Lists[0].Rows {
			if b := r.Cells[at].Busy; b != nil {
				told++
				if b.Samples < 3 || b.Storage == nil || b.CPU == nil || b.Others < 0.5 || b.Bound != "" {
					t.Errorf("%s of %s: %+v", r.Name, c.Variant, b)
				}
			}
		}
		if told == 0 || told+c.Short != 4 {
			t.Errorf("%d queries of %s are told of, and %d are too short", told, c.Variant, c.Short)
		}
	}
}
