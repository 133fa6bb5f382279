package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"plimsoll/internal/analysis/next"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/campaign"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/owner"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/platform/machine"
	"plimsoll/internal/report/live"
	"plimsoll/internal/report/metrics"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/text/version"
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
	adopt      bool   // continue a run directory that no register has
	cluster    string // the kubeconfig file of the plan that goes on, empty for the user's own
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
	home       homeOptions
}

// defaultGrade is the lowest grade of a verdict where neither the command line
// nor the study names one.
const defaultGrade = "D"

func newRun(s *State) *cobra.Command {
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
				return usage(errors.New("run: --metrics and --otlp tell of a run of this machine; they cannot be used with --detach"))
			}
			if o.detach && o.open {
				return usage(errors.New("run: --open shows the report of a run of this machine; with --detach, fetch the run and use plimsoll report --open"))
			}
			if o.detach && o.serve != "" {
				return usage(errors.New("run: --serve shows a run of this machine; with --detach, use plimsoll attach"))
			}
			if o.detach && o.profile.any() {
				return usage(errors.New("run: --cpuprofile, --memprofile and --trace profile a run of this machine; they cannot be used with --detach"))
			}
			if o.detach {
				return s.runDetached(cmd, o, args)
			}
			if err := o.profile.check(); err != nil {
				return err
			}
			return s.profiled(&o.profile, func() error { return s.run(o, o.begun(args)) })
		},
	}
	o.studyOptions.register(cmd)
	o.registerWithin(cmd)
	o.home.registerNew(cmd)
	o.registerHere(cmd)
	o.profile.register(cmd)
	f := cmd.Flags()
	f.StringVar(&o.name, "name", "", "name of the run directory (default <date>-<time>-<study>)")
	f.StringVar(&o.resume, "resume", "", "continue this run, by its name or directory")
	_ = cmd.RegisterFlagCompletionFunc("resume", completeResumable)
	f.BoolVar(&o.retry, "retry-failed", false, "with --resume: run failed trials again")
	f.BoolVar(&o.adopt, "adopt", false, "with --resume: take a copied or received run as your own")
	f.BoolVar(&o.force, "force", false, "with --resume: continue a run of another machine, user, version or edited study")
	f.StringVar(&o.minGrade, "min-grade", "", "lowest grade (A to F) at which a verdict is given (default the study's min_grade, or "+defaultGrade+")")
	f.BoolVar(&o.decide, "decide", false, "alternate between two variants until the difference in throughput is decided")
	f.BoolVar(&o.confirm, "confirm", false, "afterwards, run the experiment that would prove each bottleneck")
	f.StringVar(&o.tokenFile, "token-file", "", "with --serve or --metrics: "+tokenFileUsage)
	f.StringVar(&o.metrics, "metrics", "", "serve OpenMetrics of the run at /metrics; listen on `ADDR`")
	f.Lookup("metrics").NoOptDefVal = live.Loopback
	_ = cmd.RegisterFlagCompletionFunc("metrics", cobra.NoFileCompletions)
	f.StringVar(&o.otlp, "otlp", "", "push metrics of the run by OTLP over HTTP to this `URL`")
	_ = cmd.RegisterFlagCompletionFunc("otlp", cobra.NoFileCompletions)
	f.BoolVar(&o.detach, "detach", false, "kubernetes: have the run go on in the cluster, as a Job (see plimsoll attach and fetch)")
	f.BoolVar(&o.inCluster, "in-cluster", false, "this is the Job of a detached run: reach the cluster from inside, and continue a run that was begun")
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

func (s *State) run(o *runOptions, args []string) error {
	if err := s.runArguments(o, args); err != nil {
		return err
	}
	parts := Parts()
	r, err := s.prepareRun(parts, o, args)
	if err != nil {
		return err
	}
	defer r.run.release()
	if parts, err = partsOf(r.options.Plan); err != nil {
		return usage(err)
	}
	if err := s.askAgain(parts, o, r.options); err != nil {
		return err
	}
	if err := s.executeAndReport(parts, o, r.options); err != nil || !o.confirm {
		return err
	}
	return s.confirm(parts, o, r)
}

