// Package ci executes the steps of the GitHub Action and the script of the GitLab template as they
// are written, with what a runner would give them.
package ci

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"plimsoll/internal/result/resulttest"
	"plimsoll/test/quick"
)

var program string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if flag.Parse(); testing.Short() {
		return m.Run() // no test needs the program
	}
	dir, err := os.MkdirTemp("", "plimsoll-ci-")
	if err != nil {
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "plimsoll")
	if out, err := exec.Command("go", "build", "-o", program, "plimsoll/cmd/plimsoll").CombinedOutput(); err != nil {
		_, _ = os.Stderr.Write(out)
		return 1
	}
	return m.Run()
}

// action is what the test reads of action.yml.
type action struct {
	Inputs map[string]struct {
		Default  string
		Required bool
	}
	Runs struct {
		Using string
		Steps []step
	}
}

type step struct {
	ID, Name, If, Shell, Run, Uses string
	Env, With                      map[string]string
}

// runner does what GitHub's does with the steps of a composite action.
type runner struct {
	t       *testing.T
	dir     string
	inputs  map[string]string
	outputs map[string]map[string]string // of steps
	said    strings.Builder
}

func newRunner(t *testing.T, a action, inputs map[string]string) *runner {
	r := &runner{t: t, dir: t.TempDir(), inputs: map[string]string{}, outputs: map[string]map[string]string{}}
	for name, in := range a.Inputs {
		r.inputs[name] = in.Default
	}
	for name, value := range inputs {
		if _, known := a.Inputs[name]; !known {
			t.Fatalf("the action has no input %s", name)
		}
		r.inputs[name] = value
	}
	return r
}

var expression = regexp.MustCompile(`\$\{\{\s*([\w.-]+)\s*\}\}`)

// value is what an expression of the action stands for.
func (r *runner) value(text string) string {
	return expression.ReplaceAllStringFunc(text, func(found string) string {
		path := strings.Split(expression.FindStringSubmatch(found)[1], ".")
		switch {
		case path[0] == "inputs":
			return r.inputs[path[1]]
		case path[0] == "steps" && path[2] == "outputs":
			return r.outputs[path[1]][path[3]]
		case path[0] == "github" && path[1] == "action_path":
			root, err := filepath.Abs("../..")
			if err != nil {
				r.t.Fatal(err)
			}
			return root
		case path[0] == "github" && path[1] == "action":
			return "__self"
		}
		r.t.Fatalf("the test knows no %s", found)
		return ""
	})
}

// wanted reports whether a step's condition holds: all of them ask whether an input was given.
func (r *runner) wanted(s step) bool {
	if s.If == "" {
		return true
	}
	parts := regexp.MustCompile(`^inputs\.([\w-]+) != ''$`).FindStringSubmatch(s.If)
	if parts == nil {
		r.t.Fatalf("the test knows no condition %q", s.If)
	}
	return r.inputs[parts[1]] != ""
}

// do executes the steps in order until one fails, and gives its exit code.
func (r *runner) do(steps ...step) int {
	for _, s := range steps {
		if !r.wanted(s) || s.Uses != "" {
			continue
		}
		if code := r.step(s); code != 0 {
			return code
		}
	}
	return 0
}

// step executes a shell step as GitHub does: bash --noprofile --norc -eo pipefail FILE.
func (r *runner) step(s step) int {
	r.t.Helper()
	if strings.Contains(s.Run, "${{") {
		r.t.Errorf("%s: an expression in a script would execute what an input says; give it by env", s.Name)
	}
	script, output := filepath.Join(r.dir, "step.sh"), filepath.Join(r.dir, "output")
	if err := errors.Join(os.WriteFile(script, []byte(s.Run), 0o600), os.WriteFile(output, nil, 0o600)); err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.CommandContext(r.t.Context(), s.Shell, "--noprofile", "--norc", "-eo", "pipefail", script)
	cmd.Dir, cmd.Env = r.dir, append(os.Environ(),
		"RUNNER_TEMP="+r.dir, "GITHUB_RUN_ID=7", "GITHUB_RUN_ATTEMPT=1", "GITHUB_OUTPUT="+output, "GITHUB_STEP_SUMMARY="+r.summary(),
		"PLIMSOLL_CACHE="+filepath.Join(r.dir, "cache"), "PLIMSOLL_WORK="+filepath.Join(r.dir, "work"))
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+r.value(value))
	}
	out, err := cmd.CombinedOutput()
	r.said.Write(out)
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) {
		r.t.Fatal(err)
	}
	text, err := os.ReadFile(output)
	if err != nil {
		r.t.Fatal(err)
	}
	if r.outputs[s.ID] == nil {
		r.outputs[s.ID] = map[string]string{}
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		r.outputs[s.ID][name] = value
	}
	return cmd.ProcessState.ExitCode()
}

