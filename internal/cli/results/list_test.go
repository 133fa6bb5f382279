package results

import (
	"strings"
	"testing"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/command/commandtest"
	"plimsoll/internal/result"
	"plimsoll/internal/result/resulttest"
)

// Only the newest runs are judged, unless all are asked for.
func TestListJudgesTheNewest(t *testing.T) {
	commandtest.New(t)
	if err := resulttest.Run("runs/one", []string{"ssd"}, []int{1}, 1, 10); err != nil {
		t.Fatal(err)
	}
	info, ok := result.Info("runs/one")
	if !ok {
		t.Fatal("no run")
	}
	found := make([]result.RunInfo, mostJudged+1)
	for i := range found {
		found[i] = info
	}
	if list, _ := listRuns(found, false); list[mostJudged-1].Verdict == "" || list[mostJudged].Verdict != "" {
		t.Errorf("%+v", list[mostJudged-1:])
	}
	if list, _ := listRuns(found, true); list[mostJudged].Verdict == "" {
		t.Errorf("%+v", list[mostJudged])
	}
}

// A terminal shows at most three lines for a run, and the last one ends at a word. JSON has the
// whole verdict.
func TestListIsShortOnATerminal(t *testing.T) {
	s := commandtest.New(t)
	long := strings.TrimSpace(strings.Repeat("“one drive, write” gives 92 % of what its drives are rated for; ", 8))
	list := []listedRun{{Verdict: long}, {Verdict: "No trial finished."}}
	for i, name := range []string{"20261125-101500-disks", "20261124-101500-other"} {
		list[i].Name, list[i].State, list[i].Grade, list[i].Done = name, "finished", "B", 6
	}
	list[0].Planned = 6
	for _, width := range []int{40, 80} {
		out := s.Terminal(width, func(state *command.State) { printRuns(state, list) })
		run, rest, _ := strings.Cut(out, list[1].Name)
		lines := strings.Split(strings.TrimSpace(run), "\n")
		last := lines[len(lines)-1]
		cut, marked := strings.CutSuffix(last, " …")
		if words := " " + long + " "; len(lines) > 4 || !marked || !strings.Contains(words, strings.TrimSpace(cut)+" ") {
			t.Errorf("%d columns:\n%s", width, run)
		}
		together := strings.Join(strings.Fields(out), " ")
		if !strings.Contains(together, "6 of 6 trials, finished") || !strings.Contains(together, "6 trials, finished, grade B No trial finished. Whole") || !strings.Contains(rest, "list --json") {
			t.Errorf("%d columns:\n%s", width, out)
		}
	}
	if out := s.Terminal(80, func(state *command.State) { printRuns(state, list[1:]) }); strings.Contains(out, "--json") {
		t.Errorf("nothing was cut: %s", out)
	}
}
