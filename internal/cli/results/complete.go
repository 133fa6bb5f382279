package results

import (
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/result"
)

// completeTrials proposes a run and then one of its trials.
func completeTrials(runs *string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		switch len(args) {
		case 0:
			return rundir.Names(*runs), cobra.ShellCompDirectiveDefault
		case 1:
			return trialNames(*runs, args[0]), cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

func trialNames(runs, name string) []string {
	run, err := rundir.Open(runs, []string{name})
	if err != nil {
		return nil
	}
	return tileIDs(run)
}

// tileIDs are the identifiers of a run's trials.
func tileIDs(run *result.Run) (ids []string) {
	for _, t := range run.Tiles() {
		ids = append(ids, t.ID)
	}
	return ids
}

// completeSides proposes runs and, after a colon, their variants.
func completeSides(runs *string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= 2 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		name, _, variants := strings.Cut(typed, ":")
		if !variants {
			return rundir.Names(*runs), cobra.ShellCompDirectiveDefault
		}
		run, err := rundir.Open(*runs, []string{name})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var sides []string
		for _, v := range variantsOf(run) {
			sides = append(sides, name+":"+v)
		}
		return sides, cobra.ShellCompDirectiveNoFileComp
	}
}
