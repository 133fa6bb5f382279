package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mattn/go-runewidth"

	"plimsoll/internal/analysis"
	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/result/resulttest"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/devicepool"
	"plimsoll/internal/storage/probe"
	"plimsoll/internal/study/templates"
	"plimsoll/internal/text/sanitize"
	"plimsoll/test/quick"
)

const demandOfNarrow = `demand: shops
instances: 12
profile: database
capacity: 40GB
basis:
  - {of: runs/20261125-101500-数据库-with-a-long-name, variant: ssd, nodes: 3}
`

// in has a command line write to a terminal of a width in columns, 0 for a file. It gives
// all that was written.
func (s *site) in(width int, write func(*State)) string {
	var out bytes.Buffer
	state := s.state()
	state.Stdout, state.Stderr, state.Width = sanitize.Writer(&out), sanitize.Writer(&out), width
	write(state)
	return out.String()
}

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
	s.write("study.yaml", small)
	s.write("demand.yaml", demandOfNarrow)
	s.killedRun("20261125-121500-killed")
	command := func(args ...string) func(*State) { return func(state *State) { Main(state, args) } }
	shortened := []string{"plan", "list", "report", "why", "compare", "size"} // leave columns out, or have other words
	for what, write := range map[string]func(*State){
		"list": command("list"), "show": command("show"), "why": command("why", name), "show trial": command("show", name, "ssd/1/1"), "doctor": command("doctor"),
		"studies": command("studies"), "plan": command("plan", "study.yaml"), "plan too large": command("plan", "study.yaml", "--set", "ladder=[1,20000]"),
		"report": command("report", name, "--format", "text"), "compare": command("compare", name, "20261125-111500-another"),
		"pack": func(state *State) { // which overwrites nothing
			_ = os.Remove("help.tar.gz")
			command("ask-for-help", name, "-o", "help.tar.gz")(state)
		},
		"first": func(state *State) {
			state.printFirst(lookAround([]doctor.Check{{Name: "engine", Status: doctor.Fail, Found: "there is no database server here", Fix: "apt-get install postgresql"}}, s.dir, "runs"))
		},
		"clean nothing": command("clean", "runs/"+name), "clean": command("clean"), "size": command("size", "demand.yaml"),
		"storage list": command("storage", "list"), "study new": command("study", "new", "made.yaml", "--force", "--storage", s.dir),
		"error": command("show", "there-is-no-such-run-whatever-its-long-name"),
		"pools": func(state *State) { state.printPools(longPools()) },
		"probe": func(state *State) {
			if err := state.printProbe(longProbe()); err != nil {
				t.Error(err)
			}
		},
		"try": func(state *State) {
			place := place{path: "/srv/a/long/path/to/a/volume", notes: []string{"this is memory (tmpfs), not a disk: nothing in it survives a restart"}}
			place.mount.Type, place.mount.Source = "fuse.something-long", "a-server.example:/exported/volume"
			state.introduce(place)
			if err := state.printTried(place, []tried{{Failed: "Files: the volume was full before the first instance had its files", Study: "runs/x/study.yaml"}}, time.Minute); err != nil {
				t.Error(err)
			}
		},
		"cleaned": func(state *State) {
			_ = state.printCleaned([]cleaned{{Run: name, Busy: true}, {Run: name, Elsewhere: true}, {Run: name,
				Removed: []string{"the process 4711, a server of the instance 3 of many"}, Failed: []string{"a mount: device or resource busy, held by 42"},
				Kept: []string{"the evidence of instance 3"}, Left: []string{"a control group that no register knows, if nobody needs it: rmdir it"}}})
		},
		"questions": func(state *State) {
			var a templates.Answers
			asker := newAsker(strings.NewReader("no such application\n\nnowhere\n"), state.Stderr)
			asker.wrap = state.wrapped
			for _, q := range a.Questions() {
				_ = asker.ask(t.Context(), q) // the answers end before the questions
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			wide := s.in(0, write)
			for _, width := range []int{40, 80} {
				narrow := strings.ReplaceAll(s.in(width, write), "> ", "> \n") // who answers a question ends its line
				for line := range strings.Lines(narrow) {
					if n := runewidth.StringWidth(strings.TrimRight(line, "\n")); n > width {
						t.Errorf("a line of %d columns in a terminal of %d: %q", n, width, line)
					}
				}
				first, _, _ := strings.Cut(what, " ")
				if !slices.Contains(shortened, first) && !strings.HasPrefix(what, "clean") {
					losesNothing(t, wide, narrow)
				}
			}
		})
	}
}

// losesNothing checks that each word is there, but for the names of columns, and for
// figures, which another look at the machine may change.
func losesNothing(t *testing.T, wide, narrow string) {
	t.Helper()
	together := strings.ToUpper(strings.Join(strings.Fields(narrow), ""))
	for _, word := range strings.Fields(wide) {
		if heads := []string{"RUN", "FILE", "TRIAL", "OPERATION", "RESOURCE", "NAME", "MEASURED"}; !slices.Contains(heads, word) && !strings.ContainsAny(word, "0123456789") && !strings.Contains(together, strings.ToUpper(word)) {
			t.Errorf("%q is missing in %s", word, narrow)
		}
	}
}

func longPools() []devicepool.State {
	return []devicepool.State{{Name: "lab-of-the-second-floor", Since: time.Now(), Pools: []devicepool.Pool{
		{Name: "replicated-three-times", Class: "gluster", Volume: storage.Volume{Path: filepath.Join("/srv", "plimsoll", "mounts", "lab")}},
	}}}
}

func longProbe() probe.Report {
	return probe.Report{Path: "/srv/plimsoll/mounts/lab", Grade: "B", FileSystem: "xfs", MountPoint: "/srv/plimsoll", Took: 40 * time.Second,
		Findings: []probe.Finding{{Title: "A flush is durable, as far as can be seen", Grade: "A", Text: "A flush takes 8.1 ms, which is what a disk of 7,200 rpm needs."}},
		Measures: []probe.Measure{{Text: "read 4 KiB, random", Depth: 16, PerSecond: 12345, Rate: 5e7, Mean: 0.001, P50: 0.001, P95: 0.002, P99: 0.003, Max: 0.1, CPU: 0.5, Engine: "io_uring"}}}
}

// What a try found fits as well.
func TestTriedFitsTheTerminal(t *testing.T) {
	s := newSite(t)
	found := tried{Report: "runs/20261125-101500-try-postgres/report.html", Study: "runs/20261125-101500-try-postgres/study.yaml", analysis: &analysis.Analysis{}}
	found.analysis.Study.Title = "PostgreSQL with DVD Store on the place that is tried"
	found.Verdict = append(found.Verdict, analysis.Sentence{Text: "`place` carries at least 4 instances within p95 ≤ 200 ms; more were not tried."})
	for line := range strings.Lines(s.in(40, func(state *State) { state.printOneTried(found) })) {
		if n := runewidth.StringWidth(strings.TrimRight(line, "\n")); n > 40 {
			t.Errorf("a line of %d columns: %q", n, line)
		}
	}
}
