package cli

import (
	"strings"
	"testing"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/result/resulttest"
)

// Settings from the command line are in the plan, and are shown.
func TestSetInAPlan(t *testing.T) {
	s := newSite(t)
	s.Write("small.yaml", small)
	code, out, errs := s.plimsoll("plan", "small.yaml", "--set", "engine.cpu=0.5", "--set", "ladder=[3]")
	if code != 0 || !strings.Contains(out, "set on the command line: engine.cpu=0.5, ladder=[3]") || !strings.Contains(out, "1 trial,") {
		t.Errorf("code %d\n%s%s", code, out, errs)
	}
	code, _, errs = s.plimsoll("plan", "small.yaml", "--set", "engine.cpus=0.5")
	if code != command.ExitUsage || !strings.Contains(errs, `--set engine.cpus=0.5: unknown field "cpus"; did you mean "cpu"?`) {
		t.Errorf("code %d: %s", code, errs)
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
	if code, _, errs := s.plimsoll("report", "runs/a", "--set", "min_grade=A"); code != command.ExitRefused {
		t.Errorf("code %d: %s", code, errs)
	}
	code, _, errs := s.plimsoll("report", "runs/a", "--set", "load.users=3")
	if code != command.ExitUsage || !strings.Contains(errs, "a report cannot change what was measured; expected one of title,") {
		t.Errorf("code %d: %s", code, errs)
	}
	if _, after, _ := s.plimsoll("report", "runs/a", "--json"); before != after {
		t.Error("the run was changed")
	}
}
