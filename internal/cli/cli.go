// Package cli puts the command line together: the root command, and how it ends. Each command is a
// file of a package below, with its flags and what it prints.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"plimsoll/internal/cli/author"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/inspect"
	"plimsoll/internal/cli/machine"
	"plimsoll/internal/cli/results"
	"plimsoll/internal/cli/run"
	"plimsoll/internal/host/caught"
	"plimsoll/internal/text/sanitize"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/text/version"
)

// Main runs one command line and returns its exit code. It escapes control characters in the
// output, which can come from files and servers.
func Main(s *command.State, args []string) int {
	out := s.ForReaders()
	root := newRoot(s)
	root.SetArgs(completes(s, args))
	err := out.And(execute(s.Context, root, args))
	if err != nil && !s.JSON {
		s.JSON = asksForJSON(args) // cobra may have stopped before it read the flag
	}
	code, silent := command.SilentCode(err)
	switch {
	case err == nil:
		return 0
	case silent:
		return code
	case readerLeft(err):
		return command.ExitReaderLeft
	}
	if out.Err != nil {
		s.JSON = false // an error on the output that cannot be written would be lost
	}
	return fail(s, err)
}

// execute runs a command line. It turns a panic of a command into an error, so that the command's
// resources are given back and its user learns what to do.
func execute(ctx context.Context, root *cobra.Command, args []string) (err error) {
	defer caught.As("plimsoll "+strings.Join(args, " "), &err)
	return root.ExecuteContext(ctx)
}

// readerLeft reports whether the reader of standard output has gone, as after
// `plimsoll show | head`.
func readerLeft(err error) bool {
	var failed *fs.PathError
	return errors.As(err, &failed) && failed.Path == os.Stdout.Name() && errors.Is(err, syscall.EPIPE)
}

// asksForJSON looks for --json in a command line that could not be parsed.
func asksForJSON(args []string) bool {
	for _, a := range args {
		switch a {
		case "--json", "--json=true":
			return true
		case "--":
			return false
		}
	}
	return false
}

// failure is an error as JSON.
type failure struct {
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Code    int    `json:"exit_code"`
}

// fail prints the error once, in words or as JSON, and gives the exit code.
func fail(s *command.State, err error) int {
	code := command.ExitCode(err)
	if s.JSON {
		_ = s.PrintJSON(map[string]failure{"error": {sanitize.Masked(s.Spoken(err.Error())), sanitize.Masked(s.Spoken(command.Hint(err))), code}})
		return code
	}
	s.Complain("plimsoll: %s", s.Spoken(err.Error()))
	if hint := s.Spoken(command.Hint(err)); hint != "" {
		s.Complain("\n  %s", strings.ReplaceAll(hint, "\n", "\n  "))
	}
	var mistake *caught.Panic
	if errors.As(err, &mistake) {
		fmt.Fprintf(s.Stderr, "\n%s", mistake.Stack)
	}
	return code
}

func newRoot(s *command.State) *cobra.Command {
	root := &cobra.Command{
		Use:   "plimsoll",
		Short: "Find the load line of storage under stateful applications",
		Long: `Plimsoll finds out how many instances of an application your storage can carry,
how fast, at what price, and what the bottleneck is. It deploys real servers on
each storage class, drives them with realistic users, samples the machine,
audits what was acknowledged and writes a report.

Start with:
  plimsoll doctor            what this machine can do, and what is missing
  plimsoll demo              a first answer without storage of yours, in a few minutes
  plimsoll try PATH          a first answer for a directory
  plimsoll studies           the built-in studies
  plimsoll study new         a study of your own`,
		Args:          knownCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return first(s, c) },
		Version:       version.Get(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetVersionTemplate("plimsoll {{.Version}}\n")
	root.SetOut(s.Stdout)
	root.SetErr(s.Stderr)
	root.SetIn(s.Stdin)
	root.PersistentFlags().BoolVar(&s.JSON, "json", false, "print JSON instead of text, including errors")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return command.WithCode(wrongValue(err), command.ExitUsage, nearestFlag(c, err)+c.CommandPath()+" --help lists its flags")
	})
	for _, commands := range []func(*command.State) []*cobra.Command{run.Commands, results.Commands, inspect.Commands, author.Commands, machine.Commands} {
		root.AddCommand(commands(s)...)
	}
	completeAll(root)
	strictHelp(root)
	root.InitDefaultCompletionCmd()
	strictGroups(root)
	asPlugin(s, root)
	return root
}

// strictHelp makes cobra's own help command fail on an unknown command.
func strictHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		return
	}
	help.Run = nil
	help.RunE = func(_ *cobra.Command, args []string) error {
		of, rest, err := root.Find(args)
		if err == nil && len(rest) == 0 {
			return of.Help()
		}
		return errors.Join(err, knownCommand(root, rest))
	}
}

// strictGroups makes commands that only hold others fail on an unknown subcommand; cobra would
// show their help and succeed.
func strictGroups(root *cobra.Command) {
	for _, c := range root.Commands() {
		if c.HasSubCommands() && !c.Runnable() {
			c.Args = command.KnownBelow
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
}

// knownCommand refuses an unknown command, and suggests similar ones.
func knownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "plimsoll --help lists the commands"
	root.SuggestionsMinimumDistance = 2
	if near := root.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean: plimsoll " + strings.Join(near, ", plimsoll ")
	}
	return command.WithCode(fmt.Errorf("unknown command %q", args[0]), command.ExitUsage, hint)
}

// wrongValue says what a flag's value should be, where the error of a flag is about that.
func wrongValue(err error) error {
	var wrong *pflag.InvalidValueError
	if !errors.As(err, &wrong) {
		return err
	}
	name, value := "--"+wrong.GetFlag().Name, wrong.GetValue()
	kind := wrong.GetFlag().Value.Type()
	var quantity *unit.Error
	if kind == "duration" {
		err = new(unit.Duration).UnmarshalText([]byte(value))
	}
	expected := map[string]string{"int": "a whole number, such as 4", "float64": "a number, such as 0.5", "bool": "true or false"}[kind]
	switch {
	case errors.As(err, &quantity):
		return fmt.Errorf("%s: %w", name, quantity)
	case expected != "":
		return fmt.Errorf("%s: found %q; expected %s", name, value, expected)
	}
	return wrong
}

// nearestFlag guesses which flag was meant by one that does not exist.
func nearestFlag(c *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return ""
	}
	var known []string
	c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
	c.InheritedFlags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
	return command.DidYouMean("--"+unknown.GetSpecifiedName(), known)
}
