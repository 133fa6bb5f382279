package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/command/commandtest"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/result/resulttest"
	"plimsoll/test/quick"
)

// site is a bare directory with a command line in it.
type site struct{ *commandtest.Site }

func newSite(t *testing.T) *site { return &site{commandtest.New(t)} }

// plimsoll runs a command line in this process.
func (s *site) plimsoll(args ...string) (code int, stdout, stderr string) {
	s.T.Helper()
	var out, errs bytes.Buffer
	state := s.State()
	state.Stdout, state.Stderr = &out, &errs
	code = Main(state, args)
	return code, out.String(), errs.String()
}

const small = commandtest.Small

// Every mistake ends with its code and words that help, on standard error and
// nothing else; with --json, as one JSON value on standard output.
func TestMistakes(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	s := newSite(t)
	s.Write("small.yaml", small)
	s.Write("typo.yaml", strings.Replace(small, "dvdstore", "dvdstroe", 1))
	s.Write("unit.yaml", strings.Replace(small, "256MiB", "256MBi", 1))
	s.Write("negative.yaml", strings.Replace(small, "[1, 2]", "[1, -2]", 1))
	s.Write("empty.yaml", "")
	s.Write("broken.yaml", "a: [")
	s.Write("nowhere.yaml", strings.Replace(small, "path: memory", "path: "+filepath.Join(s.Dir, "no-such-directory"), 1))
	s.Write("bare.yaml", strings.Replace(demand, "40GB", "10", 1))
	s.Write("file", "a file, not a directory")
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"foo", 2, `unknown command "foo"`},
		{"help nosuch", 2, `unknown command "nosuch"`},
		{"help run quickstart", 2, `unknown command "quickstart"`},
		{"run small.yaml --work file", 3, "choose another place with --work"},
		{"run small.yaml --cache file/below", 3, "choose another place with --cache"},
		{"runn quickstart", 2, "did you mean: plimsoll run"},
		{"--bogus", 2, "unknown flag: --bogus"},
		{"plan --bogus small.yaml", 2, "plimsoll plan --help"},
		{"plan", 2, "plan takes 1 argument, not 0"},
		{"plan a b", 2, "plan takes 1 argument, not 2"},
		{"doctor please", 2, "doctor takes no arguments, not 1"},
		{"show a b c", 2, "show takes at most 2 arguments, not 3"},
		{"plan nosuch", 2, "built-in studies: "},
		{"plan nosuch/study.yaml", 2, "no such file"},
		{"plan .", 2, "is a directory"},
		{"plan typo.yaml", 2, `did you mean "dvdstore"?`},
		{"plan unit.yaml", 2, "unit.yaml:3:33"},
		{"plan negative.yaml", 2, "a rung must be 1 to 100,000, got -2"},
		{"plan empty.yaml", 2, "the file is empty"},
		{"plan broken.yaml", 2, "not valid YAML"},
		{"plan small.yaml --profile laptop", 2, `unknown profile "laptop"`},
		{"run", 2, "give a study, or --resume RUN"},
		{"run nosuch", 2, "built-in studies: "},
		{"run nowhere.yaml", 3, "no-such-directory"},
		{"run small.yaml --runs file", 3, "choose another place with --runs"},
		{"run small.yaml --error-limit 2", 2, "--error-limit must be 0 to 1, got 2"},
		{"run small.yaml --error-limit many", 2, "--error-limit"},
		{"run small.yaml --min-grade G", 2, "--min-grade must be A, B, C, D, E or F, got "},
		{"run small.yaml --resume runs/x", 2, "do not give a study"},
		{"run --resume runs/x", 2, "open run runs/x: nothing is there"},
		{"report", 2, "plimsoll demo makes one"},
		{"report --runs file", 2, "file is a file, and runs are in a directory"},
		{"list --runs file", 2, "file is a file, and runs are in a directory"},
		{"clean --runs file", 2, "file is a file, and runs are in a directory"},
		{"export --runs file", 2, "file is a file, and runs are in a directory"},
		{"serve file", 2, "file is a file, and runs are in a directory"},
		{"serve nosuch", 2, "there is no directory nosuch"},
		{"report nosuch", 2, "open run nosuch: nothing is there, nor at runs/nosuch"},
		{"report reference/nosuch", 2, "cns-ds2"},
		{"report reference/cns-ds2 --format pdf", 2, `unknown format "pdf"`},
		{"report reference/cns-ds2 --table rungs", 2, "--format csv"},
		{"report reference/cns-ds2 --format csv --table nosuch", 2, "operations"},
		{"report reference/cns-ds2 -o no/such/file", 1, "no/such/file"},
		{"show reference/cns-ds2 nosuch/1/1", 2, "plimsoll show reference/cns-ds2 lists its trials"},
		{"compare a b", 2, "open run a: nothing is there"},
		{"compare reference/cns-ds2:nosuch reference/cns-ds2", 2, `no variant "nosuch"; it has hdd-4`},
		{"compare reference/cns-ds2 reference/cns-ds2 --alpha 7", 2, "between 0 and 1"},
		{"compare reference/cns-ds2 reference/cns-ds2 --fail-if p95>5", 2, "is not a condition"},
		{"size nosuch.yaml", 2, "no such file"},
		{"size .", 2, "is a directory"},
		{"size small.yaml", 2, "is the study "},
		{"size nosuch.yaml", 2, "plimsoll size --help shows one"},
		{"probe file", 2, "probe file: it is not a directory"},
		{"probe . --duration -5s", 2, "--duration must be above 0, such as 40s, got -5s"},
		{"storage probe lab --duration -5s", 2, "--duration must be above 0"},
		{"report reference/cns-ds2 --format html --series -4 -o o.html", 2, "--series must be 0 or more, got -4"},
		{"sink", 2, "give --listen HOST:PORT"},
		{"size empty.yaml", 2, "capacity"},
		{"storage upp small.yaml", 2, `plimsoll storage has no command "upp"`},
		{"completion bsh", 2, `plimsoll completion has no command "bsh"`},
		{"size bare.yaml", 2, `bare.yaml:4:11: capacity: "10" has no unit`},
		{"clean file", 2, "open run file: it is a file, and a run is a directory"},
		{"clean nosuch", 2, "open run nosuch: nothing is there"},
		{"plan quickstrt", 2, `did you mean "quickstart"?`},
		{"plan small.yaml --profil laptop", 2, `did you mean "--profile"?`},
		{"report reference/cns-d2", 2, `did you mean "cns-ds2"?`},
		{"report reference/cns-ds2 --format htm", 2, `did you mean "html"?`},
		{"report reference/cns-ds2 --format csv --table operatoins", 2, `did you mean "operations"?`},
		{"studies nosuch", 2, "built-in studies: "},
	} {
		t.Run(c.args, func(t *testing.T) {
			code, out, errs := s.plimsoll(strings.Fields(c.args)...)
			if code != c.code || out != "" || !strings.HasPrefix(errs, "plimsoll: ") || !strings.Contains(errs, c.want) {
				t.Errorf("exit code %d, want %d, and %q in:\n%s\nstandard output:\n%s", code, c.code, c.want, errs, out)
			}
			if code, out, errs = s.plimsoll(append(strings.Fields(c.args), "--json")...); code != c.code || errs != "" {
				t.Errorf("with --json: exit code %d, want %d; standard error:\n%s", code, c.code, errs)
			}
			var answer struct{ Error failure }
			if err := json.Unmarshal([]byte(out), &answer); err != nil || answer.Error.Code != c.code || answer.Error.Message == "" {
				t.Errorf("with --json: %v in:\n%s", err, out)
			}
			if text := answer.Error.Message + answer.Error.Hint; !strings.Contains(text, c.want) {
				t.Errorf("with --json: %q is missing in %q", c.want, text)
			}
		})
	}
}

