package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/campaign"
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/place"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/cli/results"
	"plimsoll/internal/cli/run/watch"
	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/report/live"
	"plimsoll/internal/report/metrics"
	"plimsoll/internal/result"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/text/words"
)

type runOptions struct {
	studyOptions
	runs       string
	name       string
	work       string
	cache      string
	cacheLimit unit.Bytes
	resume     string
	retry      bool
	force      bool
	adopt      bool           // continue a run directory that no register has
	owners     journal.Owners // of what a run that goes on may have left
	noFetch    bool
	errorLimit float64
	minGrade   string
	confirm    bool
	decide     bool
	brief      bool // one line of progress for each trial
	verbose    bool
	detach     bool
	serve      string // address of the live page, empty for none
	metrics    string // address of the metrics, empty for none
	otlp       string // URL that metrics are pushed to, empty for none
	open       bool   // show the report in the desktop's browser
	tokenFile  string
	profile    profileOptions
	home       place.Home
}

func newRun(s *command.State) *cobra.Command {
	o := &runOptions{}
	cmd := &cobra.Command{
		Use:   "run STUDY",
		Short: "Run a study and write its report",
		Long: `Run executes every trial of a study, audits each one, and writes a run directory
with the raw results and report.html. STUDY is a file or the name of a built-in
study (see plimsoll studies).

--resume continues a run that was interrupted or killed; finished trials are
kept. A run directory that was copied, moved from another file system or received
names programs, servers and clusters that nobody chose here: it goes on with --adopt
only.

--serve shows the report in a browser while it grows, on a free port of this
machine or, with --serve=ADDR, on that address; see docs/live.md.
--metrics serves figures of the run to Prometheus at /metrics, --otlp pushes them to
an OpenTelemetry collector; see docs/metrics.md.

--detach starts the run in the cluster that the study is for, as a Job under the
account that the Helm chart makes, and ends. plimsoll attach follows it, plimsoll
fetch brings its directory home, run --detach --resume RUN continues it there.

Exit codes: 0 done; 2 the study has problems; 3 it cannot run here; 4 some
trials failed; 5 the results are not good enough for a verdict; 130 interrupted.`,
		Example: `  plimsoll run quickstart
  plimsoll run my-first.yaml --profile laptop
  plimsoll run my-study.yaml --set engine.cpu=0.5 --set 'ladder=[1, 2, 4]'
  plimsoll run my-study.yaml --runs /data/runs
  plimsoll run --resume runs/20261121-101500-quickstart
  plimsoll run my-study.yaml --serve
  plimsoll run my-study.yaml --platform kubernetes --detach`,
		Args: func(cmd *cobra.Command, args []string) error { return o.arguments(cmd, args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.detach && (o.metrics != "" || o.otlp != "") {
				return command.Usage(errors.New("run: --metrics and --otlp tell of a run of this machine; they cannot be used with --detach"))
			}
			if o.detach && o.open {
				return command.Usage(errors.New("run: --open shows the report of a run of this machine; with --detach, fetch the run and use plimsoll report --open"))
			}
			if o.detach && o.serve != "" {
				return command.Usage(errors.New("run: --serve shows a run of this machine; with --detach, use plimsoll attach"))
			}
			if o.detach && o.profile.any() {
				return command.Usage(errors.New("run: --cpuprofile, --memprofile and --trace profile a run of this machine; they cannot be used with --detach"))
			}
			if o.detach {
				return runDetached(s, cmd, o, args)
			}
			if err := o.profile.check(); err != nil {
				return err
			}
			return profiled(s, &o.profile, func() error { return runStudy(s, o, o.begun(args)) })
		},
	}
	o.studyOptions.register(cmd)
	o.registerWithin(cmd)
	o.home.RegisterNew(cmd)
	o.registerHere(cmd)
	o.profile.register(cmd)
	f := cmd.Flags()
	f.StringVar(&o.name, "name", "", "name of the run directory (default <date>-<time>-<study>)")
	f.StringVar(&o.resume, "resume", "", "continue this run, by its name or directory")
	_ = cmd.RegisterFlagCompletionFunc("resume", rundir.CompleteResumable)
	f.BoolVar(&o.retry, "retry-failed", false, "with --resume: run failed trials again")
	f.BoolVar(&o.adopt, "adopt", false, "with --resume: take a copied or received run as your own")
	f.BoolVar(&o.force, "force", false, "with --resume: continue a run of another machine, user, version or edited study")
	f.StringVar(&o.minGrade, "min-grade", "", "lowest grade (A to F) at which a verdict is given (default the study's min_grade, or "+results.DefaultGrade+")")
	f.BoolVar(&o.decide, "decide", false, "alternate between two variants until the difference in throughput is decided")
	f.BoolVar(&o.confirm, "confirm", false, "afterwards, run the experiment that would prove each bottleneck")
	f.StringVar(&o.tokenFile, "token-file", "", "with --serve or --metrics: "+results.TokenFileUsage)
	f.StringVar(&o.metrics, "metrics", "", "serve OpenMetrics of the run at /metrics; listen on `ADDR`")
	f.Lookup("metrics").NoOptDefVal = live.Loopback
	_ = cmd.RegisterFlagCompletionFunc("metrics", cobra.NoFileCompletions)
	f.StringVar(&o.otlp, "otlp", "", "push metrics of the run by OTLP over HTTP to this `URL`")
	_ = cmd.RegisterFlagCompletionFunc("otlp", cobra.NoFileCompletions)
	f.BoolVar(&o.detach, "detach", false, "kubernetes: have the run go on in the cluster, as a Job (see plimsoll attach and fetch)")
	f.BoolVar(&o.InCluster, "in-cluster", false, "this is the Job of a detached run: reach the cluster from inside, and continue a run that was begun")
	_ = f.MarkHidden("in-cluster")
	return cmd
}

// registerHere adds the flags of every command that runs a study on this machine.
func (o *runOptions) registerHere(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.runs, "runs", "runs", "directory that holds runs")
	f.StringVar(&o.work, "work", "", "directory for volumes while the study runs (default $PLIMSOLL_WORK or /var/tmp)")
	f.StringVar(&o.cache, "cache", "", "directory of golden volumes kept between runs (default the user's cache)")
	o.cacheLimit = 10 << 30
	f.TextVar(&o.cacheLimit, "cache-limit", o.cacheLimit, "`size` that the cache is trimmed to at the end of a run; 0 is no limit")
	f.BoolVar(&o.noFetch, "no-fetch", false, "do not download an engine that is not installed")
	f.Float64Var(&o.errorLimit, "error-limit", 0.5, "share of failed work at which a trial is aborted")
	f.StringVar(&o.serve, "serve", "", "show the report in a browser while it grows; listen on `ADDR`")
	f.Lookup("serve").NoOptDefVal = live.Loopback
	_ = cmd.RegisterFlagCompletionFunc("serve", cobra.NoFileCompletions)
	f.BoolVar(&o.open, "open", false, "afterwards, open the report in the desktop's browser")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "log every step")
}

