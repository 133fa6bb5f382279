package author

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/study"
	"plimsoll/studies"
)

// ReadStudy finds a study by file name, by the name of a shipped one, or on standard
// input.
func ReadStudy(s *command.State, arg string) (name string, text []byte, err error) {
	name, text, err = s.ReadInput(arg)
	if err == nil || errors.Is(err, context.Canceled) {
		return name, text, err
	}
	text, shippedErr := studies.Read(arg)
	directory := errors.Is(err, syscall.EISDIR) && shippedErr == nil // that has the name of a study by chance
	if !errors.Is(err, fs.ErrNotExist) && !directory || strings.ContainsRune(arg, filepath.Separator) {
		return "", nil, command.Usage(fmt.Errorf("read the study: %w", err))
	}
	if shippedErr != nil {
		return "", nil, command.WithCode(fmt.Errorf("%q is neither a file nor a built-in study", arg), command.ExitUsage,
			command.DidYouMean(strings.TrimSuffix(arg, ".yaml"), studies.Names())+"built-in studies: "+strings.Join(studies.Names(), ", "))
	}
	return arg + ".yaml", text, nil
}

// CompleteStudies proposes the shipped studies, and files.
func CompleteStudies(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return studies.Names(), cobra.ShellCompDirectiveDefault // files too
}

// CompletedStudy is the text of the study on a command line that is being completed.
func CompletedStudy(args []string) ([]byte, error) {
	if len(args) == 0 || args[0] == command.StandardInput {
		return nil, errors.New("there is no file to look into")
	}
	_, text, err := ReadStudy(&command.State{Context: context.Background()}, args[0])
	return text, err
}

// CompleteProfiles proposes the profiles of the study on the command line.
func CompleteProfiles(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	text, err := CompletedStudy(args)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return study.Profiles(text), cobra.ShellCompDirectiveNoFileComp
}
