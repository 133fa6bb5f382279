package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"plimsoll/internal/result"
	"plimsoll/internal/result/resulttest"
)

// received makes a run directory as it may come from elsewhere.
func received(t *testing.T) string {
	t.Helper()
	dir := filepath.Join("runs", "received")
	if err := resulttest.Run(dir, []string{"ssd", "hdd"}, []int{1, 2, 4}, 2, 20); err != nil {
		t.Fatal(err)
	}
	return dir
}

func replaceIn(t *testing.T, path string, pairs ...string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.NewReplacer(pairs...).Replace(string(text))
	if changed == string(text) {
		t.Fatalf("%s holds none of %q", path, pairs)
	}
	if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Names and titles of a received run, and of a study, do not command the
// terminal, whatever shows them.
func TestControlCharactersDoNotReachTheTerminal(t *testing.T) {
	s := newSite(t)
	dir := received(t)
	const escape = `\u001b]0;owned\u0007\u001b[2J\u009b1A`
	replaceIn(t, filepath.Join(dir, result.PlanFile), "A synthetic run", escape, "How many instances", escape)
	trial := filepath.Join(result.TrialDir(dir, "ssd/2/1"), result.TrialFile)
	replaceIn(t, trial, `"status": "passed"`, `"status": "failed", "failure": {"stage": "drive", "cause": "`+escape+`", "log": "`+escape+`"}`)
	s.write("study.yaml", "study: \"\x1b[2J\"\nx: \x1b]0;owned\x07\n")
	for _, args := range []string{
		"list", "list --json", "show runs/received", "show runs/received ssd/2/1", "report runs/received", "report runs/received --format markdown",
		"report runs/received --format csv --table trials", "plan study.yaml", "plan \x1b[2J", "\x1b[2J",
	} {
		_, out, errs := s.plimsoll(strings.Split(args, " ")...)
		if i := strings.IndexAny(out+errs, "\x1b\x07\u009b"); i >= 0 || out+errs == "" {
			t.Errorf("%q prints a control character at %d of %q", args, i, out+errs)
		}
	}
	if _, out, _ := s.plimsoll("report", dir); !strings.Contains(out, `\u001b]0;owned`) {
		t.Errorf("the title is not shown:\n%s", out)
	}
}

// Files of a received run that are none, or links to elsewhere, neither hang
// nor mislead the commands that read it.
func TestReceivedRunWithPipesAndLinks(t *testing.T) {
	s := newSite(t)
	dir := received(t)
	victim := s.write("victim", "not a report")
	if err := os.Symlink(victim, filepath.Join(dir, result.ReportFile)); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := s.plimsoll("report", dir, "--format", "html"); code != exitFailure || !strings.Contains(errs, "a link that points outside") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if text, err := os.ReadFile(victim); err != nil || string(text) != "not a report" {
		t.Errorf("the report went through a link: %.50q, %v", text, err)
	}
	for i, name := range []string{result.PlanFile, result.MachineFile, filepath.Join(result.TrialsDir, "ssd", "1", "1", result.TrialFile)} {
		path := filepath.Join(dir, name)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		for args, want := range map[string]string{
			"list": "damaged: plan.json is a pipe", "show runs/received": "is a pipe", "report runs/received": "",
			fmt.Sprintf("run --resume %s", dir): "plan.json is a pipe",
		} {
			if _, out, errs := s.plimsoll(strings.Fields(args)...); !strings.Contains(out+errs, want) {
				t.Errorf("%d pipes, %s: %q is missing in\n%s%s", i+1, args, want, out, errs)
			}
		}
	}
}

// What clean and resume write into a run does not go through links out of it.
func TestReceivedRunWithLinksToWriteThrough(t *testing.T) {
	for _, name := range []string{result.JournalFile, "lock"} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			dir := received(t)
			victim := s.write("victim", "mine\n")
			s.write(filepath.Join(dir, result.JournalFile), "")
			_ = os.Remove(filepath.Join(dir, name))
			if err := os.Symlink(victim, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
			for _, args := range []string{"clean " + dir, "run --force --resume " + dir} { // its study is none, so that without --force it would be refused before
				if code, out, errs := s.plimsoll(strings.Fields(args)...); code == 0 || !strings.Contains(out+errs, "a link that points outside") {
					t.Errorf("%s: exit code %d\n%s%s", args, code, out, errs)
				}
			}
			if text, err := os.ReadFile(victim); err != nil || string(text) != "mine\n" {
				t.Errorf("something was written through a link: %q, %v", text, err)
			}
		})
	}
}

// A plan of null, of nothing, or of another shape ends no command in a panic.
func TestPlanThatIsNone(t *testing.T) {
	s := newSite(t)
	dir := received(t)
	for _, text := range []string{"null", "{}", "[]", `{"study": null}`, `{"study": {}, "variants": [null], "trials": [null]}`, "\ufeffnull", "1"} {
		s.write(filepath.Join(dir, result.PlanFile), text)
		for _, args := range []string{"list", "show runs/received", "report runs/received", "compare runs/received runs/received", "run --resume runs/received", "run --resume received", "clean runs/received"} {
			code, out, errs := s.plimsoll(strings.Fields(args)...)
			if resume := strings.Contains(args, "--resume"); resume && (code != exitUsage || !strings.Contains(errs, "plan.json")) {
				t.Errorf("%s of %s: exit code %d\n%s%s", args, text, code, out, errs)
			}
		}
	}
}
