package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"plimsoll/internal/campaign"
	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/platform/kubernetes/detach"
	"plimsoll/internal/platform/kubernetes/image"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

// homeOptions say where detached runs live.
type homeOptions struct {
	kubeconfig, context string // where the command has no flags of a platform
	namespace           string
	account             string
	claim               string
	image               string
}

const homeNamespace = "plimsoll"

func (o *homeOptions) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.namespace, "job-namespace", homeNamespace, "namespace of detached runs, which the Helm chart was installed in")
}

// registerNew adds the flags for a run that is to be started.
func (o *homeOptions) registerNew(cmd *cobra.Command) {
	o.register(cmd)
	f := cmd.Flags()
	f.StringVar(&o.account, "job-account", "plimsoll", "with --detach: ServiceAccount that the campaign runs under")
	f.StringVar(&o.claim, "job-claim", "plimsoll-runs", "with --detach: claim that holds the run directories")
	f.StringVar(&o.image, "job-image", "", "with --detach: image of plimsoll (default the study's, or "+image.Reference("VERSION")+")")
}

// registerCluster adds how the cluster is reached.
func (o *homeOptions) registerCluster(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "`file` that says how to reach the cluster (default $KUBECONFIG or ~/.kube/config)")
	f.StringVar(&o.context, "context", "", "context of that file (default the current one)")
	_ = cmd.MarkFlagFilename("kubeconfig")
	cmd.ValidArgsFunction = func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return o.runNames(c), cobra.ShellCompDirectiveNoFileComp
	}
}

// runNames proposes the runs of the cluster; none where it cannot be reached.
func (o *homeOptions) runNames(c *cobra.Command) (names []string) {
	client, err := api.Connect(c.Context(), o.kubeconfig, o.context)
	if err != nil {
		return nil
	}
	all, _ := detach.Home{Client: client, Namespace: o.namespace}.List(c.Context())
	for _, r := range all {
		names = append(names, r.Run)
	}
	return names
}

// home reaches the cluster.
func (s *State) home(o homeOptions) (detach.Home, error) {
	client, err := api.Connect(s.Context, o.kubeconfig, o.context)
	if err != nil {
		return detach.Home{}, cannotRun(err, "")
	}
	return detach.Home{Client: client, Namespace: o.namespace, Account: o.account, Claim: o.claim, Image: o.image}, nil
}

func newAttach(s *State) *cobra.Command {
	var o homeOptions
	var stop bool
	cmd := &cobra.Command{
		Use:   "attach [RUN]",
		Short: "Follow a run that goes on in a cluster (run --detach)",
		Long: `Attach shows what a detached run has written and writes, until it ends. Ctrl-C
ends the showing, not the run. Without an argument it lists the detached runs.

--stop interrupts the run, as Ctrl-C does in a terminal: what it made is taken
down, and finished trials are kept. plimsoll run --detach --resume RUN continues it.

Exit codes: that of the run (see plimsoll run --help); 3 the cluster cannot be
reached; 130 interrupted.`,
		Example: "  plimsoll attach\n  plimsoll attach 20261122-101500-my-study\n  plimsoll attach 20261122-101500-my-study --stop",
		Args:    maxArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			home, err := s.home(o)
			switch {
			case err != nil:
				return err
			case len(args) == 0 && stop:
				return usage(errors.New("attach: --stop needs the name of a run"))
			case len(args) == 0:
				return s.listDetached(home)
			case stop:
				return home.Stop(s.Context, args[0])
			}
			return s.attach(home, args[0])
		},
	}
	o.register(cmd)
	o.registerCluster(cmd)
	cmd.Flags().BoolVar(&stop, "stop", false, "interrupt the run and wait until it has taken everything down")
	return cmd
}

func (s *State) attach(home detach.Home, run string) error {
	code, err := home.Attach(s.Context, run, s.Stdout)
	if err != nil {
		if s.Context.Err() != nil {
			return codedError{fmt.Errorf("no longer attached to %s, which goes on", run), exitInterrupted, "plimsoll attach " + run}
		}
		return err
	}
	s.complain("bring it home with: %s", s.spoken("plimsoll fetch "+run+where(home)))
	if code != 0 {
		return silent(code)
	}
	return nil
}

func (s *State) listDetached(home detach.Home) error {
	all, err := home.List(s.Context)
	if err != nil {
		return err
	}
	if s.JSON {
		return s.printJSON(all)
	}
	if len(all) == 0 {
		s.printWrapped("There are no detached runs in namespace %s.", home.Namespace)
		return nil
	}
	t := table{head: []string{"RUN", "STATE"}, right: 2}
	for _, r := range all {
		t.row(r.Run, string(r.State))
	}
	s.printTable(t)
	return nil
}

func newFetch(s *State) *cobra.Command {
	var o homeOptions
	var runs string
	cmd := &cobra.Command{
		Use:   "fetch RUN",
		Short: "Bring the directory of a detached run home",
		Long: `Fetch copies the run directory of a detached run to the directory of runs, over
the cluster's API. It is then like that of any other run: report, show and compare take
it, and run --resume --adopt continues it here. That of a run in progress is as it is
now.

Exit codes: 0 fetched; 1 no such run, or the directory is there already; 3 the cluster
cannot be reached.`,
		Example: "  plimsoll fetch 20261122-101500-my-study\n  plimsoll report runs/20261122-101500-my-study",
		Args:    exactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkName(args[0]); err != nil {
				return err
			}
			home, err := s.home(o)
			if err != nil {
				return err
			}
			to := filepath.Join(runs, args[0])
			if err := home.Fetch(s.Context, args[0], to); err != nil {
				return err
			}
			return s.printFetched(to)
		},
	}
	o.register(cmd)
	o.registerCluster(cmd)
	cmd.Flags().StringVar(&runs, "runs", "runs", "directory that holds runs")
	_ = cmd.MarkFlagDirname("runs")
	return cmd
}

