package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/internal/report"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/reference"
)

// completeRuns proposes up to most runs: first the runs directory, newest first, then the
// published results. Directories are completed, too.
func completeRuns(runs *string, most int) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return runNames(*runs), cobra.ShellCompDirectiveDefault
	}
}

// ownRuns are the wanted ones of a directory, newest first.
func ownRuns(runs string, wanted func(result.RunInfo) bool) (names []string) {
	all, _ := result.List(runs) // no proposals rather than an error
	for _, r := range all {
		if wanted(r) {
			names = append(names, r.Dir)
		}
	}
	return names
}

func runNames(runs string) []string {
	names := ownRuns(runs, func(result.RunInfo) bool { return true })
	for _, name := range reference.Names() {
		names = append(names, "reference/"+name)
	}
	return names
}

// completeTrials proposes a run and then one of its trials.
func completeTrials(runs *string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		switch len(args) {
		case 0:
			return runNames(*runs), cobra.ShellCompDirectiveDefault
		case 1:
			return trialNames(*runs, args[0]), cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

func trialNames(runs, name string) []string {
	run, err := openRun(runs, []string{name})
	if err != nil {
		return nil
	}
	var ids []string
	for _, t := range run.Trials {
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
			return runNames(*runs), cobra.ShellCompDirectiveDefault
		}
		run, err := openRun(*runs, []string{name})
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

func tableNames() []string {
	var names []string
	for _, t := range report.Tables() {
		names = append(names, string(t))
	}
	return names
}

// completePaths proposes the paths that the study has, for --set.
func (o *studyOptions) completePaths(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	text, err := completedStudy(args)
	if err != nil {
		return nil, directive
	}
	var all []string
	for _, path := range study.Paths(text, o.profile) {
		all = append(all, path+"=")
	}
	return all, directive
}
