package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"plimsoll/internal/cli/author"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/rundir"
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
		c.ValidArgsFunction = cobra.NoFileCompletions
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
		return command.CompleteDirectories
	case "output", "study", "binary", "token-file", "config":
		return command.CompleteFiles
	case "baseline", "against":
		return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return rundir.Names(rundir.RunsOf(c)), cobra.ShellCompDirectiveDefault
		}
	case "profile":
		return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if of := command.FlagValue(c, "study"); of != "" {
				args = []string{of}
			}
			return author.CompleteProfiles(c, args, "")
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

// completeJudging proposes what a report can set.
func completeJudging(*cobra.Command, []string, string) (all []string, _ cobra.ShellCompDirective) {
	for _, field := range study.Judging() {
		all = append(all, field+"=")
	}
	return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
