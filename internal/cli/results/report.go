package results

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/internal/analysis"
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/report"
	"plimsoll/internal/report/tables"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/claim"
	"plimsoll/internal/text/sanitize"
)

type reportOptions struct {
	format   string
	output   string
	table    string
	series   int
	hostname bool
	claims   bool
	open     bool // the page in the desktop's browser
	runs     string
	baseline string
	against  string
	set      []string // each PATH=VALUE
}

func newReport(s *command.State) *cobra.Command {
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

--claims writes only what the run says of claims: of the published results that its
study names, and under claims: in the study; see docs/claims.md.

--set changes what the results are judged by (objectives, prices, claims, min_grade,
title, question, source, reference), in this report alone. What was measured cannot be
changed: run the study again with run --set.

Exit codes: 0 written; 2 wrong arguments; 5 graded below --set min_grade=GRADE. With
--claims: 6 a claim is contradicted; 8 none is, but the figures leave one open or a
claim of the study itself was not measured.`,
		Example: `  plimsoll report
  plimsoll report --open
  plimsoll report runs/after --against runs/before
  plimsoll report runs/20261121-101500-quickstart --format markdown
  plimsoll report -o card.svg
  plimsoll report --set 'objectives=[p99 <= 500ms]'
  plimsoll report reference/library-transfer --claims
  plimsoll report reference/library-transfer -o published.html`,
		Args: command.MaxArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return reportOn(s, o, args) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.format, "format", "f", "", strings.Join(reportFormats, ", ")+" (default as -o ends, or text)")
	f.StringVarP(&o.output, "output", "o", "", "file to write, - for standard output (default -; with html, report.html in the run)")
	f.IntVar(&o.series, "series", 0, "with html: number of trials that include their time series (default 48)")
	f.BoolVar(&o.hostname, "hostname", false, "with html: keep the machine's name in the report")
	f.BoolVar(&o.open, "open", false, "write the page (html) and open it in the desktop's browser")
	f.BoolVar(&o.claims, "claims", false, "only what the run says of claims, as text, markdown or json")
	f.StringVar(&o.table, "table", "", "with csv, one of\n"+listed(tables.CSVNames())+"\n(default "+tables.Rungs+")")
	f.StringVar(&o.against, "against", "", "run, or reference/NAME, to show differences from; RUN:VARIANT for one variant")
	f.StringVar(&o.baseline, "baseline", "", "run, or reference/NAME, to show throughput as fractions of its best")
	f.StringArrayVar(&o.set, "set", nil, "judge by other objectives, prices, min_grade … (`PATH=VALUE`); may be repeated")
	f.StringVar(&o.runs, "runs", "runs", "directory that holds runs")
	cmd.ValidArgsFunction = rundir.Complete(&o.runs, 1)
	_ = cmd.RegisterFlagCompletionFunc("table", cobra.FixedCompletions(tables.CSVNames(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(reportFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func reportOn(s *command.State, o *reportOptions, args []string) error {
	o.format = cmp.Or(o.format, formatNamed(s, o), o.unnamedFormat())
	if err := reportArguments(s, o); err != nil {
		return err
	}
	if s.JSON {
		o.format = "json"
	}
	if err := command.FitsName(o.output, o.format); err != nil {
		return err
	}
	write := o.writer(s)
	run, err := rundir.OpenLean(o.runs, args)
	if err != nil {
		return err
	}
	options := analysis.Options{Running: run.Dir != "" && rundir.InProgress(run.Dir)}
	if len(o.set) > 0 {
		if run, err = judgedBy(run, o.set); err != nil {
			return err
		}
		options.MinGrade = run.Plan.Study.MinGrade
	}
	a, refused := analyseAgainst(run, options, references{runs: o.runs, baseline: o.baseline, against: o.against})
	if a == nil {
		return refused
	}
	if err := AddConfirmed(run, a); err != nil {
		s.Complain("%s", err)
	}
	if err := writeReport(s, o, run, func(w io.Writer) error { return write(w, a, run) }); err != nil {
		return err
	}
	if o.claims {
		if err := claimsError(a.Claims); err != nil {
			return err
		}
	}
	if refused == nil {
		return nil
	}
	return command.WithCode(refused, command.ExitRefused, "")
}

// formatNamed is the format of reports that the name of the output says; empty where it
// says none.
func formatNamed(s *command.State, o *reportOptions) string {
	if format := command.NamedFormat(o.output); formats(s, o)[format] != nil {
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
func writeReport(s *command.State, o *reportOptions, run *result.Run, write func(io.Writer) error) (err error) {
	path := o.output
	if path == "" && o.format == "html" {
		if path, err = reportFile(run.Dir); err != nil {
			return err
		}
	}
	if path == "" || path == "-" {
		if o.format == "json" {
			return write(s.JSONOut())
		}
		return write(o.commanding(s.Stdout))
	}
	if o.format == "text" || o.format == "markdown" {
		text := write
		write = func(w io.Writer) error { return text(sanitize.Writer(w)) }
	}
	if err := command.ToFile(path, write); err != nil {
		return err
	}
	fmt.Fprintln(s.Stdout, path)
	if o.open {
		OpenPage(s, path)
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

func reportArguments(s *command.State, o *reportOptions) error {
	switch {
	case formats(s, o)[o.format] == nil:
		return command.WithCode(fmt.Errorf("report: unknown format %q; choose one of %s", o.format, strings.Join(reportFormats, ", ")), command.ExitUsage,
			strings.TrimSpace(command.DidYouMean(o.format, reportFormats)))
	case o.series < 0:
		return command.Usage(fmt.Errorf("report: --series must be 0 or more, got %d", o.series))
	case o.open && (o.format != "html" || o.output == "-" || s.JSON):
		return command.Usage(errors.New("report: --open shows the page, which is --format html in a file; leave out the other format and --json"))
	case o.claims && claimFormats(s)[o.format] == nil && !s.JSON:
		return command.Usage(fmt.Errorf("report: --claims writes text, markdown or json, not %s; --format csv --table claims has them, too", o.format))
	case o.table != "" && o.format != "csv":
		return command.Usage(fmt.Errorf("report: --table applies to --format csv, not %s", o.format))
	case o.table != "" && !slices.Contains(tables.CSVNames(), o.table):
		return command.WithCode(fmt.Errorf("report: unknown table %q; choose one of %s", o.table, strings.Join(tables.CSVNames(), ", ")), command.ExitUsage,
			strings.TrimSpace(command.DidYouMean(o.table, tables.CSVNames())))
	}
	return nil
}

// reportFormats are the names of formats, the most used first.
var reportFormats = []string{"text", "html", "markdown", "csv", "json", "svg", "junit", "annotations"}

type reportWriter func(w io.Writer, a *analysis.Analysis, run *result.Run) error

func formats(s *command.State, o *reportOptions) map[string]reportWriter {
	return map[string]reportWriter{
		"text": func(w io.Writer, a *analysis.Analysis, _ *result.Run) error {
			return report.Terminal(w, a, s.Columns(), s.Colour())
		},
		"markdown": func(w io.Writer, a *analysis.Analysis, _ *result.Run) error { return report.Markdown(w, a) },
		"csv": func(w io.Writer, a *analysis.Analysis, _ *result.Run) error {
			return tables.CSV(w, a, cmp.Or(o.table, tables.Rungs))
		},
		"json":        func(w io.Writer, a *analysis.Analysis, _ *result.Run) error { return report.JSON(w, a) },
		"svg":         func(w io.Writer, a *analysis.Analysis, _ *result.Run) error { return report.Card(w, a) },
		"junit":       func(w io.Writer, a *analysis.Analysis, _ *result.Run) error { return report.JUnit(w, a) },
		"annotations": func(w io.Writer, a *analysis.Analysis, _ *result.Run) error { return report.Annotations(w, a) },
		"html": func(w io.Writer, a *analysis.Analysis, run *result.Run) error {
			return report.HTML(w, a, SeriesOf(run), report.Options{Series: o.series, Hostname: o.hostname})
		},
	}
}

// writer is the one of the format, for the whole report or for the claims alone.
func (o *reportOptions) writer(s *command.State) reportWriter {
	if o.claims {
		return claimFormats(s)[o.format]
	}
	return formats(s, o)[o.format]
}

func claimFormats(s *command.State) map[string]reportWriter {
	return map[string]reportWriter{
		"text": func(w io.Writer, a *analysis.Analysis, _ *result.Run) error {
			return report.TerminalClaims(w, a, s.Columns(), s.Colour())
		},
		"markdown": func(w io.Writer, a *analysis.Analysis, _ *result.Run) error { return report.MarkdownClaims(w, a) },
		"json":     func(w io.Writer, a *analysis.Analysis, _ *result.Run) error { return report.JSONClaims(w, a) },
	}
}

// claimsError is the exit code that claims end the command with, nil for none. What published results claim and
// the run did not measure says nothing about the run.
func claimsError(all []analysis.ClaimResult) error {
	open := false
	for _, c := range all {
		if c.Outcome == claim.Contradicted {
			return command.Silent(command.ExitDifferent)
		}
		open = open || c.Outcome == claim.NotShown || c.Outcome == claim.NotMeasured && c.Source == ""
	}
	if open {
		return command.Silent(command.ExitInconclusive)
	}
	return nil
}

// judgedBy gives a run whose study has other objectives, prices and the like.
func judgedBy(run *result.Run, set []string) (*result.Run, error) {
	if run.Plan == nil || run.Plan.Study == nil {
		return nil, command.Usage(fmt.Errorf("report: --set: the plan of %s cannot be read", run.ID))
	}
	vocabulary := facts.Vocabulary(registry.Parts())
	typed, err := run.Plan.Study.Typed(vocabulary)
	if err != nil { // of another version: what its workload reports is not known
		typed, vocabulary = run.Plan.Study, study.Vocabulary{}
	}
	judged, err := typed.Judge(set, vocabulary)
	if err != nil {
		return nil, command.Usage(err)
	}
	of, planned := *run, *run.Plan
	planned.Study, of.Plan = judged, &planned
	return &of, nil
}

// listed writes names in two lines, which a line of help has room for.
func listed(names []string) string {
	half := (len(names) + 1) / 2
	return strings.Join(names[:half], ", ") + ",\n" + strings.Join(names[half:], ", ")
}
