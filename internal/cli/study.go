package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/internal/campaign"
	"plimsoll/internal/plan"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/studies"
)

// studyOptions choose a study and its profile.
type studyOptions struct {
	platformOptions
	profile string
	set     []string // each PATH=VALUE
	retries int
	offline bool // connect to no existing server
}

// defaultRetries repairs a passing disturbance and costs little where the
// machine is never quiet.
const defaultRetries = 2

func (o *studyOptions) register(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&o.profile, "profile", "p", "", "apply a profile of the study, such as laptop")
	cmd.Flags().StringArrayVar(&o.set, "set", nil, "set a value of the study, such as engine.cpu=0.5 (`PATH=VALUE`); may be repeated")
	cmd.Flags().IntVar(&o.retries, "retries", defaultRetries, "how many trials may be repeated because of outside interference")
	o.platformOptions.register(cmd)
	cmd.ValidArgsFunction = completeStudies
	_ = cmd.RegisterFlagCompletionFunc("profile", completeProfiles)
	_ = cmd.RegisterFlagCompletionFunc("set", o.completePaths)
}

func completeStudies(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return studies.Names(), cobra.ShellCompDirectiveDefault // files too
}

func completeProfiles(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	_, text, err := readStudy(args[0])
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return study.Profiles(text), cobra.ShellCompDirectiveNoFileComp
}

// readStudy finds a study by file name or by the name of a shipped one.
func readStudy(arg string) (name string, text []byte, err error) {
	text, err = readInput(arg)
	if err == nil {
		return arg, text, nil
	}
	if !errors.Is(err, fs.ErrNotExist) || strings.ContainsRune(arg, filepath.Separator) {
		return "", nil, usage(fmt.Errorf("read the study: %w", err))
	}
	text, shippedErr := studies.Read(arg)
	if shippedErr != nil {
		return "", nil, codedError{fmt.Errorf("%q is neither a file nor a built-in study", arg), exitUsage,
			didYouMean(arg, studies.Names()) + "built-in studies: " + strings.Join(studies.Names(), ", ")}
	}
	return arg + ".yaml", text, nil
}

// largestInput bounds the files that a user names, in bytes; their readers
// accept less.
const largestInput = 1 << 20

// readInput reads a file that the user named, which may be a pipe.
func readInput(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, largestInput+1))
	if len(text) > largestInput {
		return nil, fmt.Errorf("%s has more than %s", path, study.Bytes(largestInput))
	}
	return text, err
}

// makePlan reads a study and plans it for its platform.
func (s *State) makePlan(ctx context.Context, parts campaign.Parts, o studyOptions, arg string, fetch bool) (*plan.Plan, []byte, error) {
	if o.retries < 0 {
		return nil, nil, usage(fmt.Errorf("--retries must be 0 or more, got %d", o.retries))
	}
	name, text, err := readStudy(arg)
	if err != nil {
		return nil, nil, err
	}
	p, err := s.planText(ctx, parts, o, name, text, fetch)
	return p, text, err
}

// planText plans a study that was read.
func (s *State) planText(ctx context.Context, parts campaign.Parts, o studyOptions, name string, text []byte, fetch bool) (*plan.Plan, error) {
	st, err := study.Parse(name, text, o.profile, campaign.Vocabulary(parts), o.set...)
	if err != nil {
		return nil, usage(err)
	}
	if st.Platform, err = o.choose(st.Platform); err != nil {
		return nil, err
	}
	if parts, err = parts.On(st.Platform); err != nil {
		return nil, usage(err)
	}
	site := s.site()
	site.Offline = o.offline
	p, err := campaign.Plan(ctx, parts, st, site, fetch)
	if err != nil {
		return nil, usage(err)
	}
	p.Retry(o.retries)
	return p, nil
}

// site says where volumes would live, for the estimates of a plan.
func (s *State) site() campaign.Site { return campaign.Site{Work: s.workDir("")} }

// settings are what was set, as on a command line.
func settings(set []string) string {
	if len(set) == 0 {
		return ""
	}
	return "--set " + strings.Join(set, " --set ")
}

// noted is the text of a study with what was set on the command line as its first lines.
func noted(text []byte, set []string) []byte {
	var notes strings.Builder
	for _, s := range set {
		fmt.Fprintf(&notes, "# set on the command line: %s\n", strings.ReplaceAll(s, "\n", " "))
	}
	return append([]byte(notes.String()), bytes.TrimPrefix(text, []byte("\ufeff"))...)
}

// resumePlan reads the plan of a run that was begun.
func (s *State) resumePlan(o *runOptions) (*plan.Plan, []byte, error) {
	p, err := result.ReadPlan(o.resume)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, usage(fmt.Errorf("--resume: %s is not a run directory: %w", o.resume, err))
	}
	if err != nil {
		return nil, nil, usage(fmt.Errorf("--resume: %s: %w", o.resume, err))
	}
	if err := p.Rebind(campaign.Vocabulary(Parts())); err != nil {
		return nil, nil, usage(fmt.Errorf("--resume: the plan is not compatible with this version of plimsoll: %w", err))
	}
	if len(o.set) > 0 && !slices.Equal(o.set, p.Study.Set) {
		return nil, nil, codedError{fmt.Errorf("--resume: %s was started with %s; its trials would not compare with those of another --set", o.resume, firstOf(settings(p.Study.Set), "no --set")), exitUsage,
			"leave --set away to continue it, or start a new run"}
	}
	if p.Study.Platform, err = o.choose(p.Study.Platform); err != nil {
		return nil, nil, err
	}
	study, err := result.ReadStudy(o.resume)
	return p, study, err
}
