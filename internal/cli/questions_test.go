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
		"gluster-small":      "^With each measured once, per drive, “dispersed.*” did most in 3 of 4 cases and “replicated.*” in 1; in total “replicated.*” did most in 4 of 4 cases, with 36 drives for “replicated.*” and 12 drives for “dispersed.*”\\.$",
		"gluster-saturation": "^With each measured once, `replicated.*write` grows " + figure + "-fold from 1 to 8 workers, " + figure + " % of linear, to " + figure + " MB/s; `replicated.*read` grows ",
		"receive-offload":    "^The driver and its sink shared one machine, so no network between machines carried the streams\\. With each measured once, “receive offload on” instead of “receive offload off”: with 256B \\(remote and local\\), .* % Gb/s per core; with 16KiB \\(remote and local\\), .* % Gb/s per core; with 64KiB \\(remote and local\\), " + figure + " and " + figure + " times the Gb/s, " + figure + " and " + figure + " times that per core\\.$",
		"baseline":           "^With each measured once, `drive.*` gives " + figure + " % of what its drives are rated for, .* and `raid6.*` " + figure + " %\\. Without a rating, `memory.*` does " + figure + " MB/s",
		"gluster-video":      "^Within rate ≥ 99 % and mean ≤ 100 ms, `dispersed-cached` carries 16 to 19 streams, `dispersed-jbod` 16 to 23 and `replicated-raid6` 4 to 7\\. At 16 streams, measured once each, the mean is " + figure + " ms with `dispersed-cached` and " + figure + " ms with `dispersed-jbod`\\.$",
		"desktops":           "^Within interactive p95 ≤ 300 ms, storage p95 ≤ 1 s, start p95 ≤ 2 s and errors ≤ 0.1 %, `ssd` carries at least 48 sessions and `hdd` 12 to 15 .*\\. At 8 sessions, measured once each, `ssd` does " + figure + " % more actions/min than `hdd`\\.$",
		"odf-postgres":       "^Within p95 ≤ 100 ms and errors ≤ 0.1 %, `tuned` carries 4 to 7 instances and `default` 2 to 3\\. At 2 instances, measured once each, `tuned` does " + figure + " times the TPS of `default`\\.$",
		"odf-tpcds":          "^No level is shown to do most: " + figure + " queries/h \\(range .*\\) with “hard disk” and " + figure + " queries/h \\(range .*\\) with “solid-state drive”\\.$",
		"power-cut":          "^`lying` did not come back after its fault in 1 of 1 trial \\(2\\.5–100 %\\) and the other 2 kept all\\.",
		"containers-ds2":     "^With each measured once, “container” instead of “bare”: −" + figure + ", −" + figure + " and −" + figure + " % OPM at 1, 2 and 4 instances\\.$",
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
