package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/report"
	"plimsoll/internal/result"
	"plimsoll/internal/result/resulttest"
	"plimsoll/test/quick"
)

// document reads what report --json writes.
func (s *site) document(args ...string) report.Document {
	s.T.Helper()
	code, out, errs := s.plimsoll(append([]string{"report", "--format", "json"}, args...)...)
	var d report.Document
	if err := json.Unmarshal([]byte(out), &d); code != 0 || err != nil {
		s.T.Fatalf("report %v: exit code %d, %v\n%s", args, code, err, errs)
	}
	return d
}

// made makes runs of blocks: a drive, and a pool that is named after a reference.
func (s *site) made(names ...string) {
	s.T.Helper()
	for i, name := range names {
		if err := resulttest.RunOf(resulttest.Blocks(), "runs/"+name, []string{"ssd", "hdd"}[:1+i%2], []int{1, 4, 16}, 2+i, 30); err != nil {
			s.T.Fatal(err)
		}
	}
}

// A baseline is named by the flag, as a run or a reference, or kept in the run because
// its study named one; the flag comes first.
func TestReportWithABaseline(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	s := newSite(t)
	s.made("drive", "pool")
	baseline := func(args ...string) string {
		for _, v := range s.document(args...).Analysis.Variants {
			if v.Best == nil || v.Best.Baseline == nil || v.Best.Baseline.Share <= 0 {
				return ""
			}
		}
		b := s.document(args...).Analysis.Variants[0].Best.Baseline
		return b.Run + " " + b.Variant
	}
	if got := baseline("runs/pool"); got != "" {
		t.Errorf("without a baseline: %q", got)
	}
	for flag, want := range map[string]string{"runs/drive": "synthetic ssd", "drive": "synthetic ssd", "reference/gluster-baseline": "gluster-baseline raid6, write"} {
		if got := baseline("runs/pool", "--baseline", flag); got != want {
			t.Errorf("--baseline %s: %q, want %q", flag, got, want)
		}
	}
	drive, err := result.Open("runs/drive")
	if err != nil {
		t.Fatal(err)
	}
	if err := result.KeepBaseline("runs/pool", drive); err != nil {
		t.Fatal(err)
	}
	if got := baseline("runs/pool"); got != "synthetic ssd" {
		t.Errorf("kept in the run: %q", got)
	}
	if got := baseline("runs/pool", "--baseline", "reference/gluster-baseline"); got != "gluster-baseline raid6, write" {
		t.Errorf("the flag beside what is kept: %q", got)
	}
	if code, out, _ := s.plimsoll("report", "runs/pool"); code != 0 || !strings.Contains(out, "of synthetic") {
		t.Errorf("the terminal does not show the fraction: exit code %d\n%s", code, out)
	}
}

// Another run, or a published result, stands in the report with its differences.
func TestReportAgainstAnother(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	s := newSite(t)
	s.made("before", "after")
	d := s.document("runs/after", "--against", "runs/before")
	if len(d.Analysis.Against) != 1 || d.Analysis.Against[0].Name != "runs/before" || d.Analysis.Against[0].InShape || len(d.Analysis.Against[0].Counterparts) != 1 {
		t.Fatalf("%+v", d.Analysis.Against)
	}
	if apart := strings.Join(d.Analysis.Against[0].Apart, " "); !strings.Contains(apart, "`runs/before` has no counterpart of `hdd`.") {
		t.Errorf("apart: %s", apart)
	}
	if d := s.document("runs/after", "--against", "before:ssd"); len(d.Analysis.Against) != 1 {
		t.Errorf("one variant: %+v", d.Analysis.Against)
	}
	if d := s.document("reference/cns-ds3", "--against", "reference/cns-ds3:hdd"); len(d.Analysis.Against) != 1 || d.Analysis.Against[0].InShape {
		t.Errorf("two published results: %+v", d.Analysis.Against)
	}
	for format, want := range map[string]string{
		"text": "Against runs/before", "markdown": "## Against runs/before", "html": `"name":"runs/before"`,
	} {
		if code, out, errs := s.plimsoll("report", "runs/after", "--against", "runs/before", "-f", format, "-o", "-"); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: exit code %d, %q is missing\n%s", format, code, want, errs)
		}
	}
	if code, out, errs := s.plimsoll("report", "runs/after", "--against", "runs/before", "-f", "csv", "--table", "against"); code != 0 || !strings.Contains(out, "synthetic,ssd,4,runs/before,ssd,throughput,") {
		t.Errorf("csv: exit code %d\n%s%s", code, out, errs)
	}
}

