package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/command/commandtest"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/result"
	"plimsoll/internal/study/plan"
)

// keepPlan writes a plan as a run begun with these settings would.
func keepPlan(t *testing.T, s *commandtest.Site, dir string, set ...string) {
	t.Helper()
	p, text, err := makePlan(t.Context(), s.State(), registry.Parts(), studyOptions{set: set}, "small.yaml", facts.FetchNever)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := result.Create(dir, noted(text, set), p, result.Machine{}); err != nil {
		t.Fatal(err)
	}
}

// A resumed run keeps the settings it was started with, and accepts no others.
func TestResumeKeepsWhatWasSet(t *testing.T) {
	s := commandtest.New(t)
	s.Write("small.yaml", commandtest.Small)
	keepPlan(t, s, "runs/a", "engine.cpu=0.5")
	for _, c := range []struct {
		set []string
		ok  bool
	}{{nil, true}, {[]string{"engine.cpu=0.5"}, true}, {[]string{"engine.cpu=1"}, false}, {[]string{"engine.cpu=0.5", "seed=2"}, false}} {
		o := &runOptions{studyOptions: studyOptions{set: c.set}, resume: "runs/a"}
		var p *plan.Plan
		p, _, err := resumePlan(o)
		if c.ok && (err != nil || p.Study.Members[0].Engine.CPU != 0.5) {
			t.Errorf("%v: %v", c.set, err)
		}
		if !c.ok && (command.ExitCode(err) != command.ExitUsage || !strings.Contains(err.Error(), "was started with --set engine.cpu=0.5")) {
			t.Errorf("%v was not refused: %v", c.set, err)
		}
	}
	text, err := os.ReadFile(filepath.Join("runs/a", result.StudyFile))
	if err != nil || !strings.Contains(string(text), "engine.cpu=0.5") {
		t.Errorf("the kept study is\n%s (%v)", text, err)
	}
}

// A detached run is given each setting.
func TestSettingsArePassedOn(t *testing.T) {
	cmd := newRun(commandtest.New(t).State())
	if err := cmd.ParseFlags([]string{"--set", "engine.cpu=0.5", "--set", "ladder=[1, 2]"}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(passedOn(cmd), " "); got != "--set=engine.cpu=0.5 --set=ladder=[1, 2]" {
		t.Errorf("passed on: %s", got)
	}
}
