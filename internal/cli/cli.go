// Package cli is the command line: one file per command, no logic beyond
// flags and printing. Everything a command touches comes in through State, so
// that the whole of it can be tested in process.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"plimsoll/internal/host/caught"
	"plimsoll/internal/study"
	"plimsoll/internal/text/sanitize"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/text/version"
	"plimsoll/internal/text/words"
)

// State is the world as a command sees it.
type State struct {
	Context    context.Context
	Stdin      io.Reader
	Stdout     io.Writer
	Stderr     io.Writer
	Getenv     func(string) string
	Executable string // the plimsoll binary, to start drivers and helpers
	Called     string // the name that it was called by
	Width      int    // of the terminal, 0 when it is not one
	// Screen is standard error if it can redraw lines, nil otherwise. Output to it bypasses the
	// escaping that Stdout and Stderr do.
	Screen *os.File
	// Impatient is cancelled by the second interrupt.
	Impatient context.Context

	JSON bool // --json

	ascii      bool           // standard output is a terminal that shows ASCII only
	invocation *regexp.Regexp // how texts name commands; nil where they need no change
}

// Process is the State of a real process. The first SIGINT or SIGTERM cancels
// Context, the second Impatient.
func Process() *State {
	ctx, cancel := context.WithCancel(context.Background())
	impatient, hurry := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// `plimsoll run | head` must not end a run where it stands: writing then
	// fails, and what was made is taken down in order. Ignoring the signal would
	// pass on to servers and drivers.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	go func() {
		<-signals
		cancel()
		<-signals
		hurry()
	}()
	executable, err := os.Executable()
	if err != nil {
		executable = os.Args[0]
	}
	return &State{
		Context: ctx, Impatient: impatient, Executable: executable, Called: os.Args[0],
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Width: terminalWidth(os.Stdout), Screen: screen(os.Stderr),
	}
}

func screen(f *os.File) *os.File {
	if term.IsTerminal(int(f.Fd())) && !dumb(os.Getenv) {
		return f
	}
	return nil
}

// dumb reports whether the terminal may not understand escape sequences.
func dumb(getenv func(string) string) bool {
	name := getenv("TERM")
	return name == "" || name == "dumb"
}

// colour reports whether output to a terminal may be styled.
func (s *State) colour() bool {
	return s.Width > 0 && s.Getenv("NO_COLOR") == "" && !dumb(s.Getenv)
}

func terminalWidth(f *os.File) int {
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// Main runs one command line and returns its exit code. It escapes control characters in the
// output, which can come from files and servers.
func Main(s *State, args []string) int {
	// A terminal may not say how wide it is, and is one nevertheless.
	out, terminal := &written{w: s.Stdout}, s.Width > 0 || isTerminal(s.Stdout)
	s.ascii = terminal && !namesUTF8(s.Getenv)
	s.Stdout, s.Stderr = s.shown(out, terminal), s.shown(s.Stderr, isTerminal(s.Stderr))
	root := newRoot(s)
	root.SetArgs(s.completes(args))
	err := out.and(execute(s.Context, root, args))
	if err != nil && !s.JSON {
		s.JSON = asksForJSON(args) // cobra may have stopped before it read the flag
	}
	var quiet silentError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &quiet):
		return quiet.code
	case readerLeft(err):
		return exitReaderLeft
	}
	if out.err != nil {
		s.JSON = false // an error on the output that cannot be written would be lost
	}
	return s.fail(err)
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
func (s *State) fail(err error) int {
	code := exitCode(err)
	if s.JSON {
		_ = s.printJSON(map[string]failure{"error": {sanitize.Masked(s.spoken(err.Error())), sanitize.Masked(s.spoken(hintOf(err))), code}})
		return code
	}
	s.complain("plimsoll: %s", s.spoken(err.Error()))
	if hint := s.spoken(hintOf(err)); hint != "" {
		s.complain("\n  %s", strings.ReplaceAll(hint, "\n", "\n  "))
	}
	var mistake *caught.Panic
	if errors.As(err, &mistake) {
		fmt.Fprintf(s.Stderr, "\n%s", mistake.Stack)
	}
	return code
}