func TestWhatIsMissingOrUnlikeIsSaid(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	s := newSite(t)
	s.made("after")
	if err := resulttest.RunOf(resulttest.Transactions(), "runs/others", []string{"ssd"}, []int{1, 4}, 2, 30); err != nil {
		t.Fatal(err)
	}
	if err := resulttest.RunOf(resulttest.Blocks(), "runs/elsewhere", []string{"ssd"}, []int{2, 8}, 2, 30); err != nil {
		t.Fatal(err)
	}
	s.Write("based.yaml", small+"baseline: runs/gone\n")
	for args, want := range map[string]string{
		"report runs/after --baseline runs/gone":           "open the baseline: open run runs/gone: nothing is there",
		"report runs/after --baseline reference/gluster-b": `did you mean "gluster-`,
		"run based.yaml --runs runs --no-fetch":            "open the baseline: open run runs/gone: nothing is there",
		"report runs/after --against runs/gone":            "open what --against names: open run runs/gone: nothing is there",
		"report runs/after --against reference/cns-ds4":    `did you mean "cns-ds`,
		"report runs/after --against runs/others":          "one side counts transactions in TPS and the other blocks",
		"report runs/after --against runs/elsewhere":       "no rung in common",
		"report runs/after --against runs/others:hdd":      `run others has no variant "hdd"`,
	} {
		code, out, errs := s.plimsoll(strings.Fields(args)...)
		if code != command.ExitUsage || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, want %q:\n%s%s", args, code, want, out, errs)
		}
	}
}

func TestFlagsThatNameARunAreCompleted(t *testing.T) {
	s := newSite(t)
	s.made("after")
	for _, flag := range []string{"--against", "--baseline"} {
		for typed, want := range map[string]string{"": "runs/after", "reference/gluster-b": "reference/gluster-baseline"} {
			if code, out, _ := s.plimsoll("__complete", "report", flag, typed); code != 0 || !strings.Contains(out, want) {
				t.Errorf("%s %s: %q is missing in %q", flag, typed, want, out)
			}
		}
	}
}

// A run held against itself differs in nothing, which says nothing of it.
func TestARunIsNotComparedWithItself(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	s := newSite(t)
	s.made("drive", "pool")
	if err := os.Symlink("drive", "runs/also"); err != nil {
		t.Fatal(err)
	}
	for _, sides := range [][2]string{{"drive", "runs/drive"}, {"drive", "also"}, {"drive:ssd", "drive:ssd"}, {"reference/cns-ds2", "reference/cns-ds2"}} {
		code, out, errs := s.plimsoll("compare", sides[0], sides[1])
		if code != command.ExitUsage || out != "" || !strings.Contains(errs, "A and B are the same: "+sides[0]) {
			t.Errorf("%v: code %d: %s%s", sides, code, out, errs)
		}
	}
	if code, _, errs := s.plimsoll("compare", "drive", "pool"); strings.Contains(errs, "the same") {
		t.Errorf("code %d: %s", code, errs)
	}
}

// While a run goes on, missing trials are still to come: in every format.
func TestReportOfARunThatGoesOn(t *testing.T) {
	s := newSite(t)
	s.made("drive")
	run, err := rundir.Claim("runs/drive")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll("runs/drive/trials/ssd/16/2"); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll("runs/drive/trials/ssd/16/1/trial.json"); err != nil {
		t.Fatal(err)
	}
	_, out, errs := s.plimsoll("report", "drive")
	if !strings.Contains(out, "running\n") || !strings.Contains(out, "the run goes on: 2 of 6 planned trials are still to come") || strings.Contains(out, "never finished") || strings.Contains(out, "missing from the run") {
		t.Errorf("%s%s", out, errs)
	}
	run.Release()
	if _, out, errs = s.plimsoll("report", "drive"); !strings.Contains(out, "never finished") {
		t.Errorf("%s%s", out, errs)
	}
}

// Show prints the labels that reports use, along with the names of the trials.
func TestShowHasLabels(t *testing.T) {
	runs := unpacked(t, recorded)
	s := newSite(t)
	for _, dir := range runs {
		_, out, errs := s.plimsoll("show", dir)
		want := map[string]string{"database": "TRIAL      STATE", "files": "replicated-operation-read/4/1      replica 3, read", "network": "receive offload on, 64KiB   passed"}[filepath.Base(dir)]
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s%s", want, out, errs)
		}
	}
}
