package cli

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"plimsoll/internal/host/caught"
	"plimsoll/internal/report"
	"plimsoll/internal/result"
	"plimsoll/internal/text/words"
	"plimsoll/reference"
)

// listedRun is a run in the list.
type listedRun struct {
	result.RunInfo
	State string `json:"state"`
	// Grade and Verdict are what its report says; empty where it was not judged.
	Grade   string `json:"grade,omitempty"`
	Verdict string `json:"verdict,omitempty"`
}

func newList(s *State) *cobra.Command {
	var runs string
	var all bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the runs, newest first",
		Long: "List shows the runs of a directory, newest first, with their grades and verdicts.\nA run goes by its name wherever it is in that directory.\n\n" + wrapText(
			"Published results can be used wherever a run can, as reference/NAME: "+strings.Join(reference.Names(), ", ")+".", 78),
		Example: "  plimsoll list\n  plimsoll list --runs /data/runs --json",
		Args:    exactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			if err := notRuns(runs); err != nil {
				return err
			}
			found, err := result.List(runs)
			if err != nil {
				return err
			}
			list, mistakes := listRuns(found, all)
			switch {
			case s.JSON:
				if err := s.printJSON(list); err != nil || mistakes == nil {
					return err
				}
				return silent(exitMistake) // its message is among the verdicts
			case len(list) == 0:
				s.printWrapped("No runs in %s. To make one: plimsoll demo; --runs DIRECTORY names where others are.", runs)
			default:
				s.printRuns(list)
			}
			return mistakes
		},
	}
	cmd.Flags().StringVar(&runs, "runs", "runs", "directory that holds runs")
	cmd.Flags().BoolVar(&all, "all", false, fmt.Sprintf("judge all runs, not only the newest %d", mostJudged))
	return cmd
}

// mostJudged is how many runs are analysed for a list: each takes a tenth of a second or
// more.
const mostJudged = 20

// listRuns judges the newest runs, or all. Those in progress are left in peace: an analysis
// takes processor time from what they measure. A run that shows a mistake of ours hides none
// of the others.
func listRuns(found []result.RunInfo, all bool) (list []listedRun, mistakes error) {
	list = make([]listedRun, len(found)) // [] rather than null as JSON
	for i, r := range found {
		list[i] = listedRun{RunInfo: r, State: r.State()}
		switch {
		case !r.Finished && inProgress(r.Dir):
			list[i].State = "running"
		case r.Problem == "" && (all || i < mostJudged):
			var err error
			list[i].Grade, list[i].Verdict, err = verdictOf(r.Dir)
			var mistake *caught.Panic
			if err != nil {
				list[i].Verdict = err.Error()
			}
			if errors.As(err, &mistake) {
				mistakes = errors.Join(mistakes, err)
			}
		}
	}
	return list, mistakes
}

// verdictOf returns the verdict of a run's report in one sentence, or the reason why there is
// none.
func verdictOf(dir string) (grade, verdict string, err error) {
	run, err := result.OpenLean(dir)
	if err != nil {
		return "", "", err
	}
	a, err := judge(run)
	if a == nil {
		return "", "", err
	}
	if a.Headline == "" {
		return a.Grade, "no trial finished", nil
	}
	return a.Grade, report.Said(a, a.Headline), nil
}

// mostVerdict is how many lines of a terminal a verdict in a list takes.
const mostVerdict = 2

// printRuns prints a row for each run, or on a terminal a line with the beginning of the
// verdict below.
func (s *State) printRuns(list []listedRun) {
	if s.Width == 0 {
		t := table{head: []string{"RUN", "TRIALS", "STATE", "GRADE", "VERDICT"}, right: 5}
		for _, r := range list {
			t.row(r.Name, progressOf(r.RunInfo), r.State, r.Grade, r.Verdict)
		}
		s.printTable(t)
		return
	}
	short := false
	for _, r := range list {
		text := fmt.Sprintf("%s  %s, %s", r.Name, words.Count(r.Done, "trial"), r.State)
		if r.Planned > 0 {
			text = fmt.Sprintf("%s  %d of %s, %s", r.Name, r.Done, words.Count(r.Planned, "trial"), r.State)
		}
		if r.Grade != "" {
			text += ", grade " + r.Grade
		}
		s.printWrapped("%s", text)
		if r.Verdict != "" {
			verdict, cut := firstLines(s.wrapped("    "+r.Verdict), mostVerdict, s.width())
			fmt.Fprintln(s.Stdout, verdict)
			short = short || cut
		}
	}
	if short {
		s.printWrapped("Whole verdicts: plimsoll list --json, or plimsoll report RUN --format text --output -")
	}
}

// firstLines are so many lines of a wrapped text; where there are more, the last of them
// ends at a word, with a mark.
func firstLines(text string, most, width int) (first string, cut bool) {
	lines := strings.Split(text, "\n")
	if len(lines) <= most {
		return text, false
	}
	const mark = " …"
	last := []rune(lines[most-1])
	if end := fitting(last, width-len(mark)); end < len(last) {
		last = last[:end]
		if at := strings.LastIndex(string(last), " "); strings.TrimSpace(string(last)[:max(at, 0)]) != "" {
			last = []rune(string(last)[:at])
		}
	}
	lines[most-1] = string(last) + mark
	return strings.Join(lines[:most], "\n"), true
}

// progressOf is how many trials have a result. A search has no fixed number.
func progressOf(r result.RunInfo) string {
	if r.Planned == 0 {
		return strconv.Itoa(r.Done)
	}
	return fmt.Sprintf("%d of %d", r.Done, r.Planned)
}

// openRun opens the run that the arguments name: a directory, a published
// result, or the newest run.
func openRun(runs string, args []string) (*result.Run, error) {
	return openRunWith(runs, args, result.Open)
}

// openLean opens a run as openRun does, for an analysis.
func openLean(runs string, args []string) (*result.Run, error) {
	return openRunWith(runs, args, result.OpenLean)
}

// openRunWith opens a run as openRun does, by a function that reads its directory.
func openRunWith(runs string, args []string, open func(dir string) (*result.Run, error)) (*result.Run, error) {
	if len(args) == 0 {
		if err := notRuns(runs); err != nil {
			return nil, err
		}
		dir, err := result.Latest(runs)
		if err != nil {
			return nil, codedError{err, exitUsage, "plimsoll demo makes one, and --runs DIRECTORY names where others are"}
		}
		return open(dir)
	}
	if name, ok := strings.CutPrefix(args[0], "reference/"); ok && !exists(args[0]) {
		run, err := reference.Open(name)
		if err != nil {
			return nil, codedError{err, exitUsage, strings.TrimSpace(didYouMean(name, reference.Names()))}
		}
		return run, nil
	}
	dir, err := runDir(runs, args[0])
	if err != nil {
		return nil, err
	}
	return open(dir)
}

// exists reports whether something is at a path. It also returns true for a path that it may not
// look at. A file has nothing below it.
func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, os.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
}
