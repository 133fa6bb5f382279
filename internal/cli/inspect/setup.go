package inspect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/internal/app"
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/cli/author"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
)

func newSetup(s *command.State) *cobra.Command {
	var profile string
	var set []string
	var yes bool
	cmd := &cobra.Command{
		Use:   "setup STUDY",
		Short: "Say, or run with --yes, what installs what a study needs here",
		Long: `Setup looks for what the engines and storage classes of a study need on
this machine, and prints the one command that installs the packages that are missing.
With --yes it runs that command, as root or by a sudo that asks for no password. What Plimsoll downloads by itself is
named with its size; what no package repairs is named with its fix. STUDY is a file, -
for standard input, or the name of a built-in study.

Exit codes: 0 no package is missing (any more); 2 the study has problems; 3 packages are
missing.`,
		Example: "  plimsoll setup quickstart\n  plimsoll setup my-first.yaml --profile laptop\n  sudo plimsoll setup my-first.yaml --yes",
		Args:    command.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			st, err := studyHere(s, args[0], profile, set)
			if err != nil {
				return err
			}
			look := func() needs { return needsOf(s.Context, checkersOf(st)) }
			return installMissing(s, st.Name, look, yes)
		},
		ValidArgsFunction: author.CompleteStudies,
	}
	cmd.Flags().StringVar(&profile, "profile", "", "profile of the study to use")
	cmd.Flags().StringArrayVar(&set, "set", nil, "set a field of the study (`PATH=VALUE`); may be repeated")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "run the command")
	_ = cmd.RegisterFlagCompletionFunc("profile", author.CompleteProfiles)
	return cmd
}

// studyHere reads a study that runs on this machine.
func studyHere(s *command.State, arg, profile string, set []string) (*study.Study, error) {
	name, text, err := author.ReadStudy(s, arg)
	if err != nil {
		return nil, err
	}
	st, err := study.Parse(name, text, profile, facts.Vocabulary(registry.Parts()), set...)
	if err != nil {
		return nil, command.Usage(err)
	}
	if p := st.Platform.Name; p != "" && p != facts.DefaultPlatform {
		return nil, command.WithCode(fmt.Errorf("setup %s: the study runs on %s, whose containers bring what they need: there is nothing to install on this machine", arg, p),
			command.ExitUsage, "plimsoll doctor --platform "+p+" checks what it needs there")
	}
	return st, nil
}

// checkersOf are the kinds that a study uses on this machine and that need something of
// it. An existing server is there already.
func checkersOf(st *study.Study) []doctor.Checker {
	all := registry.Parts()
	used := facts.Parts{Engines: map[string]app.Engine{}, Kinds: storage.Registry{}}
	take := func(e study.Engine) {
		if found := all.Engines[e.Name]; found != nil && e.Existing == nil {
			used.Engines[e.Name] = found
		}
	}
	variants, err := st.Expand()
	if err != nil {
		variants = nil // which Parse would have found
	}
	for _, whole := range variants {
		for _, v := range append(whole.Tile(), whole) {
			take(v.Engine)
			if v.Deployment != "" {
				used.Platform = all.Platform // which looks at the ways of deployment
			}
			for _, e := range v.Stack {
				take(e)
			}
			for _, of := range v.Storages {
				for at := &of; at != nil; at = at.Otherwise {
					if found := all.Kinds[at.Class]; found != nil {
						used.Kinds[at.Class] = found
					}
				}
			}
		}
	}
	return registry.Checkers(used)
}

// needs is what kinds lack on this machine.
type needs struct {
	Missing []string       `json:"missing"` // names of what packages repair
	Command string         `json:"command,omitempty"`
	Then    string         `json:"then,omitempty"` // what remains to be done after the command
	Fetched []string       `json:"fetched,omitempty"`
	Remains []doctor.Check `json:"remains,omitempty"` // what no package repairs
	install []string       // the command's words; none where the package manager is not known
}