// askAgain asks existing servers whether a run that goes on can use them still: a plan that
// was just made has asked them, and a run that has all its trials needs none.
func (s *State) askAgain(parts campaign.Parts, o *runOptions, run campaign.Options) error {
	info, known := result.Info(run.Dir)
	if o.resume == "" || known && info.Finished && !o.retry {
		return nil
	}
	problems, err := campaign.AskAgain(s.Context, parts, run.Plan, run.RunID, s.asking())
	if err != nil {
		return err
	}
	return refuse(problems)
}

// executeAndReport runs a campaign and reports it, in a browser too where that
// was asked for.
func (s *State) executeAndReport(parts campaign.Parts, o *runOptions, options campaign.Options) (err error) {
	minGrade := firstOf(o.minGrade, options.Plan.Study.MinGrade, defaultGrade)
	pages, err := s.openPages(o, options, minGrade)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pages.close(err)) }()
	if err := s.execute(parts, o, options, pages); err != nil {
		return err
	}
	err = s.reportRun(options.Dir, minGrade, pages)
	if page := filepath.Join(options.Dir, result.ReportFile); o.open && exists(page) {
		s.openPage(page)
	}
	return err
}

// execute runs a campaign and shows how it goes.
func (s *State) execute(parts campaign.Parts, o *runOptions, options campaign.Options, pages *runPages) error {
	watcher := s.newWatcher(o.brief && !o.verbose, setup.Labels(options.Plan.Variants))
	take, stopping := pages.watched(watcher)
	options.Feed = pages.feed()
	options.Progress, options.Log = take, s.logger(watcher, o.verbose)
	forget := context.AfterFunc(s.Context, stopping)
	stop := pages.pushing(take)
	err := campaign.Run(s.Context, parts, options)
	forget()
	stop()
	watcher.close()
	if errors.Is(err, campaign.ErrInterrupted) {
		return codedError{fmt.Errorf("%w; finished trials are kept in %s", err, options.Dir), exitInterrupted,
			"continue it with: plimsoll run --resume " + words.Shell(options.Dir)}
	}
	if err != nil {
		return fmt.Errorf("run %s: %w", options.Dir, err)
	}
	return nil
}

// arguments checks how many there are. An address after --serve and a blank is
// taken for a study.
func (o *runOptions) arguments(cmd *cobra.Command, args []string) error {
	err := maxArgs(1)(cmd, args)
	if err != nil && o.metrics == live.Loopback {
		return codedError{err, exitUsage, "an address for the metrics is written --metrics=ADDR"}
	}
	if err != nil && cmd.Flags().Changed("serve") && o.serve == live.Loopback {
		return codedError{err, exitUsage, "an address for the page is written --serve=ADDR"}
	}
	return err
}