func (r *runner) summary() string { return filepath.Join(r.dir, "summary.md") }

func (r *runner) read(path string) string {
	r.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		r.t.Fatalf("%v; the steps said:\n%s", err, r.said.String())
	}
	return string(text)
}

func theAction(t *testing.T) action {
	t.Helper()
	text, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal(text, &a); err != nil {
		t.Fatal(err)
	}
	if a.Runs.Using != "composite" || len(a.Runs.Steps) < 5 {
		t.Fatalf("%+v", a)
	}
	return a
}

// smallStudy is of memory, needs no server, and takes a few seconds.
const smallStudy = `study: small
workload: {name: blockio, parameters: {size: 8MiB, mode: buffered, outstanding: 1}}
load: {users: 1}
storage: {memory: {class: directory, path: memory}}
ladder: [1]
phases: {warmup: 1s, measure: 2s}
objectives: ["p99 <= 1h"]
`

// A whole action: the study is run on this machine, there is no baseline yet, and summary, card,
// tests and annotations are written.
func TestActionRunsAStudy(t *testing.T) {
	quick.Skip(t, quick.Runs)
	a := theAction(t)
	r := newRunner(t, a, map[string]string{"study": "small.yaml", "args": "--no-fetch\n--set\nladder=[1]\n", "baseline": "nowhere", "min-grade": "F", "plimsoll": program})
	if err := os.WriteFile(filepath.Join(r.dir, "small.yaml"), []byte(smallStudy), 0o644); err != nil {
		t.Fatal(err)
	}
	if code := r.do(a.Runs.Steps...); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, r.said.String())
	}
	if !strings.Contains(r.said.String(), "no baseline yet") || !strings.Contains(r.said.String(), "::notice title=") {
		t.Errorf("the annotations are missing:\n%s", r.said.String())
	}
	r.hasFiles()
	kept := a.Runs.Steps[slices.IndexFunc(a.Runs.Steps, func(s step) bool { return s.Uses != "" })]
	for path := range strings.Lines(r.value(kept.With["path"])) {
		if path = strings.TrimSpace(path); !filepath.IsAbs(path) {
			path = filepath.Join(r.dir, path)
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("what is uploaded is not there: %v", err)
		}
	}
}

// hasFiles checks what the action leaves.
func (r *runner) hasFiles() {
	r.t.Helper()
	files := r.outputs["begin"]["files"]
	for _, name := range []string{"card.svg", "objectives.xml"} {
		if err := xml.NewDecoder(strings.NewReader(r.read(filepath.Join(files, name)))).Decode(new(struct{})); err != nil {
			r.t.Errorf("%s: %v", name, err)
		}
	}
	if !strings.Contains(r.read(r.summary()), "## Verdict") {
		r.t.Errorf("the summary is %s", r.read(r.summary()))
	}
}

// measured are the steps after a run that was made up, against a baseline that was made up.
func measured(t *testing.T, inputs map[string]string) (*runner, int) {
	t.Helper()
	a := theAction(t)
	inputs["study"], inputs["plimsoll"], inputs["baseline"] = "not-run.yaml", program, "before"
	r := newRunner(t, a, inputs)
	for _, name := range []string{"before", "runs/after"} {
		if err := resulttest.Run(filepath.Join(r.dir, name), []string{"ssd"}, []int{1, 4}, 4, 30); err != nil {
			t.Fatal(err)
		}
	}
	if code := r.do(a.Runs.Steps[0]); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, r.said.String())
	}
	r.outputs["run"] = map[string]string{"run": "runs/after", "code": "0"}
	rest := slices.IndexFunc(a.Runs.Steps, func(s step) bool { return s.ID == "compare" })
	return r, r.do(a.Runs.Steps[rest:]...)
}

