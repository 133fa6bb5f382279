package run

import (
	"strings"
	"testing"
	"time"

	"github.com/mattn/go-runewidth"

	"plimsoll/internal/analysis"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/command/commandtest"
)

// What a try found fits as well.
func TestTriedFitsTheTerminal(t *testing.T) {
	s := commandtest.New(t)
	found := tried{Report: "runs/20261125-101500-try-postgres/report.html", Study: "runs/20261125-101500-try-postgres/study.yaml", analysis: &analysis.Analysis{}}
	found.analysis.Study.Title = "PostgreSQL with DVD Store on the place that is tried"
	found.Verdict = append(found.Verdict, analysis.Sentence{Text: "`place` carries at least 4 instances within p95 ≤ 200 ms; more were not tried."})
	for line := range strings.Lines(s.Terminal(40, func(state *command.State) { printOneTried(state, found) })) {
		if n := runewidth.StringWidth(strings.TrimRight(line, "\n")); n > 40 {
			t.Errorf("a line of %d columns: %q", n, line)
		}
	}
}

// A place that is tried, and studies that failed, fit the terminal.
func TestPlacesFitTheTerminal(t *testing.T) {
	commandtest.New(t).Fits(true, func(s *command.State) {
		place := directory{path: "/srv/a/long/path/to/a/volume", notes: []string{"this is memory (tmpfs), not a disk: nothing in it survives a restart"}}
		place.mount.Type, place.mount.Source = "fuse.something-long", "a-server.example:/exported/volume"
		introduce(s, place)
		if err := printTried(s, place, []tried{{Failed: "Files: the volume was full before the first instance had its files", Study: "runs/x/study.yaml"}}, time.Minute); err != nil {
			t.Error(err)
		}
	})
}
