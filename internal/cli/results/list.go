package results

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/rundir"
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
	// Predictions are how many of its predictions experiments tested; missing where none did.
	Predictions *predictionCounts `json:"predictions,omitempty"`
}

// predictionCounts are the counts of a score.
type predictionCounts struct {
	Held     int `json:"held"`
	Missed   int `json:"missed"`
	Untested int `json:"untested"` // by the experiments that were to test them
}

func newList(s *command.State) *cobra.Command {
	var runs string
	var all bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the runs, newest first",
		Long: "List shows the runs of a directory, newest first, with their grades and verdicts.\nA run goes by its name wherever it is in that directory.\n\n" + command.WrapText(
			"Published results can be used wherever a run can, as reference/NAME: "+strings.Join(reference.Names(), ", ")+".", 78),
		Example: "  plimsoll list\n  plimsoll list --runs /data/runs --json",
		Args:    command.ExactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			if err := rundir.CheckRuns(runs); err != nil {
				return err
			}
			found, err := result.List(runs)
			if err != nil {
				return err
			}
			list, mistakes := listRuns(found, all)
			switch {
			case s.JSON:
				if err := s.PrintJSON(list); err != nil || mistakes == nil {
					return err
				}
				return command.Silent(command.ExitMistake) // its message is among the verdicts
			case len(list) == 0:
				s.PrintWrapped("No runs in %s. To make one: plimsoll demo; --runs DIRECTORY names where others are.", runs)
			default:
				printRuns(s, list)
				printScore(s, list)
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
		case !r.Finished && rundir.InProgress(r.Dir):
			list[i].State = "running"
		case r.Problem == "" && (all || i < mostJudged):
			var err error
			err = list[i].judge(r.Dir)
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

// judge fills what the run's report says: its verdict in one sentence. An error is the reason why
// there is none.
func (r *listedRun) judge(dir string) error {
	run, err := result.OpenLean(dir)
	if err != nil {
		return err
	}
	a, err := judge(run)
	if a == nil {
		return err
	}
	if r.Grade, r.Verdict = a.Grade, "no trial finished"; a.Headline != "" {
		r.Verdict = report.Said(a, a.Headline)
	}
	if s := a.Score; s != nil {
		r.Predictions = &predictionCounts{s.Held, s.Missed, s.Untested}
	}
	return nil
}

// printScore says how many predictions held over the runs, where any was tested.
func printScore(s *command.State, list []listedRun) {
	sum, runs := predictionCounts{}, 0
	for _, r := range list {
		if p := r.Predictions; p != nil {
			sum.Held, sum.Missed, runs = sum.Held+p.Held, sum.Missed+p.Missed, runs+1
		}
	}
	if tested := sum.Held + sum.Missed; tested > 0 {
		s.PrintWrapped("%d of %s of %s held.", sum.Held, words.Count(tested, "tested prediction"), words.Count(runs, "run"))
	}
}

// mostVerdict is how many lines of a terminal a verdict in a list takes.
const mostVerdict = 2

// printRuns prints a row for each run, or on a terminal a line with the beginning of the
// verdict below.
func printRuns(s *command.State, list []listedRun) {
	if s.Width == 0 {
		t := command.Table{Head: []string{"RUN", "TRIALS", "STATE", "GRADE", "VERDICT"}, Right: 5}
		for _, r := range list {
			t.Row(r.Name, progressOf(r.RunInfo), r.State, r.Grade, r.Verdict)
		}
		s.PrintTable(t)
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
		s.PrintWrapped("%s", text)
		if r.Verdict != "" {
			verdict, cut := firstLines(s.Wrapped("    "+r.Verdict), mostVerdict, s.Columns())
			fmt.Fprintln(s.Stdout, verdict)
			short = short || cut
		}
	}
	if short {
		s.PrintWrapped("Whole verdicts: plimsoll list --json, or plimsoll report RUN --format text --output -")
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
	if end := command.Fitting(last, width-len(mark)); end < len(last) {
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
