package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/result"
	"plimsoll/internal/result/resulttest"
	"plimsoll/test/quick"
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
	s.Write("study.yaml", "study: \"\x1b[2J\"\nx: \x1b]0;owned\x07\n")
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
	victim := s.Write("victim", "not a report")
	if err := os.Symlink(victim, filepath.Join(dir, result.ReportFile)); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := s.plimsoll("report", dir, "--format", "html"); code != command.ExitFailure || !strings.Contains(errs, "a link that points outside") {
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

// A pipe in the place of any file or directory of a run, a sparse file of a terabyte, and a
// number that no file of ours has, keep no command waiting, and do not hide the other run.
func TestReceivedRunWithWhatHasNoEnd(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	s := newSite(t)
	good := filepath.Join("runs", "good")
	if err := resulttest.Run(good, []string{"ssd"}, []int{1}, 1, 3); err != nil {
		t.Fatal(err)
	}
	trial := filepath.Join("trials", "ssd", "1", "1")
	for _, name := range []string{
		result.JournalFile, result.PlanFile, result.MachineFile, result.StudyFile, "lock", result.ReportFile, result.TrialsDir, "trials/ssd", "trials/ssd/1", trial,
		filepath.Join(trial, result.TrialFile), filepath.Join(trial, result.RecordsFile), filepath.Join(trial, result.TelemetryFile), filepath.Join(trial, result.AuditFile), filepath.Join(trial, result.LogsDir),
	} {
		for kind, make := range map[string]func(path string) error{
			"pipe": func(path string) error { return syscall.Mkfifo(path, 0o600) },
			"sparse": func(path string) error {
				return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<40))
			},
		} {
			bad := filepath.Join("runs", "bad")
			if err := errors.Join(os.RemoveAll(bad), os.CopyFS(bad, os.DirFS(good)), os.RemoveAll(filepath.Join(bad, name)), make(filepath.Join(bad, name))); err != nil {
				t.Fatal(err)
			}
			for _, args := range []string{"list", "show runs/bad", "report runs/bad --format html -o o.html", "clean runs/bad", "compare runs/bad runs/good"} {
				code, out, errs := s.plimsoll(strings.Fields(args)...)
				if code == command.ExitMistake || args == "list" && !strings.Contains(out, "good") {
					t.Errorf("%s in the place of %s: %s: exit code %d: %s%s", kind, name, args, code, out, errs)
				}
			}
		}
	}
}

// Numbers of a received run that nobody measured are named with file and field.
func TestReceivedRunWithNumbersOutOfRange(t *testing.T) {
	s := newSite(t)
	dir := received(t)
	trial := filepath.Join(result.TrialDir(dir, "ssd/2/1"), result.TrialFile)
	whole, err := os.ReadFile(trial)
	if err != nil {
		t.Fatal(err)
	}
	for by, want := range map[string]string{
		`"behind": [{"text": "late", "figures": [{"at": 9223372036854775807, "length": 4, "value": 1}], "seconds": 9e6}]`: "behind[0].figures[0].at is 9223372036854775807",
		`"ramp_seconds": 1e300`:             "ramp_seconds is 1e+300",
		`"ended": "9999-01-01T00:00:00Z"`:   "ended is 9999",
		`"unfinished": 9223372036854775807`: "unfinished is 9223372036854775807",
	} {
		s.Write(trial, strings.TrimSuffix(strings.TrimSpace(string(whole)), "}")+", "+by+"}")
		code, out, errs := s.plimsoll("show", dir)
		if said := strings.Join(strings.Fields(out+errs), " "); code != 0 || !strings.Contains(said, "trials/ssd/2/1/trial.json") || !strings.Contains(said, want) {
			t.Errorf("%q is missing: exit code %d\n%s", want, code, said)
		}
		if code, out, _ := s.plimsoll("list"); code != 0 || !strings.Contains(out, "received") {
			t.Errorf("list: exit code %d\n%s", code, out)
		}
	}
	s.Write(trial, strings.TrimSuffix(strings.TrimSpace(string(whole)), "}")+`, "behind": [{"text": "late", "figures": [{"at": 1, "length": 2, "value": 1}], "seconds": 5}]}`)
	if code, out, _ := s.plimsoll("show", dir); code != 0 || strings.Contains(out, "trial.json") {
		t.Errorf("a figure within its text is refused: exit code %d\n%s", code, out)
	}
}

// A panic of a command names what was being done, asks for a report and has a code of its own.
func TestAPanicIsReported(t *testing.T) {
	s := newSite(t)
	state := s.State()
	var errs strings.Builder
	state.Stderr = &errs
	root := &cobra.Command{Use: "plimsoll", SilenceErrors: true, RunE: func(*cobra.Command, []string) error {
		var none []int
		return fmt.Errorf("%d", none[len(errs.String())])
	}}
	root.SetArgs([]string{})
	err := execute(t.Context(), root, []string{"report", "runs/x"})
	if code := fail(state, err); code != command.ExitMistake || !strings.Contains(errs.String(), "plimsoll report runs/x: a mistake in Plimsoll itself") || !strings.Contains(errs.String(), "report it") || !strings.Contains(errs.String(), "hostile_test.go") {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
}

// What clean and resume write into a run does not go through links out of it.
func TestReceivedRunWithLinksToWriteThrough(t *testing.T) {
	for _, name := range []string{result.JournalFile, "lock"} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			dir := received(t)
			victim := s.Write("victim", "mine\n")
			s.Write(filepath.Join(dir, result.JournalFile), "")
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
	quick.Skip(t, quick.Seconds)
	s := newSite(t)
	dir := received(t)
	for _, text := range []string{"null", "{}", "[]", `{"study": null}`, `{"study": {}, "variants": [null], "trials": [null]}`, "\ufeffnull", "1"} {
		s.Write(filepath.Join(dir, result.PlanFile), text)
		for _, args := range []string{"list", "show runs/received", "report runs/received", "compare runs/received runs/received", "run --resume runs/received", "run --resume received", "clean runs/received"} {
			code, out, errs := s.plimsoll(strings.Fields(args)...)
			if resume := strings.Contains(args, "--resume"); resume && (code != command.ExitUsage || !strings.Contains(errs, "plan.json")) {
				t.Errorf("%s of %s: exit code %d\n%s%s", args, text, code, out, errs)
			}
		}
	}
}
