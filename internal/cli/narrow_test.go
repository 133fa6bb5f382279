package cli

import (
	"os"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/result/resulttest"
	"plimsoll/test/quick"
)

const demandOfNarrow = `demand: shops
instances: 12
profile: database
capacity: 40GB
basis:
  - {of: runs/20261125-101500-数据库-with-a-long-name, variant: ssd, nodes: 3}
`

// What commands print fits the terminal, and where nothing but its layout changes,
// nothing is lost.
func TestOutputFitsTheTerminal(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	s := newSite(t)
	const name = "20261125-101500-数据库-with-a-long-name"
	for _, dir := range []string{"runs/" + name, "runs/20261125-111500-another"} {
		if err := resulttest.Run(dir, []string{"ssd", "hdd-16"}, []int{1, 4}, 2, 30); err != nil {
			t.Fatal(err)
		}
	}
	s.Write("study.yaml", small)
	s.Write("demand.yaml", demandOfNarrow)
	s.KilledRun("20261125-121500-killed")
	line := func(args ...string) func(*command.State) { return func(state *command.State) { Main(state, args) } }
	shortened := []string{"plan", "list", "report", "why", "compare", "size"} // leave columns out, or have other words
	for what, write := range map[string]func(*command.State){
		"list": line("list"), "show": line("show"), "why": line("why", name), "show trial": line("show", name, "ssd/1/1"), "doctor": line("doctor"),
		"studies": line("studies"), "plan": line("plan", "study.yaml"), "plan too large": line("plan", "study.yaml", "--set", "ladder=[1,20000]"),
		"report": line("report", name, "--format", "text"), "compare": line("compare", name, "20261125-111500-another"),
		"pack": func(state *command.State) { // which overwrites nothing
			_ = os.Remove("help.tar.gz")
			line("ask-for-help", name, "-o", "help.tar.gz")(state)
		},
		"first": func(state *command.State) {
			printFirst(state, lookAround([]doctor.Check{{Name: "engine", Status: doctor.Fail, Found: "there is no database server here", Fix: "apt-get install postgresql"}}, s.Dir, "runs"))
		},
		"clean nothing": line("clean", "runs/"+name), "clean": line("clean"), "size": line("size", "demand.yaml"),
		"storage list": line("storage", "list"), "study new": line("study", "new", "made.yaml", "--force", "--storage", s.Dir),
		"error": line("show", "there-is-no-such-run-whatever-its-long-name"),
	} {
		t.Run(what, func(t *testing.T) {
			first, _, _ := strings.Cut(what, " ")
			s.Fits(!slices.Contains(shortened, first) && first != "clean", write)
		})
	}
}