// A condition that holds fails the job with the exit code of compare, after all has been written;
// one that cannot hold passes.
func TestActionComparesWithABaseline(t *testing.T) {
	quick.Skip(t, quick.Runs)
	for _, c := range []struct {
		name   string
		inputs map[string]string
		code   int
		says   string
	}{
		{"passes", map[string]string{"fail-if": "mean > +90%\nthroughput < -80%\n", "margin": "95%"}, 0, "::notice title="},
		{"fails", map[string]string{"fail-if": "mean > +90%\nmean < +50%\n"}, 6, "::error title=Plimsoll::Against the baseline, a fail-if condition holds"},
		{"is no command", map[string]string{"fail-if": "$(touch made)`touch made`; touch made"}, 2, "is not a condition"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, code := measured(t, c.inputs)
			if code != c.code || !strings.Contains(r.said.String(), c.says) {
				t.Fatalf("exit code %d, want %d:\n%s", code, c.code, r.said.String())
			}
			if _, err := os.Stat(filepath.Join(r.dir, "made")); err == nil {
				t.Error("a condition was executed")
			}
			if c.code == 2 {
				return
			}
			r.hasFiles()
			if !strings.Contains(r.read(r.summary()), "## Against the baseline") {
				t.Errorf("the summary lacks the comparison:\n%s", r.read(r.summary()))
			}
			if !bytes.Contains([]byte(r.read(filepath.Join(r.outputs["begin"]["files"], "comparison.html"))), []byte("<html")) {
				t.Error("there is no page of the comparison")
			}
		})
	}
}

// Trials that do not decide fail the job, unless that is allowed; a run that was refused does, too.
func TestActionsVerdict(t *testing.T) {
	quick.Skip(t, quick.Runs)
	a := theAction(t)
	last := a.Runs.Steps[len(a.Runs.Steps)-1]
	for _, c := range []struct {
		run, compare, allow string
		code                int
	}{
		{"0", "", "false", 0}, {"0", "0", "false", 0}, {"0", "8", "false", 8}, {"0", "8", "true", 0}, {"0", "6", "true", 6}, {"5", "0", "true", 5}, {"4", "", "false", 4},
	} {
		r := newRunner(t, a, map[string]string{"study": "x", "allow-inconclusive": c.allow})
		r.outputs["run"], r.outputs["compare"] = map[string]string{"code": c.run}, map[string]string{"code": c.compare}
		if code := r.do(last); code != c.code {
			t.Errorf("%+v: exit code %d", c, code)
		}
	}
}

// The script of the GitLab template, with the variables that its inputs set.
func TestGitLabTemplate(t *testing.T) {
	quick.Skip(t, quick.Runs)
	text, err := os.ReadFile("../../deploy/ci/gitlab.yml")
	if err != nil {
		t.Fatal(err)
	}
	_, jobs, found := strings.Cut(string(text), "\n---\n")
	if !found {
		t.Fatal("the template has no part after its inputs")
	}
	var of struct {
		Plimsoll struct {
			Variables map[string]string
			Script    []string
		}
	}
	if err := yaml.Unmarshal([]byte(jobs), &of); err != nil || len(of.Plimsoll.Script) != 1 {
		t.Fatalf("%v: %+v", err, of)
	}
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	if err := errors.Join(os.Mkdir(bin, 0o755), os.Symlink(program, filepath.Join(bin, "plimsoll")),
		os.WriteFile(filepath.Join(dir, "small.yaml"), []byte(smallStudy), 0o644)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", of.Plimsoll.Script[0])
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "CI_JOB_ID=3", "PLIMSOLL_CACHE="+filepath.Join(dir, "cache"), "PLIMSOLL_WORK="+filepath.Join(dir, "work"))
	given := map[string]string{"study": "small.yaml", "args": "--no-fetch\n--set\nladder=[1]", "baseline": "nowhere", "fail-if": "p95 > +90%", "min-grade": "F"}
	for name, value := range of.Plimsoll.Variables {
		for input, text := range given {
			value = strings.ReplaceAll(value, "$[[ inputs."+input+" ]]", text)
		}
		if strings.Contains(value, "$[[") {
			t.Errorf("%s has an input that the test does not give: %s", name, value)
		}
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "no baseline yet") {
		t.Fatalf("%v:\n%s", err, out)
	}
	for _, name := range []string{"card.svg", "objectives.xml", "report.md", "report.html"} {
		if _, err := os.Stat(filepath.Join(dir, "plimsoll", name)); err != nil {
			t.Error(err)
		}
	}
}