// Commands that only read answer in words and, with --json, in one JSON value.
func TestAnswers(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	s := newSite(t)
	s.Write("demand.yaml", `demand: shops
instances: 80
profile: database
capacity: 40GB
basis:
  - {of: reference/cns-ds2, variant: hdd-16, nodes: 3}
`)
	for _, c := range []struct{ args, want string }{
		{"version", "plimsoll "},
		{"list", "No runs in runs"},
		{"clean", "Nothing is left of no runs"},
		{"clean --golden", "removed no golden volumes"},
		{"schema", "draft 2020-12"},
		{"report reference/cns-ds2", "ssd, 16 CPU per storage server"},
		{"show reference/cns-ds2", "OPM"},
		{"show reference/cns-ds2 ssd-16/1/1", "1 instance of"},
		{"size demand.yaml", "carries"},
	} {
		t.Run(c.args, func(t *testing.T) {
			code, out, errs := s.plimsoll(strings.Fields(c.args)...)
			if code != 0 || errs != "" || c.want != "draft 2020-12" && !strings.Contains(out, c.want) {
				t.Errorf("exit code %d, %q missing in:\n%s%s", code, c.want, out, errs)
			}
			if code, out, errs = s.plimsoll(append(strings.Fields(c.args), "--json")...); code != 0 || errs != "" || !json.Valid([]byte(out)) {
				t.Errorf("with --json: exit code %d, standard error %q, output:\n%s", code, errs, out)
			}
			if strings.TrimSpace(out) == "null" {
				t.Error("with --json: null where a list is promised")
			}
		})
	}
}

