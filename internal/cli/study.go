package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plimsoll/internal/campaign"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/words"
	"plimsoll/studies"
)

// studyOptions choose a study and its profile.
type studyOptions struct {
	platformOptions
	profile string
	set     []string // each PATH=VALUE
	retries int
	// within ends a search for the load line; 0 is no limit. Only run and plan have it.
	within time.Duration
	silent bool // ask nothing of servers that the study names
	// untested are engines that may be used although nobody tried them.
	untested []string
	// site is the place where a run will put its files; the default one if it is empty.
	site campaign.Site
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

// registerWithin adds the flag of commands that plan a run.
func (o *studyOptions) registerWithin(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&o.untested, "untested", nil, "allow an `ENGINE` that was never tried on a real server; results say so")
	_ = cmd.RegisterFlagCompletionFunc("untested", cobra.FixedCompletions(untestedEngines(), cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().DurationVar(&o.within, "within", 0, "end a search after this time, such as 4m (default that of ladder.auto in the study)")
}

func completeStudies(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return studies.Names(), cobra.ShellCompDirectiveDefault // files too
}

// completedStudy is the text of the study on a command line that is being completed.
func completedStudy(args []string) ([]byte, error) {
	if len(args) == 0 || args[0] == standardInput {
		return nil, errors.New("there is no file to look into")
	}
	_, text, err := (&State{Context: context.Background()}).readStudy(args[0])
	return text, err
}

func completeProfiles(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	text, err := completedStudy(args)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return study.Profiles(text), cobra.ShellCompDirectiveNoFileComp
}

// makePlan reads a study and plans it for its platform.
func (s *State) makePlan(ctx context.Context, parts campaign.Parts, o studyOptions, arg string, fetch campaign.Fetching) (*plan.Plan, []byte, error) {
	if o.retries < 0 {
		return nil, nil, usage(fmt.Errorf("--retries must be 0 or more, got %d", o.retries))
	}
	name, text, err := s.readStudy(arg)
	if err != nil {
		return nil, nil, err
	}
	p, err := s.planText(ctx, parts, o, name, text, fetch)
	return p, text, err
}

// planText plans a study that was read.
func (s *State) planText(ctx context.Context, parts campaign.Parts, o studyOptions, name string, text []byte, fetch campaign.Fetching) (*plan.Plan, error) {
	st, err := study.Parse(name, text, o.profile, campaign.Vocabulary(parts), o.set...)
	if err != nil {
		return nil, usage(err)
	}
	if err := o.unchosen(st.Platform); err != nil {
		return nil, err
	}
	if st.Platform, err = o.choose(st.Platform); err != nil {
		return nil, err
	}
	if parts, err = parts.On(st.Platform); err != nil {
		return nil, usage(err)
	}
	for _, name := range o.untested {
		if !slices.Contains(untestedEngines(), name) {
			return nil, usage(fmt.Errorf("--untested: %q is no untested engine; those are: %s", name, strings.Join(untestedEngines(), ", ")))
		}
	}
	parts.Untested = o.untested
	site := o.siteOr(s.site("", "", "runs"))
	site.Asking = s.asking()
	site.Asking.Never = o.silent
	p, err := campaign.Plan(ctx, parts, st, site, fetch)
	if err != nil {
		return nil, usage(err)
	}
	p.Retry(o.retries)
	if o.within == 0 {
		o.within = st.Ladder.Within.D()
	}
	return p, o.limit(p)
}

// asking says whom existing servers' plans ask, before they do.
func (s *State) asking() campaign.Asking {
	return campaign.Asking{Say: func(what string) { s.complain("%s", what) }}
}

// unchosen refuses a kubeconfig file that a study alone has chosen where it is not to be
// asked: such a file names programs that are executed.
func (o studyOptions) unchosen(p study.Platform) error {
	c, ok := p.Parameters.(ofCluster)
	if !ok || !o.silent || o.inCluster || o.kubeconfig != "" || o.platform != "" && o.platform != p.Name {
		return nil
	}
	file, _ := c.Cluster()
	if file == "" {
		return nil
	}
	return codedError{fmt.Errorf("the cluster was not asked: the study names the kubeconfig file %s, which chooses the host that is asked, the credentials it is given and programs that are executed", file), exitUsage,
		"if you trust it: plimsoll plan --ask, or --kubeconfig " + words.Shell(file)}
}

// limit ends the plan's search after --within.
func (o studyOptions) limit(p *plan.Plan) error {
	if err := p.Limit(o.within); err != nil {
		return usage(fmt.Errorf("--within: %w", err))
	}
	return nil
}

// site says what a run with these flags would fill, for the estimates of a plan.
func (s *State) site(work, cache, runs string) campaign.Site {
	return campaign.Site{Work: s.workDir(work), Cache: s.cacheDir(cache), Runs: absolute(runs)}
}

func (o studyOptions) siteOr(usual campaign.Site) campaign.Site {
	if o.site.Work == "" {
		return usual
	}
	return o.site
}

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
	if c, ok := p.Study.Platform.Parameters.(ofCluster); ok {
		o.cluster, _ = c.Cluster()
		o.cluster = absoluteOrEmpty(o.cluster)
	}
	text, err := result.ReadStudy(o.resume)
	if err != nil {
		return nil, nil, err
	}
	if err := o.limit(p); err != nil {
		return nil, nil, err
	}
	return p, text, o.unedited(p.Study, text)
}