func runStudy(s *command.State, o *runOptions, args []string) error {
	if err := runArguments(o, args); err != nil {
		return err
	}
	parts := registry.Parts()
	r, err := prepareRun(s, parts, o, args)
	if err != nil {
		return err
	}
	defer r.run.Release()
	if parts, err = registry.Parts().On(r.options.Plan.Study.Platform); err != nil {
		return command.Usage(err)
	}
	if err := askAgain(s, parts, o, r.options); err != nil {
		return err
	}
	if err := executeAndReport(s, parts, o, r.options); err != nil || !o.confirm {
		return err
	}
	return confirm(s, parts, o, r)
}

// executeAndReport runs a campaign and reports it, in a browser too where that
// was asked for.
func executeAndReport(s *command.State, parts facts.Parts, o *runOptions, options campaign.Options) (err error) {
	minGrade := cmp.Or(o.minGrade, options.Plan.Study.MinGrade, results.DefaultGrade)
	pages, err := openPages(o, options, minGrade)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pages.close(err)) }()
	if err := execute(s, parts, o, options, pages); err != nil {
		return err
	}
	err = reportRun(s, options.Dir, minGrade, pages)
	if page := filepath.Join(options.Dir, result.ReportFile); o.open && command.Exists(page) {
		results.OpenPage(s, page)
	}
	return err
}

// execute runs a campaign and shows how it goes.
func execute(s *command.State, parts facts.Parts, o *runOptions, options campaign.Options, pages *runPages) error {
	watcher := watch.New(s, o.brief && !o.verbose, setup.Labels(options.Plan.Variants))
	take, stopping := pages.watched(watcher)
	options.Feed = pages.feed()
	options.Progress, options.Log = take, watch.Logger(s, watcher, o.verbose)
	forget := context.AfterFunc(s.Context, stopping)
	stop := pages.pushing(take)
	err := campaign.Run(s.Context, parts, options)
	forget()
	stop()
	watcher.Close()
	if errors.Is(err, campaign.ErrInterrupted) {
		return command.WithCode(fmt.Errorf("%w; finished trials are kept in %s", err, options.Dir), command.ExitInterrupted,
			"continue it with: plimsoll run --resume "+words.Shell(options.Dir))
	}
	if err != nil {
		return fmt.Errorf("run %s: %w", options.Dir, err)
	}
	return nil
}

// arguments checks how many there are. An address after --serve and a blank is
// taken for a study.
func (o *runOptions) arguments(cmd *cobra.Command, args []string) error {
	err := command.MaxArgs(1)(cmd, args)
	if err != nil && o.metrics == live.Loopback {
		return command.WithCode(err, command.ExitUsage, "an address for the metrics is written --metrics=ADDR")
	}
	if err != nil && cmd.Flags().Changed("serve") && o.serve == live.Loopback {
		return command.WithCode(err, command.ExitUsage, "an address for the page is written --serve=ADDR")
	}
	return err
}

func runArguments(o *runOptions, args []string) error {
	switch {
	case o.resume == "" && len(args) == 0:
		return command.Usage(errors.New("run: give a study, or --resume RUN; plimsoll studies lists the built-in studies"))
	case o.resume != "" && len(args) > 0:
		return command.Usage(errors.New("run: --resume uses the study in the run directory; do not give a study"))
	case o.name != "" && rundir.CheckName(o.name) != nil:
		return rundir.CheckName(o.name)
	case o.tokenFile != "" && o.serve == "" && o.metrics == "":
		return command.Usage(errors.New("run: --token-file is of use only with --serve or --metrics"))
	case o.serve != "" && o.metrics != "" && o.serve != o.metrics && o.serve != live.Loopback && o.metrics != live.Loopback:
		return command.Usage(fmt.Errorf("run: --serve=%s and --metrics=%s: one listener serves both; name one address", o.serve, o.metrics))
	case o.errorLimit < 0 || o.errorLimit > 1:
		return command.Usage(fmt.Errorf("run: --error-limit must be 0 to 1, got %v", o.errorLimit))
	case o.minGrade != "":
		if err := results.CheckGrade("run", o.minGrade); err != nil {
			return err
		}
	}
	return o.checkOTLP()
}

func (o *runOptions) checkOTLP() error {
	if o.otlp == "" {
		return nil
	}
	if err := metrics.CheckEndpoint(o.otlp); err != nil {
		return command.Usage(fmt.Errorf("run: --otlp: %w", err))
	}
	return nil
}