func TestReportFormats(t *testing.T) {
	s := newSite(t)
	for format, want := range map[string]string{
		"text": "ssd, 16 cpu per storage server", "markdown": "# ", "csv": "study,variant", "json": `"analysis"`, "html": "<!doctype html>",
	} {
		code, out, errs := s.plimsoll("report", "reference/cns-ds2", "--format", format, "--output", "-")
		if code != 0 || !strings.Contains(strings.ToLower(out), strings.ToLower(want)) {
			t.Errorf("%s: exit code %d, %q missing in %.200q\n%s", format, code, want, out, errs)
		}
	}
	for file, want := range map[string]string{"a.HTML": "<!doctype html>", "a.md": "# ", "a.csv": "study,variant", "a.json": `"analysis"`, "a.txt": "ssd, 16 cpu per storage server"} {
		code, out, errs := s.plimsoll("report", "reference/cns-ds2", "--output", file)
		if written, err := os.ReadFile(file); code != 0 || err != nil || !strings.Contains(strings.ToLower(string(written)), strings.ToLower(want)) {
			t.Errorf("%s: exit code %d, %q missing in %.200q (%v)\n%s%s", file, code, want, written, err, out, errs)
		}
	}
	code, out, errs := s.plimsoll("report", "reference/cns-ds2", "--format", "html", "--output", "published.html")
	if code != 0 || strings.TrimSpace(out) != "published.html" || !command.Exists("published.html") {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
	if left, _ := filepath.Glob(".plimsoll-*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestCompareSaysHowItEnded(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	s := newSite(t)
	for name, repetitions := range map[string]int{"once": 1, "often": 4} {
		if err := resulttest.Run(filepath.Join("runs", name), []string{"ssd", "hdd"}, []int{1, 4, 16}, repetitions, 30); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"often:ssd", "often:hdd"}, 0, "is worse than"},
		{[]string{"often:ssd", "often:hdd", "--fail-if", "mean > +5%"}, command.ExitDifferent, "Conditions that hold"},
		{[]string{"often:hdd", "often:ssd", "--fail-if", "mean > +5%"}, 0, "is better than"},
		{[]string{"once:ssd", "once:hdd", "--fail-if", "mean > +5%"}, command.ExitInconclusive, "Undecided conditions"},
		{[]string{"once:ssd", "once:hdd"}, command.ExitInconclusive, "nothing was repeated"},
		{[]string{"often:ssd", "often:hdd", "--min-grade", "A"}, command.ExitRefused, "Grades: "},
		{[]string{"often:ssd", "often:hdd", "--min-grade", "Z"}, command.ExitUsage, ""},
		{[]string{"reference/cns-ds2:ssd-16", "reference/cns-ds2:hdd-16"}, command.ExitInconclusive, "storage: ssd against hdd"},
	} {
		for i := range c.args[:2] {
			if !strings.HasPrefix(c.args[i], "reference/") {
				c.args[i] = filepath.Join("runs", c.args[i])
			}
		}
		args := append([]string{"compare"}, c.args...)
		code, out, errs := s.plimsoll(args...)
		if code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%v: exit code %d, want %d:\n%s%s", args, code, c.code, out, errs)
		}
		if code, out, _ = s.plimsoll(append(args, "--json")...); code != c.code || !json.Valid([]byte(out)) {
			t.Errorf("%v --json: exit code %d, %s", args, code, out)
		}
	}
}

