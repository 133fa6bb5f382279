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

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"plimsoll/internal/analysis"
	"plimsoll/internal/campaign"
	"plimsoll/internal/host/untrusted"
	"plimsoll/internal/report"
	"plimsoll/internal/report/live"
	"plimsoll/internal/report/metrics"
	"plimsoll/internal/result"
	"plimsoll/internal/text/version"
)

func newServe(s *State) *cobra.Command {
	var o live.Options
	cmd := &cobra.Command{
		Use:   "serve [RUNS]",
		Short: "Show the runs of a directory in a browser",
		Long: `Serve shows the runs of a directory in a browser until it is interrupted: a list
to search, each report, the load line of a study over dates and versions, and any
two runs compared. RUNS is the directory that holds runs (default runs).

Without --address only this machine reaches the pages. On any other address they
ask for a token, which is made for this process and kept in a file that only you
can read; open ADDRESS#token=TOKEN, or enter it in the page.`,
		Example: `  plimsoll serve
  plimsoll serve /data/runs --address 127.0.0.1:8080
  plimsoll serve /data/runs --address :8080 --token-file ~/.plimsoll-token`,
		Args: maxArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return s.serve(o, firstOf(append(args, "runs")...)) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	cmd.Flags().StringVar(&o.Addr, "address", "", "address to listen on, such as :8080 for all interfaces (default a free port of 127.0.0.1)")
	cmd.Flags().StringVar(&o.TokenFile, "token-file", "", tokenFileUsage)
	_ = cmd.RegisterFlagCompletionFunc("address", cobra.NoFileCompletions)
	return cmd
}

const tokenFileUsage = "`file` with the token for the pages; made if missing"

func (s *State) serve(o live.Options, dir string) error {
	if !exists(dir) {
		return codedError{fmt.Errorf("serve: there is no directory %s", dir), exitUsage, "plimsoll demo makes a run, in the directory runs; or name the directory that holds runs"}
	}
	if err := notRuns(dir); err != nil {
		return err
	}
	history, err := live.NewHistory(dir, judge, inProgress)
	if err != nil {
		return err
	}
	defer history.Close()
	l, err := live.Listen(o)
	if err != nil {
		return cannotRun(err, "")
	}
	history.Register(l)
	l.Start()
	fmt.Fprintln(s.Stdout, "runs in "+dir+", until Ctrl-C: "+whereTo(l))
	<-s.Context.Done()
	return closePages(l)
}

// judge analyses a run as reportRun does.
func judge(run *result.Run) (*analysis.Analysis, error) {
	minGrade := defaultGrade
	if run.Plan != nil && run.Plan.Study != nil {
		minGrade = firstOf(run.Plan.Study.MinGrade, defaultGrade)
	}
	return analysed(run, analysis.Options{MinGrade: minGrade, Running: inProgress(run.Dir)}, named{})
}

// inProgress reports whether a process works on a run: it holds the lock of its directory.
func inProgress(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, lockFile)); err != nil {
		return false
	}
	f, err := untrusted.Open(dir, lockFile, 1<<20)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
}

// whereTo says where the pages are, and which file has the token they ask for.
func whereTo(l *live.Listener) string {
	if file := l.TokenFile(); file != "" {
		return l.URL() + " (it asks for the token in " + file + ")"
	}
	return l.URL()
}

// closePages stops a server, with a little patience for answers under way.
func closePages(l *live.Listener) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	return l.Close(ctx)
}

// runPages are the page and the metrics of a run that goes on; nil where nobody asked
// for them.
type runPages struct {
	listener *live.Listener // nil without --serve and --metrics
	live     *live.Live     // nil without --serve
	metrics  *metrics.Run   // nil without --metrics and --otlp
	scraped  bool           // the listener serves the metrics
	otlp     string         // where metrics are pushed to; empty for nowhere
}

