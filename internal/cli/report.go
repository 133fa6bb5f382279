package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/internal/analysis"
	"plimsoll/internal/campaign"
	"plimsoll/internal/host/caught"
	"plimsoll/internal/host/untrusted"
	"plimsoll/internal/report"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/sanitize"
	"plimsoll/internal/text/words"
	"plimsoll/reference"
	"plimsoll/studies"
)

type reportOptions struct {
	format   string
	output   string
	table    string
	series   int
	hostname bool
	open     bool // the page in the desktop's browser
	runs     string
	baseline string
	against  string
	set      []string // each PATH=VALUE
}

func newReport(s *State) *cobra.Command {
	o := &reportOptions{}
	cmd := &cobra.Command{
		Use:   "report [RUN]",
		Short: "Analyse a run again and write its report",
		Long: `Report needs only the run directory, so a report can be written again at any
time. RUN is a run directory or a published result (reference/NAME); the
default is the newest run.

--against holds the run against an earlier one, or a published result: the difference
at each rung as plimsoll compare finds it; the page draws it as reference lines. The published
result that a study re-enacts is there without it.
--baseline is something else: what the storage could do at best (a single drive, a
RAID set), of which throughput is shown as a fraction.

The format svg is the decision card alone, junit the objectives as tests at each
rung, and annotations what GitHub Actions shows beside a change; see docs/ci.md.

--set changes what the results are judged by (objectives, prices, min_grade, title,
question, source, reference), in this report alone. What was measured cannot be
changed: run the study again with run --set.

Exit codes: 0 written; 2 wrong arguments; 5 graded below --set min_grade=GRADE.`,
		Example: `  plimsoll report
  plimsoll report --open
  plimsoll report runs/after --against runs/before
  plimsoll report runs/20261121-101500-quickstart --format markdown
  plimsoll report -o card.svg
  plimsoll report --set 'objectives=[p99 <= 500ms]'
  plimsoll report reference/library-transfer -o published.html`,
		Args: maxArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return s.report(o, args) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.format, "format", "f", "", strings.Join(reportFormats, ", ")+" (default as -o ends, or text)")
	f.StringVarP(&o.output, "output", "o", "", "file to write, - for standard output (default -; with html, report.html in the run)")
	f.IntVar(&o.series, "series", 0, "with html: number of trials that include their time series (default 48)")
	f.BoolVar(&o.hostname, "hostname", false, "with html: keep the machine's name in the report")
	f.BoolVar(&o.open, "open", false, "write the page (html) and open it in the desktop's browser")
	f.StringVar(&o.table, "table", "", "with csv, one of\n"+strings.Join(tableNames(), ", ")+"\n(default "+string(report.TableRungs)+")")
	f.StringVar(&o.against, "against", "", "run, or reference/NAME, to show differences from; RUN:VARIANT for one variant")
	f.StringVar(&o.baseline, "baseline", "", "run, or reference/NAME, to show throughput as fractions of its best")
	f.StringArrayVar(&o.set, "set", nil, "judge by other objectives, prices, min_grade … (`PATH=VALUE`); may be repeated")
	f.StringVar(&o.runs, "runs", "runs", "directory that holds runs")
	cmd.ValidArgsFunction = completeRuns(&o.runs, 1)
	_ = cmd.RegisterFlagCompletionFunc("table", cobra.FixedCompletions(tableNames(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(reportFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (s *State) report(o *reportOptions, args []string) error {
	o.format = cmp.Or(o.format, s.formatNamed(o), o.unnamedFormat())
	if err := s.reportArguments(o); err != nil {
		return err
	}
	if s.JSON {
		o.format = "json"
	}
	if err := fitsName(o.output, o.format); err != nil {
		return err
	}
	write := s.formats(o)[o.format]
	run, err := openLean(o.runs, args)
	if err != nil {
		return err
	}
	options := analysis.Options{Running: run.Dir != "" && inProgress(run.Dir)}
	if len(o.set) > 0 {
		if run, err = judgedBy(run, o.set); err != nil {
			return err
		}
		options.MinGrade = run.Plan.Study.MinGrade
	}
	a, refused := analysed(run, options, named{runs: o.runs, baseline: o.baseline, against: o.against})
	if a == nil {
		return refused
	}
	if err := s.writeReport(o, run, func(w io.Writer) error { return write(w, a, run) }); err != nil || refused == nil {
		return err
	}
	return codedError{refused, exitRefused, ""}
}

// formatNamed is the format of reports that the name of the output says; empty where it
// says none.
func (s *State) formatNamed(o *reportOptions) string {
	if format := namedFormat(o.output); s.formats(o)[format] != nil {
		return format
	}
	return ""
}

// unnamedFormat is the format where neither a flag nor the output's name says one.
func (o *reportOptions) unnamedFormat() string {
	if o.open {
		return "html"
	}
	return "text"
}

// writeReport writes to where the arguments say, or to where reports of the format go.
func (s *State) writeReport(o *reportOptions, run *result.Run, write func(io.Writer) error) (err error) {
	path := o.output
	if path == "" && o.format == "html" {
		if path, err = reportFile(run.Dir); err != nil {
			return err
		}
	}
	if path == "" || path == "-" {
		if o.format == "json" {
			return write(s.jsonOut())
		}
		return write(o.commanding(s.Stdout))
	}
	if o.format == "text" || o.format == "markdown" {
		text := write
		write = func(w io.Writer) error { return text(sanitize.Writer(w)) }
	}
	if err := toFile(path, write); err != nil {
		return err
	}
	fmt.Fprintln(s.Stdout, path)
	if o.open {
		s.openPage(path)
	}
	return nil
}

// commanding lets the format for continuous integration write its commands.
func (o *reportOptions) commanding(w io.Writer) io.Writer {
	if o.format == "annotations" {
		return sanitize.Commanding(w)
	}
	return w
}

func (s *State) reportArguments(o *reportOptions) error {
	switch {
	case s.formats(o)[o.format] == nil:
		return codedError{fmt.Errorf("report: unknown format %q; choose one of %s", o.format, strings.Join(reportFormats, ", ")), exitUsage,
			strings.TrimSpace(didYouMean(o.format, reportFormats))}
	case o.series < 0:
		return usage(fmt.Errorf("report: --series must be 0 or more, got %d", o.series))
	case o.open && (o.format != "html" || o.output == "-" || s.JSON):
		return usage(errors.New("report: --open shows the page, which is --format html in a file; leave out the other format and --json"))
	case o.table != "" && o.format != "csv":
		return usage(fmt.Errorf("report: --table applies to --format csv, not %s", o.format))
	case o.table != "" && !slices.Contains(tableNames(), o.table):
		return codedError{fmt.Errorf("report: unknown table %q; choose one of %s", o.table, strings.Join(tableNames(), ", ")), exitUsage,
			strings.TrimSpace(didYouMean(o.table, tableNames()))}
	}
	return nil
}

// reportFormats are the names of State.formats, the most used first.
var reportFormats = []string{"text", "html", "markdown", "csv", "json", "svg", "junit", "annotations"}

type reportWriter func(w io.Writer, a *analysis.Analysis, run *result.Run) error

func (s *State) formats(o *reportOptions) map[string]reportWriter {
	return map[string]reportWriter{
		"text": func(w io.Writer, a *analysis.Analysis, _ *result.Run) error {
			return report.Terminal(w, a, s.width(), s.colour())
		},
		"markdown": func(w io.Writer, a *analysis.Analysis, _ *result.Run) error { return report.Markdown(w, a) },
		"csv": func(w io.Writer, a *analysis.Analysis, _ *result.Run) error {
			return report.CSV(w, a, report.Table(firstOf(o.table, string(report.TableRungs))))
		},
		"json":        func(w io.Writer, a *analysis.Analysis, _ *result.Run) error { return report.JSON(w, a) },
		"svg":         func(w io.Writer, a *analysis.Analysis, _ *result.Run) error { return report.Card(w, a) },
		"junit":       func(w io.Writer, a *analysis.Analysis, _ *result.Run) error { return report.JUnit(w, a) },
		"annotations": func(w io.Writer, a *analysis.Analysis, _ *result.Run) error { return report.Annotations(w, a) },
		"html": func(w io.Writer, a *analysis.Analysis, run *result.Run) error {
			return report.HTML(w, a, seriesOf(run), report.Options{Series: o.series, Hostname: o.hostname})
		},
	}
}

// judgedBy gives a run whose study has other objectives, prices and the like.
func judgedBy(run *result.Run, set []string) (*result.Run, error) {
	if run.Plan == nil || run.Plan.Study == nil {
		return nil, usage(fmt.Errorf("report: --set: the plan of %s cannot be read", run.ID))
	}
	vocabulary := campaign.Vocabulary(Parts())
	typed, err := run.Plan.Study.Typed(vocabulary)
	if err != nil { // of another version: what its workload reports is not known
		typed, vocabulary = run.Plan.Study, study.Vocabulary{}
	}
	judged, err := typed.Judge(set, vocabulary)
	if err != nil {
		return nil, usage(err)
	}
	of, planned := *run, *run.Plan
	planned.Study, of.Plan = judged, &planned
	return &of, nil
}

// publishedBeside opens the published results that the run's study names; nil where
// it names none.
func publishedBeside(run *result.Run) *analysis.Published {
	if run.Plan == nil || run.Plan.Study == nil || run.Plan.Study.Reference == "" {
		return nil
	}
	set, err := reference.Get(run.Plan.Study.Reference)
	if err != nil {
		return nil // another version may have had it
	}
	theirs, err := set.Run()
	if err != nil {
		return nil
	}
	return &analysis.Published{Run: theirs, Claims: set.Conclusions()}
}

// seriesOf reads a trial's telemetry when the report asks for it.
func seriesOf(run *result.Run) report.SeriesSource {
	return func(trialID string) iter.Seq2[result.Series, error] { return run.EachSeries(trialID) }
}

// width is the terminal's as it is now, or one that suits a file.
func (s *State) width() int {
	if s.Width == 0 {
		return 100
	}
	if now := terminalWidth(os.Stdout); now > 0 {
		s.Width = max(now, minWidth)
	}
	return s.Width
}

// minWidth is the least that text is wrapped to.
const minWidth = 40

// reportFile is where a run's report belongs. A run that was received may have
// a link there, which must not lead to another file.
func reportFile(dir string) (string, error) {
	if err := untrusted.Inside(dir, result.ReportFile); err != nil {
		return "", fmt.Errorf("write the report into the run: %w; -o FILE writes it elsewhere", err)
	}
	return filepath.Join(dir, result.ReportFile), nil
}

// named is what flags name to hold a run against; empty where they do not.
type named struct{ runs, baseline, against string }

// analysed analyses a run with what flags and its study name to hold it against. An
// analysis that comes with an error may be written, but is not good enough for a verdict.
func analysed(run *result.Run, o analysis.Options, by named) (_ *analysis.Analysis, err error) {
	defer caught.As("analyse run "+run.ID, &err)
	o.Published = publishedBeside(run)
	o.Shipped = run.Plan != nil && run.Plan.Study != nil && slices.Contains(studies.Names(), run.Plan.Study.Name)
	if o.Baseline, err = baselineFor(run, by.runs, by.baseline); err != nil {
		return nil, err
	}
	a, refused := analysis.Analyse(run, o)
	if a == nil {
		return nil, refused
	}
	if err := addNamed(a, run, by.runs, by.against); err != nil {
		return nil, err
	}
	addPublished(a, run, o.Published)
	return a, refused
}

// reportRun writes report.html and prints the verdict after a run; the pages
// become the report.
func (s *State) reportRun(dir, minGrade string, pages *runPages) error {
	run, err := result.OpenLean(dir)
	if err != nil {
		return err
	}
	a, analyseErr := analysed(run, analysis.Options{MinGrade: minGrade}, named{})
	if a == nil {
		return analyseErr
	}
	if err := s.writePage(dir, run, a); err != nil {
		return err
	}
	if s.JSON {
		if err := report.JSON(s.jsonOut(), a); err != nil {
			return err
		}
	} else {
		if err := s.formats(&reportOptions{})["text"](s.Stdout, a, run); err != nil {
			return err
		}
		s.printWrapped("\nreport: %s", filepath.Join(dir, result.ReportFile))
	}
	if err := pages.finish(s.Context, a, run); err != nil {
		return err
	}
	return verdictError(run, analyseErr)
}

// writePage writes a run's report.html.
func (s *State) writePage(dir string, run *result.Run, a *analysis.Analysis) error {
	path, err := reportFile(dir)
	if err != nil {
		return err
	}
	return toFile(path, func(w io.Writer) error { return report.HTML(w, a, seriesOf(run), report.Options{}) })
}

// withoutResult lists the planned trials whose results cannot be read.
func withoutResult(run *result.Run) []string {
	if run.Plan == nil {
		return nil
	}
	var ids []string
	for _, t := range run.Plan.Trials {
		if run.Trial(t.ID) == nil {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// verdictError gives the exit code of a run that went to its end.
func verdictError(run *result.Run, refused error) error {
	failed := 0
	for _, t := range run.Trials {
		if t.Status != result.Passed {
			failed++
		}
	}
	missing := withoutResult(run)
	switch {
	case len(missing) > 0:
		return fmt.Errorf("the run finished, but %s of %d planned cannot be read: %s; problems: %v",
			words.Count(len(missing), "trial"), len(run.Plan.Trials), strings.Join(missing, ", "), run.Problems)
	case refused != nil:
		return codedError{refused, exitRefused, "read the warnings in the report, or lower --min-grade"}
	case failed > 0:
		return codedError{fmt.Errorf("%d of %d trials failed; for the reasons: plimsoll show %s", failed, len(run.Trials), words.Shell(run.Dir)), exitTrialFailed,
			"measure them again with: plimsoll run --resume " + words.Shell(run.Dir) + " --retry-failed"}
	}
	return nil
}