// Examples in the help of a command are command lines that parse.
func TestEveryCommandHasHelp(t *testing.T) {
	s := newSite(t)
	for _, c := range newRoot(&command.State{Context: context.Background(), Getenv: os.Getenv}).Commands() {
		code, out, errs := s.plimsoll(c.Name(), "--help")
		if code != 0 || errs != "" || !strings.Contains(out, "Usage:") {
			t.Errorf("%s: exit code %d\n%s", c.Name(), code, errs)
		}
		for line := range strings.SplitSeq(out, "\n") {
			if n := len([]rune(line)); n > 120 {
				t.Errorf("%s: a line of help is %d characters long: %s", c.Name(), n, line)
			}
		}
	}
}

func TestCompletion(t *testing.T) {
	s := newSite(t)
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if code, out, _ := s.plimsoll("completion", shell); code != 0 || !strings.Contains(out, "plimsoll") {
			t.Errorf("%s: exit code %d", shell, code)
		}
	}
	for line, want := range map[string]string{
		"plan quick":                   "quickstart",
		"run cns-ds2 --profile ":       "laptop",
		"report --format m":            "markdown",
		"report --format csv --table ": "operations",
		"report reference/cns-d":       "reference/cns-ds2",
		"compare reference/cns-d":      "reference/cns-ds2",
		"show reference/cns-ds2 ssd-1": "ssd-16/1/1",
		"comp":                         "compare",
	} {
		code, out, _ := s.plimsoll(append([]string{"__complete"}, strings.Split(line, " ")...)...)
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("%q: %q is missing in %q", line, want, out)
		}
	}
}

func TestDoctorAnswers(t *testing.T) {
	quick.Skip(t, quick.Commands)
	s := newSite(t)
	code, out, errs := s.plimsoll("doctor", "--json")
	if code != 0 && code != command.ExitCannotRun || errs != "" || !json.Valid([]byte(out)) {
		t.Errorf("exit code %d, standard error %q, output:\n%s", code, errs, out)
	}
	if _, out, _ = s.plimsoll("doctor"); !strings.Contains(out, "work directory") {
		t.Errorf("no word of the work directory in:\n%s", out)
	}
	if code, out, _ = s.plimsoll("doctor", "--capabilities"); code != 0 || !strings.Contains(out, "storage class gluster") || !strings.Contains(out, "lacks: ") {
		t.Errorf("exit code %d, output:\n%s", code, out)
	}
	var parts []registry.Part
	if _, out, _ = s.plimsoll("doctor", "--capabilities", "--json"); json.Unmarshal([]byte(out), &parts) != nil || len(parts) < 30 {
		t.Errorf("%d parts in:\n%s", len(parts), out)
	}
}

// What a run that was killed before its first result leaves is shown by every
// command, and refused by none with a stack of errors.
func TestRunWithoutResults(t *testing.T) {
	s := newSite(t)
	if err := os.MkdirAll("runs/broken", 0o755); err != nil {
		t.Fatal(err)
	}
	s.Write("runs/broken/journal.jsonl", "")
	s.Write("runs/broken/plan.json", "{")
	for args, want := range map[string]string{
		"list": "broken", "show runs/broken": "problem: plan.json", "clean": "Nothing is left of 1 run:",
	} {
		if code, out, errs := s.plimsoll(strings.Fields(args)...); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: exit code %d\n%s%s", args, code, out, errs)
		}
	}
	for _, args := range []string{"report runs/broken", "compare runs/broken runs/broken", "run --resume runs/broken"} {
		if code, out, errs := s.plimsoll(strings.Fields(args)...); code == 0 || out != "" || !strings.HasPrefix(errs, "plimsoll: ") {
			t.Errorf("%s: exit code %d\n%s%s", args, code, out, errs)
		}
	}
}
