package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/result/resulttest"
)

// Each command that reads a run gives the same error for a path that is none: what was found
// there, and which run may have been meant.
func TestWhatIsNoRunIsSaid(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"runs/first", "elsewhere/one"} {
		if err := resulttest.Run(name, []string{"ssd"}, []int{1, 4}, 1, 5); err != nil {
			t.Fatal(err)
		}
	}
	s.Write("small.yaml", small)
	s.Write("notes.txt", "study of nothing\n")
	for _, dir := range []string{"empty", "other"} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.Write(filepath.Join("other", "text"), "x")
	const list = "plimsoll list --runs runs shows all"
	for path, want := range map[string][]string{
		"nosuch":                     {"nothing is there, nor at runs/nosuch", "the newest run is runs/first; " + list},
		"runs/frist":                 {"nothing is there", `did you mean "runs/first"?`},
		"notes.txt":                  {"it is a file, and a run is a directory", list},
		"small.yaml":                 {"it is a file, and a run is a directory", "it is a study; to measure it: plimsoll run small.yaml"},
		"quickstart":                 {"nothing is there", "it is a study; to measure it: plimsoll run quickstart"},
		"empty":                      {"the directory is empty", list},
		"other":                      {"it is no run: it has neither plan.json nor trials/", list},
		"elsewhere":                  {"it is no run", "it holds 1 run, the newest is elsewhere/one"},
		"runs/first/plan.json":       {"it is a file", "it is part of the run"},
		"runs/first/trials/ssd":      {"it is no run", "it is part of the run"},
		"runs/first/trials/ssd/none": {"nothing is there", list},
	} {
		for _, line := range []string{"report", "why", "show", "export", "ask-for-help", "compare runs/first", "run --resume", "clean", "report runs/first --against", "report runs/first --baseline"} {
			code, _, errs := s.plimsoll(append(strings.Fields(line), path)...)
			errs = strings.Join(strings.Fields(errs), " ")
			for _, w := range append(want, "open run "+path+": ") {
				if code != command.ExitUsage || !strings.Contains(errs, w) {
					t.Errorf("%s %s: exit code %d, %q is missing in: %s", line, path, code, w, errs)
				}
			}
		}
	}
	if code, _, errs := s.plimsoll("serve", "runs/first"); code != command.ExitUsage || !strings.Contains(errs, "runs/first is a run, and not a directory that holds some") {
		t.Errorf("serve: exit code %d: %s", code, errs)
	}
	for _, args := range []string{"show first", "show runs/first", "show runs/first/", "report first"} { // which are runs
		if code, _, errs := s.plimsoll(strings.Fields(args)...); code != 0 {
			t.Errorf("%s: exit code %d: %s", args, code, errs)
		}
	}
}

// A directory of the name of a run does not hide the run.
func TestADirectoryDoesNotHideTheRunOfItsName(t *testing.T) {
	s := newSite(t)
	if err := resulttest.Run("runs/same", []string{"ssd"}, []int{1}, 1, 5); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("same", 0o755); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := s.plimsoll("show", "same"); code != 0 {
		t.Errorf("exit code %d: %s", code, errs)
	}
}