func (s *State) runArguments(o *runOptions, args []string) error {
	switch {
	case o.resume == "" && len(args) == 0:
		return usage(errors.New("run: give a study, or --resume RUN; plimsoll studies lists the built-in studies"))
	case o.resume != "" && len(args) > 0:
		return usage(errors.New("run: --resume uses the study in the run directory; do not give a study"))
	case o.name != "" && checkName(o.name) != nil:
		return checkName(o.name)
	case o.tokenFile != "" && o.serve == "" && o.metrics == "":
		return usage(errors.New("run: --token-file is of use only with --serve or --metrics"))
	case o.serve != "" && o.metrics != "" && o.serve != o.metrics && o.serve != live.Loopback && o.metrics != live.Loopback:
		return usage(fmt.Errorf("run: --serve=%s and --metrics=%s: one listener serves both; name one address", o.serve, o.metrics))
	case o.errorLimit < 0 || o.errorLimit > 1:
		return usage(fmt.Errorf("run: --error-limit must be 0 to 1, got %v", o.errorLimit))
	case o.minGrade != "":
		if err := checkGrade("run", o.minGrade); err != nil {
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
		return usage(fmt.Errorf("run: --otlp: %w", err))
	}
	return nil
}

// checkGrade returns an error if --min-grade is not a grade.
func checkGrade(command, grade string) error {
	if !study.IsGrade(grade) {
		return usage(fmt.Errorf("%s: --min-grade must be A, B, C, D, E or F, got %q", command, grade))
	}
	return nil
}

// preparedRun is a run directory that is locked and ready to go.
type preparedRun struct {
	options campaign.Options
	run     *claimed
}

func (s *State) prepareRun(parts campaign.Parts, o *runOptions, args []string) (preparedRun, error) {
	var p *plan.Plan
	var text []byte
	var err error
	if o.resume != "" {
		if o.resume, err = runDir(o.runs, o.resume); err != nil {
			return preparedRun{}, err
		}
		p, text, err = s.resumePlan(o)
	} else {
		o.site = s.site(o.work, o.cache, o.runs)
		p, text, err = s.makePlan(s.Context, parts, o.studyOptions, args[0], campaign.FetchIf(!o.noFetch))
		text = noted(text, o.set)
	}
	if err != nil {
		return preparedRun{}, err
	}
	return s.readyRun(o, p, text)
}

// readyRun takes a run directory for a plan.
func (s *State) readyRun(o *runOptions, p *plan.Plan, text []byte) (preparedRun, error) {
	if err := refuse(p.Problems); err != nil {
		return preparedRun{}, err
	}
	next, err := o.next(p)
	if err != nil {
		return preparedRun{}, err
	}
	dir := firstOf(o.resume, o.newDir(p))
	if err := nameable(dir, "--runs"); err != nil {
		return preparedRun{}, err
	}
	baseline, err := baselineOf(o.runs, p.Study.Baseline)
	if err != nil {
		return preparedRun{}, err
	}
	err = errors.Join(writable(s.workDir(o.work), "--work"), writable(s.cacheDir(o.cache), "--cache"), ownPlace(dir, "--runs"))
	if err != nil {
		return preparedRun{}, err
	}
	run, err := s.takeRun(o, dir)
	if err != nil {
		return preparedRun{}, err
	}
	if baseline != nil && o.resume == "" {
		if err := result.KeepBaseline(dir, baseline); err != nil {
			run.release()
			return preparedRun{}, err
		}
	}
	options := s.campaignOptions(o, p, text, run)
	options.Next = next
	return preparedRun{options: options, run: run}, nil
}

// takeRun claims a new run directory, or the directory of a resumed run after cleaning up what
// its interruption left.
func (s *State) takeRun(o *runOptions, dir string) (*claimed, error) {
	run, err := claimRun(dir)
	if err != nil {
		return nil, err
	}
	switch {
	case o.resume != "":
		if err = s.mayResume(run, o); err == nil {
			err = s.clearForResume(run, o.retry)
		}
	case exists(filepath.Join(dir, result.PlanFile)):
		err = codedError{fmt.Errorf("%s already holds a run", dir), exitUsage,
			"choose another --name, or continue it with: plimsoll run --resume " + words.Shell(dir)}
	}
	if err != nil {
		run.release()
		return nil, err
	}
	return run, nil
}

// next chooses the trials that come after the planned ones.
func (o *runOptions) next(p *plan.Plan) (next.Chooser, error) {
	if o.decide {
		next, err := next.Decide(p)
		if err != nil {
			return nil, usage(err)
		}
		return next, nil
	}
	return next.Search(p), nil
}

// refuse turns the plan's problems into one error.
func refuse(problems []plan.Problem) error {
	if len(problems) == 0 {
		return nil
	}
	var what, hints []string
	for _, problem := range problems {
		what = append(what, problem.What)
		if problem.Hint != "" && !slices.Contains(hints, problem.Hint) {
			hints = append(hints, problem.Hint)
		}
	}
	return cannotRun(fmt.Errorf("the study cannot run here: %s", strings.Join(what, "; ")), strings.Join(hints, "\n"))
}

// newDir returns the directory of a new run: the given name, or an unused one from the current
// second.
func (o *runOptions) newDir(p *plan.Plan) string {
	if o.name != "" {
		return filepath.Join(o.runs, o.name)
	}
	first := filepath.Join(o.runs, time.Now().Format("20060102-150405")+"-"+p.Study.Name)
	dir := first
	for n := 2; ; n++ {
		if _, err := os.Lstat(dir); err != nil { // what else is wrong shows when it is made
			return dir
		}
		dir = fmt.Sprintf("%s-%d", first, n)
	}
}

func (s *State) campaignOptions(o *runOptions, p *plan.Plan, text []byte, run *claimed) campaign.Options {
	return campaign.Options{
		Plan: p, Dir: run.dir, RunID: run.id, StudyText: text,
		Scratch:    filepath.Join(s.workDir(o.work), journal.Name(run.id)),
		Cache:      s.cacheDir(o.cache),
		CacheLimit: int64(o.cacheLimit),
		Executable: s.Executable,
		Fetch:      !o.noFetch,
		ErrorLimit: o.errorLimit,
		Machine:    machineOf(s.Context, Parts()),
		Resume:     o.resume != "",
		Again:      next.Retry(p, o.retries),
		Patience:   s.Impatient,
	}
}

func machineOf(ctx context.Context, parts campaign.Parts) result.Machine {
	m := machine.Inventory(ctx, checkers(parts))
	m.Plimsoll = version.Get()
	return m
}

// workDir is where volumes live while a study runs. It must let servers under
// another user through, which home directories often do not.
func (s *State) workDir(flag string) string {
	dir := absolute(firstOf(flag, s.Getenv("PLIMSOLL_WORK"), "/var/tmp"))
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real // the kernel names mounts by it
	}
	return dir
}

