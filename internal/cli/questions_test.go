package cli

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"testing"

	"plimsoll/internal/analysis"
)

// Recorded runs of the shipped studies on a machine of two cores that was busy with other
// work answer their questions in the form that the question has. Of each run only what its
// trials sum up is kept.
func TestStudiesAnswerTheirQuestions(t *testing.T) {
	const figure = `[\d.,]+`
	runs, err := filepath.Abs("testdata/questions")
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t)
	for study, form := range map[string]string{
		"gluster-small":      "^With each measured once, per drive, “dispersed.*” did most in 3 of 4 cases and “replicated.*” in 1; in total “replicated.*” did most in 4 of 4 cases, with 36 drives for “replicated.*” and 12 drives for “dispersed.*”\\.$",
		"gluster-saturation": "^With each measured once, `replicated.*write` grows " + figure + "-fold from 1 to 8 workers, " + figure + " % of linear, to " + figure + " MB/s; `replicated.*read` grows ",
		"receive-offload":    "^With each measured once, “receive offload on” instead of “receive offload off”: with 256B, .* % Gb/s per core; with 16KiB, .* % Gb/s per core; with 64KiB, " + figure + " to " + figure + " times the Gb/s, " + figure + " to " + figure + " times that per core\\.$",
		"baseline":           "^With each measured once, `drive.*` gives " + figure + " % of what its drives are rated for, .* and `raid6.*` " + figure + " %\\. Without a rating, `memory.*` does " + figure + " MB/s",
		"gluster-video":      "^Within rate ≥ 99 % and mean ≤ 100 ms, `dispersed-cached` carries 16 to 19 streams, `dispersed-jbod` 16 to 23 and `replicated-raid6` 4 to 7\\. At 16 streams, measured once each, the mean is " + figure + " ms with `dispersed-cached` and " + figure + " ms with `dispersed-jbod`\\.$",
		"odf-postgres":       "^Within p95 ≤ 100 ms and errors ≤ 0.1 %, `tuned` carries 4 to 7 instances and `default` 2 to 3\\. At 2 instances, measured once each, `tuned` does " + figure + " times the TPS of `default`\\.$",
		"containers-ds2":     "^With each measured once, “container” instead of “bare”: −" + figure + ", −" + figure + " and −" + figure + " % OPM at 1, 2 and 4 instances; p99 rises from " + figure + " ms to " + figure + " ms at 4 instances\\.$",
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
