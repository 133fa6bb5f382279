package rundir

import (
	"cmp"

	"github.com/spf13/cobra"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/result"
	"plimsoll/reference"
)

// Complete proposes up to most runs: first the runs directory, newest first, then the
// published results. Directories are completed, too.
func Complete(runs *string, most int) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return Names(*runs), cobra.ShellCompDirectiveDefault
	}
}

// Own are the wanted ones of a directory, newest first.
func Own(runs string, wanted func(result.RunInfo) bool) (names []string) {
	all, _ := result.List(runs) // no proposals rather than an error
	for _, r := range all {
		if wanted(r) {
			names = append(names, r.Dir)
		}
	}
	return names
}

// Names are what runs can be called on a command line: those of a directory, newest first, and the
// published results.
func Names(runs string) []string {
	names := Own(runs, func(result.RunInfo) bool { return true })
	for _, name := range reference.Names() {
		names = append(names, "reference/"+name)
	}
	return names
}

// RunsOf is the directory of runs as the command line names it.
func RunsOf(c *cobra.Command) string { return cmp.Or(command.FlagValue(c, "runs"), "runs") }

// CompleteResumable proposes the runs that have not finished; directories too.
func CompleteResumable(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return Own(RunsOf(c), func(r result.RunInfo) bool { return !r.Finished }), cobra.ShellCompDirectiveDefault
}
