package run

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"plimsoll/internal/analysis"
	"plimsoll/internal/campaign"
	"plimsoll/internal/campaign/progress"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/results"
	"plimsoll/internal/cli/run/watch"
	"plimsoll/internal/report"
	"plimsoll/internal/report/live"
	"plimsoll/internal/report/metrics"
	"plimsoll/internal/result"
	"plimsoll/internal/text/version"
)

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
func openPages(o *runOptions, run campaign.Options, minGrade string) (*runPages, error) {
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
		return command.CannotRun(err, "choose another address with --serve=ADDR or --metrics=ADDR")
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
	about := live.RunInfo{Run: filepath.Base(run.Dir), Study: cmp.Or(study.Title, study.Name), Report: filepath.Join(run.Dir, result.ReportFile)}
	return live.NewLive(about, func() (*analysis.Analysis, report.SeriesSource, error) {
		r, err := result.OpenLean(run.Dir)
		if err != nil {
			return nil, nil, err
		}
		a, err := results.Analyse(r, analysis.Options{MinGrade: minGrade, Running: true})
		return a, results.SeriesOf(r), err
	})
}

// feed is what the metrics are made from; nil without them.
func (p *runPages) feed() progress.Feed {
	if p == nil || p.metrics == nil {
		return nil
	}
	return p.metrics
}

// watched makes the pages follow a run along with its watcher, which prints their address.
func (p *runPages) watched(w watch.Watcher) (take func(progress.Event), stopping func()) {
	if p == nil {
		return w.Take, w.Stopping
	}
	if p.listener != nil {
		w.Take(watch.Note(p.where()))
	}
	take = func(e progress.Event) {
		if p.live != nil {
			p.live.Take(e)
		}
		if p.metrics != nil {
			p.metrics.Take(e)
		}
		w.Take(e)
	}
	return take, func() {
		if p.live != nil {
			p.live.Interrupted()
		}
		w.Stopping()
	}
}

// pushing sends metrics to where --otlp says until stop, which waits for the last of
// them.
func (p *runPages) pushing(take func(progress.Event)) (stop func()) {
	if p == nil || p.otlp == "" {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := p.metrics.Push(ctx, p.otlp, func(text string) { take(watch.Note(text)) }); err != nil {
			take(watch.Note(err.Error()))
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
	return what + ": " + results.WhereTo(p.listener)
}

// finish shows the report that was written, and waits a moment for readers to
// have it.
func (p *runPages) finish(ctx context.Context, a *analysis.Analysis, run *result.Run) error {
	if p == nil || p.live == nil {
		return nil
	}
	if err := p.live.Finish(a, results.SeriesOf(run)); err != nil {
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
		p.live.Stop(strings.Join(slices.DeleteFunc([]string{why.Error(), command.Hint(why)}, func(t string) bool { return t == "" }), "; "))
	}
	if p.listener == nil {
		return nil
	}
	return results.ClosePages(p.listener)
}
