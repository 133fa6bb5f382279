package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/cli/cleanup"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/cli/results"
	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/host/untrusted"
	"plimsoll/internal/report"
	"plimsoll/internal/result"
	"plimsoll/internal/study/templates"
	"plimsoll/internal/text/words"
)

type tryOptions struct {
	limit     string
	analytics bool
	verbose   bool
}

func newTry(s *command.State) *cobra.Command {
	o := &tryOptions{}
	cmd := &cobra.Command{
		Use:   "try PATH",
		Short: "Give a first answer for a directory, without a study file",
		Long: `Try writes and runs small studies of the storage below PATH, in about two minutes:
small and large blocks (latency, MB/s), large files and, where a database server
is installed, small databases. It prints what came out, its grade, the reports, and
the study files to go on with. With --analytics it also runs queries derived from
TPC-DS, answered by DuckDB from Parquet files; DuckDB and the queries are downloaded
the first time.

What is too slow follows from the medium for small blocks (1ms in memory to 30ms on
rotating disks) and is 200ms for databases, unless --limit says otherwise.

Everything that lasts is in PATH/runs; nothing else below PATH is touched. What an
interrupted or killed try left is removed by the next one, or by plimsoll clean
--runs PATH/runs.

Exit codes: 0 done; 2 PATH cannot be used; 3 there is not enough space or memory;
4 some trials failed; 130 interrupted.`,
		Example: "  plimsoll try /mnt/fast\n  plimsoll try . --limit 50ms\n  plimsoll try /mnt/fast --analytics",
		Args:    command.ExactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return tryPath(s, o, args[0]) },
	}
	cmd.ValidArgsFunction = command.CompleteDirectories
	cmd.Flags().StringVar(&o.limit, "limit", "", "what is too slow: a time that 95 % must keep, or \"p99 <= 1s\" (default by the medium)")
	cmd.Flags().BoolVar(&o.analytics, "analytics", false, "run analytical queries, too: a minute more, and a download the first time")
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "log every step")
	return cmd
}

// tried is what came out of one study of a first answer.
type tried struct {
	Study   string              `json:"study"` // the file to go on with
	Report  string              `json:"report"`
	Verdict []analysis.Sentence `json:"verdict"`
	Failed  string              `json:"failed,omitempty"` // why there is no answer

	analysis *analysis.Analysis
	err      error
	further  string // the setting to go on with
}