func newRoot(s *State) *cobra.Command {
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
		RunE:          func(c *cobra.Command, _ []string) error { return s.first(c) },
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
		return codedError{wrongValue(err), exitUsage, nearestFlag(c, err) + c.CommandPath() + " --help lists its flags"}
	})
	root.AddCommand(
		newTry(s), newDemo(s), newRun(s), newPlan(s), newReport(s), newList(s), newShow(s), newWhy(s), newAskForHelp(s), newDoctor(s), newSetup(s), newClean(s),
		newCompare(s), newExport(s), newSize(s), newStudies(s), newStudy(s), newSchema(s), newMan(s), newDocs(s), newVersion(s), newTask(s), newPod(s), newMedium(s), newNFSMount(s), newImaged(s), newSink(s), newStorage(s), newProbe(s), newImage(s), newAttach(s), newFetch(s), newServe(s),
	)
	completeAll(root)
	strictHelp(root)
	root.InitDefaultCompletionCmd()
	strictGroups(root)
	s.asPlugin(root)
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
			c.Args = knownBelow
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
}

// printJSON writes one indented JSON value.
func (s *State) printJSON(v any) error {
	e := json.NewEncoder(s.jsonOut())
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false) // "p95 <= 200ms" stays readable
	return e.Encode(v)
}

// Exit codes; docs/exit-codes.md lists them for users.
const (
	exitFailure      = 1   // anything not below
	exitUsage        = 2   // wrong arguments, or a study with problems
	exitCannotRun    = 3   // the plan does not fit this machine, or a part is missing
	exitTrialFailed  = 4   // the run went to its end, some trials failed
	exitRefused      = 5   // the results are not good enough for a verdict
	exitDifferent    = 6   // compare: a --fail-if condition holds
	exitLeft         = 7   // clean: something could not be removed
	exitInconclusive = 8   // compare: the trials do not decide
	exitUnmet        = 9   // size: no configuration meets the demand
	exitMistake      = 10  // a mistake in Plimsoll itself
	exitInterrupted  = 130 // stopped by a signal
	exitReaderLeft   = 141 // the reader of the output went away; as shells number SIGPIPE
)

// codedError is an error with an exit code and what the user can do about it.
type codedError struct {
	error
	code int
	hint string
}

func (e codedError) Unwrap() error { return e.error }

// silentError ends a command with a code after everything has been printed.
type silentError struct{ code int }

func (e silentError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

func silent(code int) error { return silentError{code} }

func usage(err error) error { return codedError{err, exitUsage, ""} }

func cannotRun(err error, hint string) error { return codedError{err, exitCannotRun, hint} }

func exitCode(err error) int {
	var coded codedError
	var mistake *caught.Panic
	switch {
	case errors.As(err, &mistake):
		return exitMistake
	case errors.As(err, &coded):
		return coded.code
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return exitFailure
}

func hintOf(err error) string {
	var coded codedError
	if errors.As(err, &coded) {
		return coded.hint
	}
	return ""
}

// exactArgs is cobra.ExactArgs with an error that shows how the command is
// used.
func exactArgs(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := cobra.ExactArgs(n)(c, args); err != nil {
			return usage(fmt.Errorf("%s takes %s, not %d; usage: %s", c.Name(), words.Count(n, "argument"), len(args), c.UseLine()))
		}
		return nil
	}
}

func maxArgs(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := cobra.MaximumNArgs(n)(c, args); err != nil {
			return usage(fmt.Errorf("%s takes at most %s, not %d; usage: %s", c.Name(), words.Count(n, "argument"), len(args), c.UseLine()))
		}
		return nil
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
	return codedError{fmt.Errorf("unknown command %q", args[0]), exitUsage, hint}
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
	return didYouMean("--"+unknown.GetSpecifiedName(), known)
}

// didYouMean is the beginning of a hint: the nearest of the known names, if
// one is near.
func didYouMean(name string, known []string) string {
	near := study.Nearest(name, known)
	if near == "" {
		return ""
	}
	return "did you mean " + near + "? "
}