func (s *State) printFetched(dir string) error {
	if s.JSON {
		return s.printJSON(map[string]string{"run": dir})
	}
	_, err := fmt.Fprintln(s.Stdout, dir)
	return err
}

// ofCluster is the parameters of a platform that is a cluster.
type ofCluster interface {
	// Cluster is how it is reached.
	Cluster() (kubeconfig, context string)
	// PlimsollImage is a reference, and the name of the pull secret, if any.
	PlimsollImage() (reference, pullSecret string)
}

// notPassedOn are flags of `plimsoll run` that are about this machine.
var notPassedOn = []string{
	"detach", "kubeconfig", "context", "job-namespace", "job-account", "job-claim", "job-image", "platform", "runs", "name", "resume", "force", "adopt", "work", "cache",
}

// passedOn are the flags that a detached campaign is given.
func passedOn(cmd *cobra.Command) (flags []string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if many, ok := f.Value.(pflag.SliceValue); ok && f.Value.Type() == "stringArray" {
			for _, value := range many.GetSlice() {
				flags = append(flags, "--"+f.Name+"="+value)
			}
			return
		}
		if !slices.Contains(notPassedOn, f.Name) {
			value := f.Value.String()
			if f.Value.Type() == "stringToString" {
				value = strings.Trim(value, "[]")
			}
			flags = append(flags, "--"+f.Name+"="+value)
		}
	})
	return flags
}

// runDetached has the campaign run in the cluster. The study is planned here first, so that its
// problems are reported at once.
func (s *State) runDetached(cmd *cobra.Command, o *runOptions, args []string) error {
	if err := s.runArguments(o, args); err != nil {
		return err
	}
	if o.resume != "" {
		return s.resumeDetached(cmd, o)
	}
	p, text, err := s.makePlan(s.Context, Parts(), o.studyOptions, args[0], campaign.FetchNever)
	if err != nil {
		return err
	}
	if err := refuse(p.Problems); err != nil {
		return err
	}
	home, err := s.homeOf(o, p)
	if err != nil {
		return err
	}
	name := firstOf(o.name, time.Now().Format("20060102-150405")+"-"+p.Study.Name)
	flags := append(passedOn(cmd), "--platform="+p.Study.Platform.Name)
	if err := home.Start(s.Context, detach.Run{Name: name, Study: text, Flags: flags}); err != nil {
		return fmt.Errorf("start %s in the cluster: %w", name, err)
	}
	return s.printDetached(home, name)
}

// homeOf is the home of a new run, in the cluster that its study is for.
func (s *State) homeOf(o *runOptions, p *plan.Plan) (detach.Home, error) {
	cluster, ok := p.Study.Platform.Parameters.(ofCluster)
	if !ok {
		return detach.Home{}, usage(errors.New("run: --detach is for studies on a cluster; add --platform kubernetes"))
	}
	o.home.kubeconfig, o.home.context = cluster.Cluster()
	home, err := s.home(o.home)
	if err != nil {
		return home, err
	}
	image, secret := cluster.PlimsollImage()
	home.Image, home.PullSecret = firstOf(home.Image, image), secret
	return home, nil
}

func (s *State) resumeDetached(cmd *cobra.Command, o *runOptions) error {
	o.home.kubeconfig, o.home.context = o.kubeconfig, o.context
	home, err := s.home(o.home)
	if err != nil {
		return err
	}
	name := filepath.Base(o.resume)
	if err := home.Resume(s.Context, name, passedOn(cmd)); err != nil {
		return fmt.Errorf("continue %s in the cluster: %w", name, err)
	}
	return s.printDetached(home, name)
}

func (s *State) printDetached(home detach.Home, name string) error {
	if s.JSON {
		return s.printJSON(map[string]string{"run": name, "namespace": home.Namespace})
	}
	_, err := fmt.Fprintln(s.Stdout, s.spoken(fmt.Sprintf("%s runs in the cluster.\n  follow it:     plimsoll attach %s%s\n  bring it home: plimsoll fetch %s%s", name, name, where(home), name, where(home))))
	return err
}

// where is the flag that names a home's namespace, where that is needed.
func where(home detach.Home) string {
	if home.Namespace == homeNamespace {
		return ""
	}
	return " --job-namespace " + home.Namespace
}

// cleanDetached removes the detached runs of a cluster that are not in progress.
func (s *State) cleanDetached(o *cleanOptions) ([]cleaned, error) {
	chosen, err := o.choose(study.Platform{})
	if err != nil {
		return nil, err
	}
	cluster, ok := chosen.Parameters.(ofCluster)
	if !ok {
		return nil, nil
	}
	o.home.kubeconfig, o.home.context = cluster.Cluster()
	home, err := s.home(o.home)
	if err != nil {
		return nil, err
	}
	runs, err := home.List(s.Context)
	if err != nil {
		return nil, err
	}
	var all []cleaned
	for _, r := range runs {
		c := cleaned{Run: "detached " + r.Run, Busy: r.State == detach.Running}
		if !c.Busy {
			if err := home.Remove(s.Context, r.Run); err != nil {
				c.Failed = []string{err.Error()}
			} else {
				c.Removed = []string{"its job"}
			}
		}
		all = append(all, c)
	}
	return all, nil
}

// begun has a campaign in the cluster go on where another pod of it was ended.
func (o *runOptions) begun(args []string) []string {
	dir := filepath.Join(o.runs, o.name)
	if !o.inCluster || !exists(filepath.Join(dir, result.PlanFile)) {
		return args
	}
	o.resume, o.force, o.adopt = dir, true, true // another pod's register went with it
	return nil
}