func tryPath(s *command.State, o *tryOptions, path string) error {
	if o.limit != "" {
		if err := templates.CheckLimit(o.limit); err != nil {
			return command.Usage(fmt.Errorf("--limit: %w", err))
		}
	}
	place, err := lookAt(path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(place.runs, 0o755); err != nil {
		return fmt.Errorf("try: %w", err)
	}
	defer os.Remove(place.runs) // where nothing was kept in it
	if err := clearTries(s, place.runs); err != nil {
		return err
	}
	first := templates.FirstAnswer{Path: place.path, Runs: place.runs, Limit: o.limit, Medium: place.medium()}
	note := ""
	if first.Engine, note = engineFor(s, place); note != "" {
		place.notes = append(place.notes, note)
	}
	if first.Analytics = o.analytics && place.closed() == ""; first.Analytics != o.analytics {
		place.notes = append(place.notes, "without analytical queries, for the same reason")
	}
	introduce(s, place)
	s.Complain("  I/Os of 4 KiB are to keep %s (--limit changes it)", first.BlockObjective())
	began := time.Now()
	var all []tried
	for _, part := range first.Parts() {
		t := tryPart(s, o, place, part)
		if t.err != nil && (errors.Is(t.err, s.Context.Err()) || s.Context.Err() != nil) {
			return t.err
		}
		all = append(all, t)
	}
	if err := printTried(s, place, all, time.Since(began)); err != nil {
		return err
	}
	for _, t := range all {
		if t.err != nil {
			return command.Silent(command.ExitCode(t.err))
		}
	}
	return nil
}

func introduce(s *command.State, p directory) {
	s.Complain("%s: %s on %s, %s free", p.path, p.mount.Type, p.mount.Source, words.Binary(p.space.Free))
	for _, n := range p.notes {
		s.Complain("  %s", n)
	}
}

// engineFor is the installed database whose servers can reach the place, or why there
// is none.
func engineFor(s *command.State, p directory) (name, note string) {
	if dir := p.closed(); dir != "" {
		return "", fmt.Sprintf("without databases: servers run as a user of their own, who may not enter %s", dir)
	}
	for _, name := range templates.Databases() {
		if _, err := registry.Engines()[name].Find(s.Context, "", false); err == nil {
			return name, ""
		}
	}
	return "", "without databases: no server is installed (" + strings.Join(templates.Databases(), ", ") + ")"
}

// tryCache is below the runs, so that nothing is written elsewhere.
const tryCache = ".cache"

// clearTries removes what earlier tries left when they were killed.
func clearTries(s *command.State, runs string) error {
	entries, err := untrusted.ReadDir(runs)
	if err != nil {
		return err
	}
	for _, e := range entries {
		dir := filepath.Join(runs, e.Name())
		if !strings.Contains(e.Name(), "-try-") || !command.Exists(filepath.Join(dir, result.JournalFile)) {
			continue
		}
		c, err := cleanup.Run(s, dir, cleanup.Options{Parts: registry.Parts()})
		switch {
		case err != nil:
			return err
		case c.Busy:
			return rundir.Busy(fmt.Errorf("%s is in progress", c.Run))
		case len(c.Failed)+len(c.Left) > 0:
			return command.WithCode(fmt.Errorf("an earlier try left what could not be removed: %s", strings.Join(append(c.Failed, c.Left...), "; ")), command.ExitLeft, "plimsoll clean "+words.Shell(c.Run))
		}
	}
	return os.RemoveAll(filepath.Join(runs, tryCache))
}

// tryPart runs one of the studies.
func tryPart(s *command.State, o *tryOptions, p directory, part templates.Part) (t tried) {
	s.Complain("%s", part.Title)
	options := &runOptions{
		runs: p.runs, work: p.runs, cache: filepath.Join(p.runs, tryCache), cacheLimit: 1,
		noFetch: !part.Fetch, errorLimit: 0.5, brief: true, verbose: o.verbose,
	}
	defer os.RemoveAll(options.cache)
	t.Failed, t.further = part.Title, part.Further
	if t.err = tryStudy(s, options, part, &t); t.err != nil {
		t.Failed = part.Title + ": " + t.err.Error()
		return t
	}
	t.Failed = ""
	return t
}

func tryStudy(s *command.State, o *runOptions, part templates.Part, t *tried) error {
	parts := registry.Parts()
	p, err := planText(s.Context, s, parts, o.studyOptions, part.Name+".yaml", part.Text, facts.FetchNever)
	if err != nil {
		return err
	}
	r, err := readyRun(s, o, p, part.Text)
	if err != nil {
		return err
	}
	defer r.run.Release()
	if err := execute(s, parts, o, r.options, nil); err != nil {
		return err
	}
	t.Study = filepath.Join(r.options.Dir, result.StudyFile)
	run, err := result.Open(r.options.Dir)
	if err != nil {
		return err
	}
	a, err := results.Analyse(run, analysis.Options{})
	if a == nil {
		return err
	}
	t.analysis, t.Verdict, t.Report = a, a.Verdict, filepath.Join(r.options.Dir, result.ReportFile)
	if err := results.WritePage(s, r.options.Dir, run, a); err != nil {
		return err
	}
	return results.VerdictError(run, err)
}

func printTried(s *command.State, p directory, all []tried, took time.Duration) error {
	if s.JSON {
		return s.PrintJSON(map[string]any{"path": p.path, "notes": append([]string{}, p.notes...), "seconds": took.Seconds(), "studies": all})
	}
	s.PrintWrapped("\n%s, tried in %s", p.path, words.Span(took))
	for _, n := range p.notes {
		s.PrintWrapped("! %s", n)
	}
	for _, t := range all {
		fmt.Fprintln(s.Stdout)
		if t.Failed != "" {
			s.PrintWrapped("✗ %s", t.Failed)
			if hint := command.Hint(t.err); hint != "" {
				s.PrintWrapped("  %s", hint)
			}
		}
		printOneTried(s, t)
	}
	last := all[len(all)-1]
	if last.Study == "" {
		return nil
	}
	s.PrintWrapped("\nThese are first answers, measured for seconds. Go on with:\n  plimsoll run %s --set %s\n  plimsoll study new --storage %s", words.Shell(last.Study), last.further, words.Shell(p.path))
	return nil
}

func printOneTried(s *command.State, t tried) {
	if t.analysis == nil {
		return
	}
	s.PrintWrapped("%s", t.analysis.Study.Title)
	for _, v := range t.analysis.Variants {
		if line := bestLine(t.analysis, v); line != "" {
			s.PrintWrapped("  %s", line)
		}
	}
	for _, sentence := range t.Verdict {
		s.PrintWrapped("  ⦵ %s", report.Said(t.analysis, sentence.Text))
	}
	if grade := t.analysis.Grade; grade != "" {
		s.PrintWrapped("  grade %s: %s", grade, report.GradeText(t.analysis))
	}
	s.PrintWrapped("  report: %s\n  study:  %s", t.Report, t.Study)
}

// bestLine is the highest throughput of a variant, with its response time. There is one
// storage, which need not be named.
func bestLine(a *analysis.Analysis, v analysis.Variant) string {
	if len(v.Rungs) == 0 {
		return ""
	}
	best := slices.MaxFunc(v.Rungs, func(x, y rung.Rung) int { return int(x.Throughput.Value - y.Throughput.Value) })
	if best.Throughput.Value <= 0 {
		return ""
	}
	rate := words.Number(best.Throughput.Value) + " " + v.Work.Unit.Throughput
	if best.Payload.Value > 0 {
		rate += ", " + words.Number(best.Payload.Value) + " MB/s"
	}
	what := strings.TrimPrefix(strings.TrimPrefix(v.Label, v.Factors["storage"]), ", ")
	if what != "" {
		what += ": "
	}
	return fmt.Sprintf("%s%s with %s; %s", what, rate, words.Count(best.Instances, a.Study.Noun),
		words.ResponseTimes(best.Mean.Value, best.Percentile["p95"], best.Percentile["p99"]))
}
