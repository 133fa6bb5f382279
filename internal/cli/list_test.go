package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"plimsoll/internal/result"
	"plimsoll/internal/result/resulttest"
)

// A list has the names that other commands take, and what each run found.
func TestListSaysWhatRunsFound(t *testing.T) {
	s := newSite(t)
	const name = "20261125-101500-disks"
	if err := resulttest.Run("runs/"+name, []string{"ssd", "hdd"}, []int{1, 4}, 2, 30); err != nil {
		t.Fatal(err)
	}
	code, out, errs := s.plimsoll("list")
	if code != 0 || strings.Contains(out, "runs/"+name) {
		t.Fatalf("code %d: %s%s", code, out, errs)
	}
	head, row, _ := strings.Cut(out, "\n")
	if got := strings.Fields(head); strings.Join(got, " ") != "RUN TRIALS STATE GRADE VERDICT" {
		t.Errorf("columns %v", got)
	}
	if fields := strings.Fields(row); fields[0] != name || !strings.Contains(row, "Within ") {
		t.Errorf("%q", row)
	}
	if code, out, errs := s.plimsoll("show", name); code != 0 {
		t.Errorf("code %d: %s%s", code, out, errs)
	}
	_, out, _ = s.plimsoll("list", "--json")
	var all []map[string]any
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all) != 1 {
		t.Fatalf("%v: %s", err, out)
	}
	for _, field := range []string{"name", "dir", "state", "grade", "verdict"} {
		if all[0][field] == nil || all[0][field] == "" {
			t.Errorf("%s is missing in %v", field, all[0])
		}
	}
}

// Only the newest runs are judged, unless all are asked for.
func TestListJudgesTheNewest(t *testing.T) {
	newSite(t)
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
	s := newSite(t)
	long := strings.TrimSpace(strings.Repeat("“one drive, write” gives 92 % of what its drives are rated for; ", 8))
	list := []listedRun{{Verdict: long}, {Verdict: "No trial finished."}}
	for i, name := range []string{"20261125-101500-disks", "20261124-101500-other"} {
		list[i].Name, list[i].State, list[i].Grade, list[i].Done = name, "finished", "B", 6
	}
	list[0].Planned = 6
	for _, width := range []int{40, 80} {
		out := s.in(width, func(state *State) { state.printRuns(list) })
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
	if out := s.in(80, func(state *State) { state.printRuns(list[1:]) }); strings.Contains(out, "--json") {
		t.Errorf("nothing was cut: %s", out)
	}
}
