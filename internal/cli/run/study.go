package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/cli/author"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/place"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/words"
)

// studyOptions choose a study and its profile.
type studyOptions struct {
	place.Options
	profile string
	set     []string // each PATH=VALUE
	retries int
	// within ends a search for the load line; 0 is no limit. Only run and plan have it.
	within time.Duration
	silent bool // ask nothing of servers that the study names
	// offline has the study planned for the machine or the cluster that it describes. Only plan has it.
	offline bool
	// untested are engines that may be used although nobody tried them.
	untested []string
	// site is the place where a run will put its files; the default one if it is empty.
	site facts.Site
}

// defaultRetries repairs a passing disturbance and costs little where the
// machine is never quiet.
const defaultRetries = 2

func (o *studyOptions) register(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&o.profile, "profile", "p", "", "apply a profile of the study, such as laptop")
	cmd.Flags().StringArrayVar(&o.set, "set", nil, "set a value of the study, such as engine.cpu=0.5 (`PATH=VALUE`); may be repeated")
	cmd.Flags().IntVar(&o.retries, "retries", defaultRetries, "how many trials may be repeated because of outside interference")
	o.Options.Register(cmd)
	cmd.ValidArgsFunction = author.CompleteStudies
	_ = cmd.RegisterFlagCompletionFunc("profile", author.CompleteProfiles)
	_ = cmd.RegisterFlagCompletionFunc("set", o.completePaths)
}

// registerWithin adds the flag of commands that plan a run.
func (o *studyOptions) registerWithin(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&o.untested, "untested", nil, "allow an `ENGINE` that was never tried on a real server; results say so")
	_ = cmd.RegisterFlagCompletionFunc("untested", cobra.FixedCompletions(registry.UntestedEngines(), cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().DurationVar(&o.within, "within", 0, "end a search after this time, such as 4m (default that of ladder.auto in the study)")
	cmd.Flags().Var(accuracy{&o.set}, "accuracy", "go on until the answer may be off by at most `SHARE`, such as 5% (default the study's)")
	_ = cmd.RegisterFlagCompletionFunc("accuracy", cobra.FixedCompletions([]string{"5%", "10%", "25%"}, cobra.ShellCompDirectiveNoFileComp))
}

// accuracy is the flag that sets a study's accuracy.
type accuracy struct{ set *[]string }

// String is the default.
func (accuracy) String() string { return "" }

// Type is what usage calls the value.
func (accuracy) Type() string { return "share" }

// Set refuses what no run can reach.
func (a accuracy) Set(text string) error {
	var share study.Percentage
	if err := share.UnmarshalText([]byte(text)); err != nil {
		return err
	}
	if share <= 0 || share >= 1 {
		return errors.New("it is how far the answer may be off at most: above 0% and below 100%, such as 10%")
	}
	*a.set = append(*a.set, "accuracy="+text)
	return nil
}

// completePaths proposes the paths that the study has, for --set.
func (o *studyOptions) completePaths(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	text, err := author.CompletedStudy(args)
	if err != nil {
		return nil, directive
	}
	var all []string
	for _, path := range study.Paths(text, o.profile) {
		all = append(all, path+"=")
	}
	return all, directive
}

// makePlan reads a study and plans it for its platform.
func makePlan(ctx context.Context, s *command.State, parts facts.Parts, o studyOptions, arg string, fetch facts.Fetching) (*plan.Plan, []byte, error) {
	if o.retries < 0 {
		return nil, nil, command.Usage(fmt.Errorf("--retries must be 0 or more, got %d", o.retries))
	}
	name, text, err := author.ReadStudy(s, arg)
	if err != nil {
		return nil, nil, err
	}
	p, err := planText(ctx, s, parts, o, name, text, fetch)
	return p, text, err
}

// planText plans a study that was read.
func planText(ctx context.Context, s *command.State, parts facts.Parts, o studyOptions, name string, text []byte, fetch facts.Fetching) (*plan.Plan, error) {
	st, err := study.Parse(name, text, o.profile, facts.Vocabulary(parts), o.set...)
	if err != nil {
		return nil, command.Usage(err)
	}
	if err := o.unchosen(st.Platform); err != nil {
		return nil, err
	}
	if st.Platform, err = o.Choose(st.Platform); err != nil {
		return nil, err
	}
	if parts, err = parts.On(st.Platform); err != nil {
		return nil, command.Usage(err)
	}
	for _, name := range o.untested {
		if !slices.Contains(registry.UntestedEngines(), name) {
			return nil, command.Usage(fmt.Errorf("--untested: %q is no untested engine; those are: %s", name, strings.Join(registry.UntestedEngines(), ", ")))
		}
	}
	parts.Untested = o.untested
	site := o.siteOr(site(s, "", "", "runs"))
	site.Asking = asking(s)
	site.Asking.Never = o.silent
	if o.offline {
		parts.Platform, site.Offline = parts.Platform.Offline(), true
	}
	p, err := facts.Plan(ctx, parts, st, site, fetch)
	if err != nil {
		return nil, command.Usage(err)
	}
	p.Retry(o.retries)
	p.Accurate()
	if o.within == 0 {
		o.within = st.Ladder.Within.D()
	}
	return p, o.limit(p)
}

// asking says whom existing servers' plans ask, before they do.
func asking(s *command.State) facts.Asking {
	return facts.Asking{Say: func(what string) { s.Complain("%s", what) }}
}

// unchosen refuses a kubeconfig file that a study alone has chosen where it is not to be
// asked: such a file names programs that are executed.
func (o studyOptions) unchosen(p study.Platform) error {
	c, ok := p.Parameters.(place.Cluster)
	if !ok || o.offline || !o.silent || o.InCluster || o.Kubeconfig != "" || o.Platform != "" && o.Platform != p.Name {
		return nil
	}
	file, _ := c.Cluster()
	if file == "" {
		return nil
	}
	return command.WithCode(fmt.Errorf("the cluster was not asked: the study names the kubeconfig file %s, which chooses the host that is asked, the credentials it is given and programs that are executed", file), command.ExitUsage,
		"if you trust it: plimsoll plan --ask, or --kubeconfig "+words.Shell(file))
}

// limit ends the plan's search after --within.
func (o studyOptions) limit(p *plan.Plan) error {
	if err := p.Limit(o.within); err != nil {
		return command.Usage(fmt.Errorf("--within: %w", err))
	}
	return nil
}

// site says what a run with these flags would fill, for the estimates of a plan.
func site(s *command.State, work, cache, runs string) facts.Site {
	return facts.Site{Work: s.WorkDir(work), Cache: s.CacheDir(cache), Runs: command.Absolute(runs)}
}

func (o studyOptions) siteOr(usual facts.Site) facts.Site {
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