func needsOf(ctx context.Context, all []doctor.Checker) needs {
	var checks []doctor.Check
	for _, c := range all {
		checks = append(checks, c.Checks(ctx)...)
	}
	n := needs{Missing: []string{}}
	var lacks doctor.Packages
	for _, c := range doctor.Merge(checks) {
		switch {
		case c.Fetches != "":
			n.Fetched = append(n.Fetched, c.Fetches)
		case c.Status == doctor.OK:
		case c.Lacks.Debian != "":
			n.Missing, lacks = append(n.Missing, c.Name), lacks.And(c.Lacks)
		default:
			n.Remains = append(n.Remains, c)
		}
	}
	if len(n.Missing) == 0 {
		return n
	}
	n.install, n.Then, lacks.Then = lacks.Command(), lacks.Then, ""
	n.Command = lacks.Install()
	if len(n.install) > 0 && os.Geteuid() != 0 {
		n.Command = "sudo " + n.Command
	}
	return n
}

// installMissing says what look finds, and runs what installs it where yes says so.
func installMissing(s *command.State, name string, look func() needs, yes bool) error {
	n := look()
	if yes && len(n.Missing) > 0 {
		if err := runInstall(s, n); err != nil {
			return err
		}
		n = look()
	}
	if s.JSON {
		if err := s.PrintJSON(n); err != nil {
			return err
		}
	} else {
		printNeeds(s, name, n)
	}
	if len(n.Missing) > 0 {
		return command.Silent(command.ExitCannotRun)
	}
	return nil
}

// runInstall runs the command, which asks no questions: neither the package manager nor a
// package (Debian's ask unless told otherwise), and nobody for a password.
func runInstall(s *command.State, n needs) error {
	if len(n.install) == 0 {
		return command.CannotRun(fmt.Errorf("there is no package manager here that setup knows (apt-get, dnf); missing: %s", words.Join(n.Missing)), n.Command)
	}
	line, err := asRoot(s.Context, os.Geteuid(), append([]string{doctor.Lookup(n.install[0]), n.install[1], "-y"}, n.install[2:]...))
	if err != nil {
		return command.CannotRun(fmt.Errorf("install %s: %w", words.Join(n.Missing), err), n.Command)
	}
	cmd := exec.CommandContext(s.Context, line[0], line[1:]...)
	cmd.Env = append(os.Environ(), unasked)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.Stdin, s.Stderr, s.Stderr // standard output is for the answer
	if err := cmd.Run(); err != nil {
		return command.CannotRun(fmt.Errorf("run %s: %w", strings.Join(cmd.Args, " "), err), "what it says above is the cause; `apt-get update` first where packages are not found")
	}
	return nil
}

// unasked has Debian's packages ask nothing while they are installed.
const unasked = "DEBIAN_FRONTEND=noninteractive"

// asRoot is how a user runs a command as root without being asked for a password. The error
// says why that does not go.
func asRoot(ctx context.Context, user int, line []string) ([]string, error) {
	if user == 0 {
		return line, nil
	}
	sudo := doctor.Lookup("sudo")
	if sudo == "" {
		return nil, errors.New("this takes root, and there is no sudo here")
	}
	if err := exec.CommandContext(ctx, sudo, "-n", "true").Run(); err != nil {
		return nil, errors.New("this takes root, which sudo does not give you without a password")
	}
	return append([]string{sudo, "-n", "env", unasked}, line...), nil // sudo passes on no environment
}

func printNeeds(s *command.State, name string, n needs) {
	if len(n.Missing) > 0 {
		s.PrintWrapped("%s lacks %s. This installs what is missing:", name, words.Join(n.Missing))
		s.PrintWrapped("  %s", n.Command)
		if n.Then != "" {
			s.PrintWrapped("  then: %s", n.Then)
		}
	} else {
		s.PrintWrapped("No package is missing for %s.", name)
	}
	for _, what := range n.Fetched {
		s.PrintWrapped("The first run downloads %s.", what)
	}
	for _, c := range n.Remains {
		s.PrintWrapped("No package repairs this: %s: %s; %s", c.Name, c.Found, c.Means)
		if c.Fix != "" {
			s.PrintWrapped("  fix: %s", c.Fix)
		}
	}
}