// openPages begins to serve what --serve and --metrics ask for, both on one listener,
// and to collect what they and --otlp tell.
func (s *State) openPages(o *runOptions, run campaign.Options, minGrade string) (*runPages, error) {
	p := &runPages{otlp: o.otlp, scraped: o.metrics != ""}
	if p.scraped || o.otlp != "" {
		p.metrics = metrics.New(metrics.RunInfo{Run: filepath.Base(run.Dir), Study: run.Plan.Study.Name, Version: version.Get(), Started: time.Now()})
	}
	switch {
	case o.serve != "" || p.scraped:
		return p, p.listen(o, run, minGrade)
	case p.metrics == nil:
		return nil, nil
	}
	return p, nil
}

func (p *runPages) listen(o *runOptions, run campaign.Options, minGrade string) error {
	l, err := live.Listen(live.Options{Addr: o.address(), TokenFile: o.tokenFile})
	if err != nil {
		return cannotRun(err, "choose another address with --serve=ADDR or --metrics=ADDR")
	}
	p.listener = l
	if o.serve != "" {
		p.live = livePage(run, minGrade)
		p.live.Register(l)
	}
	if p.scraped {
		l.HandleForMachine("/metrics", p.metrics.Handler())
	}
	l.Start()
	return nil
}

// address returns the address of the listener, as the user named it.
func (o *runOptions) address() string {
	if o.serve == "" || o.serve == live.Loopback && o.metrics != "" {
		return o.metrics
	}
	return o.serve
}

// livePage is the report of a run while it grows.
func livePage(run campaign.Options, minGrade string) *live.Live {
	study := run.Plan.Study
	about := live.RunInfo{Run: filepath.Base(run.Dir), Study: firstOf(study.Title, study.Name), Report: filepath.Join(run.Dir, result.ReportFile)}
	return live.NewLive(about, func() (*analysis.Analysis, report.SeriesSource, error) {
		r, err := result.OpenLean(run.Dir)
		if err != nil {
			return nil, nil, err
		}
		a, err := analysed(r, analysis.Options{MinGrade: minGrade, Running: true}, named{})
		return a, seriesOf(r), err
	})
}

// feed is what the metrics are made from; nil without them.
func (p *runPages) feed() campaign.Feed {
	if p == nil || p.metrics == nil {
		return nil
	}
	return p.metrics
}

// watched makes the pages follow a run along with its watcher, which prints their address.
func (p *runPages) watched(w watcher) (take func(campaign.Event), stopping func()) {
	if p == nil {
		return w.take, w.stopping
	}
	if p.listener != nil {
		w.take(note(p.where()))
	}
	take = func(e campaign.Event) {
		if p.live != nil {
			p.live.Take(e)
		}
		if p.metrics != nil {
			p.metrics.Take(e)
		}
		w.take(e)
	}
	return take, func() {
		if p.live != nil {
			p.live.Interrupted()
		}
		w.stopping()
	}
}

// pushing sends metrics to where --otlp says until stop, which waits for the last of
// them.
func (p *runPages) pushing(take func(campaign.Event)) (stop func()) {
	if p == nil || p.otlp == "" {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := p.metrics.Push(ctx, p.otlp, func(text string) { take(note(text)) }); err != nil {
			take(note(err.Error()))
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// where names the pages that are served, and their address.
func (p *runPages) where() string {
	what := "metrics (path /metrics)"
	switch {
	case !p.scraped:
		what = "live page"
	case p.live != nil:
		what = "live page and metrics (path /metrics)"
	}
	return what + ": " + whereTo(p.listener)
}

// finish shows the report that was written, and waits a moment for readers to
// have it.
func (p *runPages) finish(ctx context.Context, a *analysis.Analysis, run *result.Run) error {
	if p == nil || p.live == nil {
		return nil
	}
	if err := p.live.Finish(a, seriesOf(run)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patienceWithReaders)
	defer cancel()
	p.live.Drain(ctx)
	return nil
}

// patienceWithReaders is how long a run that ended waits for browsers to fetch its
// report; one that sleeps does not.
const patienceWithReaders = 10 * time.Second

// close stops serving; a run that ended without a report says why.
func (p *runPages) close(why error) error {
	if p == nil {
		return nil
	}
	if why != nil && p.live != nil {
		p.live.Stop(strings.Join(slices.DeleteFunc([]string{why.Error(), hintOf(why)}, func(t string) bool { return t == "" }), "; "))
	}
	if p.listener == nil {
		return nil
	}
	return closePages(p.listener)
}
