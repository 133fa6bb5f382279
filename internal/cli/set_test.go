package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/campaign"
	"plimsoll/internal/result"
	"plimsoll/internal/result/resulttest"
	"plimsoll/internal/study/plan"
)

// Settings from the command line are in the plan, and are shown.
func TestSetInAPlan(t *testing.T) {
	s := newSite(t)
	s.write("small.yaml", small)
	code, out, errs := s.plimsoll("plan", "small.yaml", "--set", "engine.cpu=0.5", "--set", "ladder=[3]")
	if code != 0 || !strings.Contains(out, "set on the command line: engine.cpu=0.5, ladder=[3]") || !strings.Contains(out, "1 trial,") {
		t.Errorf("code %d\n%s%s", code, out, errs)
	}
	code, _, errs = s.plimsoll("plan", "small.yaml", "--set", "engine.cpus=0.5")
	if code != exitUsage || !strings.Contains(errs, `--set engine.cpus=0.5: unknown field "cpus"; did you mean "cpu"?`) {
		t.Errorf("code %d: %s", code, errs)
	}
}

// The study that a run keeps says what was set, and can still be read.
func TestNotedStudy(t *testing.T) {
	s := newSite(t)
	text := noted([]byte("\ufeff"+small), []string{"engine.cpu=0.5", "title=a\nb"})
	if !strings.HasPrefix(string(text), "# set on the command line: engine.cpu=0.5\n# set on the command line: title=a b\nstudy: small") {
		t.Errorf("the text is\n%s", text)
	}
	s.write("noted.yaml", string(text))
	if code, out, errs := s.plimsoll("plan", "noted.yaml"); code != 0 {
		t.Errorf("code %d\n%s%s", code, out, errs)
	}
	if text := noted([]byte(small), nil); string(text) != small {
		t.Errorf("a study without settings became\n%s", text)
	}
}

// keepPlan writes a plan as a run begun with these settings would.
func keepPlan(t *testing.T, s *site, dir string, set ...string) {
	t.Helper()
	p, text, err := s.state().makePlan(t.Context(), Parts(), studyOptions{set: set}, "small.yaml", campaign.FetchNever)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := result.Create(dir, noted(text, set), p, result.Machine{}); err != nil {
		t.Fatal(err)
	}
}

// A resumed run keeps the settings it was started with, and accepts no others.
func TestResumeKeepsWhatWasSet(t *testing.T) {
	s := newSite(t)
	s.write("small.yaml", small)
	keepPlan(t, s, "runs/a", "engine.cpu=0.5")
	for _, c := range []struct {
		set []string
		ok  bool
	}{{nil, true}, {[]string{"engine.cpu=0.5"}, true}, {[]string{"engine.cpu=1"}, false}, {[]string{"engine.cpu=0.5", "seed=2"}, false}} {
		o := &runOptions{studyOptions: studyOptions{set: c.set}, resume: "runs/a"}
		var p *plan.Plan
		p, _, err := s.state().resumePlan(o)
		if c.ok && (err != nil || p.Study.Engine.CPU != 0.5) {
			t.Errorf("%v: %v", c.set, err)
		}
		if !c.ok && (exitCode(err) != exitUsage || !strings.Contains(err.Error(), "was started with --set engine.cpu=0.5")) {
			t.Errorf("%v was not refused: %v", c.set, err)
		}
	}
	text, err := os.ReadFile(filepath.Join("runs/a", result.StudyFile))
	if err != nil || !strings.Contains(string(text), "engine.cpu=0.5") {
		t.Errorf("the kept study is\n%s (%v)", text, err)
	}
}

// A report can be judged by other objectives; what was measured cannot be changed.
func TestSetInAReport(t *testing.T) {
	s := newSite(t)
	if err := resulttest.Run("runs/a", []string{"hdd"}, []int{1, 2, 4}, 1, 5); err != nil {
		t.Fatal(err)
	}
	_, before, _ := s.plimsoll("report", "runs/a", "--json")
	for _, format := range []string{"text", "markdown", "html", "json"} {
		code, out, errs := s.plimsoll("report", "runs/a", "--set", "objectives=[p95<=77ms]", "--format", format, "--output", "-")
		// Markdown escapes what would begin a link.
		if code != 0 || !strings.Contains(strings.ReplaceAll(out, `\`, ""), "objectives=[p95") {
			t.Errorf("%s does not say what was set: code %d %s\n%.500s", format, code, errs, out)
		}
	}
	_, out, _ := s.plimsoll("report", "runs/a", "--set", "objectives=[p95 <= 1us]")
	if !strings.Contains(out, "does not meet p95 ≤ 1 µs") {
		t.Errorf("the verdict is by other objectives:\n%s", out)
	}
	if code, _, errs := s.plimsoll("report", "runs/a", "--set", "min_grade=A"); code != exitRefused {
		t.Errorf("code %d: %s", code, errs)
	}
	code, _, errs := s.plimsoll("report", "runs/a", "--set", "load.users=3")
	if code != exitUsage || !strings.Contains(errs, "a report cannot change what was measured; expected one of title,") {
		t.Errorf("code %d: %s", code, errs)
	}
	if _, after, _ := s.plimsoll("report", "runs/a", "--json"); before != after {
		t.Error("the run was changed")
	}
}

// A detached run is given each setting.
func TestSettingsArePassedOn(t *testing.T) {
	cmd := newRun(newSite(t).state())
	if err := cmd.ParseFlags([]string{"--set", "engine.cpu=0.5", "--set", "ladder=[1, 2]"}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(passedOn(cmd), " "); got != "--set=engine.cpu=0.5 --set=ladder=[1, 2]" {
		t.Errorf("passed on: %s", got)
	}
}
