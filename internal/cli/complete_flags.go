package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"plimsoll/internal/result"
	"plimsoll/internal/storage/devicepool"
	"plimsoll/internal/study"
)

// completeAll gives every argument and every flag's value of the commands below one
// their proposals. What a command has said itself stays; what nothing can propose, a
// number or a name that the user chose, proposes no files either.
func completeAll(c *cobra.Command) {
	for _, below := range c.Commands() {
		completeAll(below)
	}
	if c.HasSubCommands() || c.Name() == cobra.ShellCompRequestCmd {
		return
	}
	if c.ValidArgsFunction == nil && len(c.ValidArgs) == 0 {
		c.ValidArgsFunction = completeArguments(c)
	}
	c.Flags().VisitAll(func(f *pflag.Flag) { completeFlag(c, f) })
	c.InheritedFlags().VisitAll(func(f *pflag.Flag) { completeFlag(c, f) })
}

func completeFlag(c *cobra.Command, f *pflag.Flag) {
	if _, has := c.GetFlagCompletionFunc(f.Name); has || f.NoOptDefVal != "" || len(f.Annotations) > 0 {
		return
	}
	_ = c.RegisterFlagCompletionFunc(f.Name, flagCompletion(c, f.Name)) // it exists, and has none
}

func flagCompletion(c *cobra.Command, flag string) cobra.CompletionFunc {
	switch flag {
	case "runs", "work", "cache":
		return completeDirectories
	case "output", "study", "binary", "token-file", "config":
		return completeFiles
	case "baseline", "against":
		return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return runNames(runsOf(c)), cobra.ShellCompDirectiveDefault
		}
	case "profile":
		return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if of := valueOf(c, "study"); of != "" {
				args = []string{of}
			}
			return completeProfiles(c, args, "")
		}
	case "min-grade":
		return cobra.FixedCompletions([]string{"A", "B", "C", "D", "E", "F"}, cobra.ShellCompDirectiveNoFileComp)
	case "fail-if":
		return cobra.FixedCompletions([]string{"p95 > +5%", "mean > +5%", "throughput < -5%"}, cobra.ShellCompDirectiveNoFileComp)
	case "set":
		return completeJudging
	}
	return cobra.NoFileCompletions
}

// completeArguments are the proposals of a command that has none of its own.
func completeArguments(c *cobra.Command) cobra.CompletionFunc {
	switch c.CommandPath() {
	case "plimsoll size", "plimsoll storage up":
		return completeFiles
	case "plimsoll probe":
		return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			_, names := poolNames(runsOf(c))
			return names, cobra.ShellCompDirectiveDefault // paths too
		}
	case "plimsoll storage probe":
		return onlyFirst(func() []string { _, names := poolNames(runsOf(c)); return names })
	case "plimsoll storage down":
		return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			groups, _ := poolNames(runsOf(c))
			return slices.DeleteFunc(groups, func(g string) bool { return slices.Contains(args, g) }), cobra.ShellCompDirectiveNoFileComp
		}
	}
	return cobra.NoFileCompletions
}

func onlyFirst(names func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return names(), cobra.ShellCompDirectiveNoFileComp
	}
}

func completeFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

func completeDirectories(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeJudging proposes what a report can set.
func completeJudging(*cobra.Command, []string, string) (all []string, _ cobra.ShellCompDirective) {
	for _, field := range study.Judging() {
		all = append(all, field+"=")
	}
	return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// poolNames are the groups of pools that are up, and their pools.
func poolNames(runs string) (groups, names []string) {
	all, _ := devicepool.List(runs) // no proposals rather than an error
	for _, g := range all {
		groups = append(groups, g.Name)
		for _, p := range g.Pools {
			names = append(names, p.Name)
		}
	}
	return groups, names
}

// runsOf is the directory of runs as the command line names it.
func runsOf(c *cobra.Command) string { return firstOf(valueOf(c, "runs"), "runs") }

func valueOf(c *cobra.Command, flag string) string {
	if f := c.Flag(flag); f != nil {
		return strings.TrimSpace(f.Value.String())
	}
	return ""
}

// completeResumable proposes the runs that have not finished; directories too.
func completeResumable(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return ownRuns(runsOf(c), func(r result.RunInfo) bool { return !r.Finished }), cobra.ShellCompDirectiveDefault
}
