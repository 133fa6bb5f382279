package author

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/study"
	"plimsoll/internal/study/templates"
	"plimsoll/internal/text/words"
)

func newStudy(s *command.State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "study",
		Short: "Write a study file",
		Long:  "Study writes a study of your own. For the built-in studies see plimsoll studies.",
	}
	cmd.AddCommand(newStudyNew(s))
	return cmd
}

type studyNewOptions struct {
	given map[string]*string // answers by flag
	force bool
}

func newStudyNew(s *command.State) *cobra.Command {
	o := &studyNewOptions{given: map[string]*string{}}
	var a templates.Answers
	cmd := &cobra.Command{
		Use:   "new [FILE]",
		Short: "Ask five questions and write a commented study",
		Long: `New asks what application, where the storage is, how many at most, what is slow
enough to complain about, and what all of it costs, and writes a study with comments to
FILE (default NAME.yaml in this directory; - for standard output).

Each question has a flag; what a flag answers is not asked. Where there is no
terminal nothing is asked: only --storage is needed, all others have defaults.

Exit codes: 0 written; 2 an answer is impossible, or FILE exists and --force was not
given.`,
		Example: `  plimsoll study new
  plimsoll study new my-first.yaml --application shop --storage /mnt/fast
  plimsoll study new - --storage /mnt/fast --limit "p99 <= 1s" --price "12000 EUR"`,
		Args: command.MaxArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return writeNewStudy(s, c, o, &a, args) },
	}
	f := cmd.Flags()
	for _, q := range a.Questions() {
		hint, _, _ := strings.Cut(q.Hint(), "\n")
		if q.Flag == "application" {
			hint = strings.Join(templates.Names(), ", ")
		}
		o.given[q.Flag] = f.String(q.Flag, "", hint)
	}
	f.BoolVar(&o.force, "force", false, "replace FILE if it exists")
	_ = cmd.MarkFlagDirname("storage")
	_ = cmd.RegisterFlagCompletionFunc("application", cobra.FixedCompletions(templates.Names(), cobra.ShellCompDirectiveNoFileComp))
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
	}
	return cmd
}

func writeNewStudy(s *command.State, c *cobra.Command, o *studyNewOptions, a *templates.Answers, args []string) error {
	asker := askerOf(s)
	for _, q := range a.Questions() {
		var err error
		switch {
		case c.Flags().Changed(q.Flag):
			err = q.Set(*o.given[q.Flag])
		case asker != nil:
			if err := asker.ask(s.Context, q); err != nil {
				return err
			}
		default:
			err = q.Set(q.Default())
		}
		if err != nil {
			return command.WithCode(fmt.Errorf("--%s: %w", q.Flag, err), command.ExitUsage, q.Hint())
		}
	}
	text := a.Study()
	st, err := study.Parse("the new study", text, "", facts.Vocabulary(registry.Parts()))
	if err != nil {
		return err
	}
	return writeStudy(s, append(args, st.Name+".yaml")[0], text, o.force)
}

func writeStudy(s *command.State, path string, text []byte, force bool) error {
	if path == "-" {
		_, err := s.Stdout.Write(text)
		return err
	}
	if err := command.FitsName(path, "yaml"); err != nil {
		return err
	}
	existing := os.O_EXCL
	if force {
		existing = os.O_TRUNC
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|existing, 0o644)
	if errors.Is(err, os.ErrExist) {
		return command.WithCode(fmt.Errorf("%s exists", path), command.ExitUsage, "name another FILE, or replace it with --force")
	}
	if err != nil {
		return fmt.Errorf("write the study: %w", err)
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write the study: %w", err)
	}
	if s.JSON {
		return s.PrintJSON(map[string]string{"study": path})
	}
	s.PrintWrapped("%s\n\nNext:\n  plimsoll plan %s\n  plimsoll run %s", path, words.Shell(path), words.Shell(path))
	return nil
}

// asker asks on a terminal.
type asker struct {
	lines <-chan string // the answers; closed at their end
	out   io.Writer
	wrap  func(string) string // to the terminal
}

// askerOf is nil where nobody can be asked.
func askerOf(s *command.State) *asker {
	in, ok := s.Stdin.(*os.File)
	if !ok || s.JSON || !term.IsTerminal(int(in.Fd())) {
		return nil
	}
	a := newAsker(in, s.Stderr)
	a.wrap = s.Wrapped
	return a
}

func newAsker(in io.Reader, out io.Writer) *asker {
	lines := make(chan string)
	go func() { // reading cannot be interrupted
		defer close(lines)
		for scanner := bufio.NewScanner(in); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	return &asker{lines: lines, out: out, wrap: func(text string) string { return text }}
}

// ask repeats a question until the answer is possible. An empty answer is the default.
func (a *asker) ask(ctx context.Context, q templates.Question) error {
	fmt.Fprintln(a.out, a.wrap("\n"+q.Text()+"\n  "+strings.ReplaceAll(q.Hint(), "\n", "\n  ")))
	for {
		prompt := "> "
		if q.Default() != "" {
			prompt = "[" + q.Default() + "] > "
		}
		fmt.Fprint(a.out, prompt)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case line, more := <-a.lines:
			if !more {
				return command.Usage(errors.New("study new: the answers ended before the last question"))
			}
			err := q.Set(cmp.Or(strings.TrimSpace(line), q.Default()))
			if err == nil {
				return nil
			}
			fmt.Fprintln(a.out, a.wrap("  "+err.Error()))
		}
	}
}