// writable says before anything is made that a directory cannot be written to.
func writable(dir, flag string) error {
	if err := nameable(dir, flag); err != nil {
		return err
	}
	if err := machine.Writable(dir); err != nil {
		return cannotRun(fmt.Errorf("write to %s: %w", dir, err), "choose another place with "+flag)
	}
	return ownPlace(dir, flag)
}

// ownPlace refuses a directory in which another user could replace the run's files.
func ownPlace(dir, flag string) error {
	if err := safefile.Prove(dir); err != nil {
		return cannotRun(fmt.Errorf("work in %s: %w", dir, err),
			"choose another place with "+flag+"; in a container that nobody else has processes in, set "+owner.AloneVariable+"=1")
	}
	return nil
}

// nameable refuses a directory whose path cannot be written in a line of a log or of a
// server's configuration.
func nameable(dir, flag string) error {
	if strings.ContainsFunc(dir, unicode.IsControl) {
		return usage(fmt.Errorf("%s: %q has a control character, such as a newline: choose a directory without", flag, dir))
	}
	return nil
}

// cacheDir keeps golden volumes. Root uses the machine's, because servers run
// under another user must reach it.
func (s *State) cacheDir(flag string) string {
	if dir := firstOf(flag, s.Getenv("PLIMSOLL_CACHE")); dir != "" {
		if absolute, err := filepath.Abs(dir); err == nil {
			return absolute
		}
		return dir
	}
	if os.Geteuid() == 0 {
		return "/var/cache/plimsoll/golden"
	}
	if dir, err := os.UserCacheDir(); err == nil {
		return filepath.Join(dir, "plimsoll", "golden")
	}
	return filepath.Join(s.workDir(""), fmt.Sprintf("plimsoll-cache-%d", os.Geteuid()))
}

func firstOf(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}
