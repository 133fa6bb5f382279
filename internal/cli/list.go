package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/internal/result"
	"plimsoll/reference"
)

func newList(s *State) *cobra.Command {
	var runs string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the runs, newest first",
		Long: "List shows the runs of a directory, newest first.\n\n" + wrapText(
			"Published results can be used wherever a run can, as reference/NAME: "+strings.Join(reference.Names(), ", ")+".", 78),
		Example: "  plimsoll list\n  plimsoll list --runs /data/runs --json",
		Args:    exactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			all, err := result.List(runs)
			if err != nil {
				return err
			}
			if s.JSON {
				return s.printJSON(append([]result.RunInfo{}, all...)) // [] rather than null
			}
			if len(all) == 0 {
				s.printWrapped("No runs in %s. Start one with: plimsoll run quickstart", runs)
				return nil
			}
			return s.printRuns(all)
		},
	}
	cmd.Flags().StringVar(&runs, "runs", "runs", "directory that holds runs")
	return cmd
}

func (s *State) printRuns(all []result.RunInfo) error {
	t := table{head: []string{"RUN", "STUDY", "BEGUN", "TRIALS", "STATE"}, right: 5}
	for _, r := range all {
		t.row(r.Dir, r.Study, r.Started.Local().Format("2006-01-02 15:04"), progressOf(r), r.State())
	}
	s.printTable(t)
	return nil
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
		dir, err := result.Latest(runs)
		if err != nil {
			return nil, codedError{err, exitUsage, "start one with: plimsoll run quickstart"}
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
	dir := args[0]
	if !exists(dir) && exists(filepath.Join(runs, dir)) {
		dir = filepath.Join(runs, dir)
	}
	if !exists(dir) {
		return nil, codedError{fmt.Errorf("no run %s", args[0]), exitUsage, didYouMean(filepath.Join(runs, filepath.Base(args[0])), runNames(runs)) + "plimsoll list shows the runs"}
	}
	return open(dir)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, os.ErrNotExist)
}
