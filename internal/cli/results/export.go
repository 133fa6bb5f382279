package results

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/internal/analysis"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/report/tables"
	"plimsoll/internal/result"
	"plimsoll/internal/text/words"
)

// viewsFile makes views of the tables in DuckDB.
const viewsFile = "views.sql"

type exportOptions struct {
	runs   string
	output string
}

func newExport(s *command.State) *cobra.Command {
	o := &exportOptions{}
	cmd := &cobra.Command{
		Use:   "export [RUN...]",
		Short: "Write the results of runs as Parquet tables, for DuckDB and notebooks",
		Long: command.WrapText("Export writes the results of runs (default: all in the directory of runs) as tables in Parquet: "+strings.Join(tables.Names(), ", ")+".", 78) + `

Beside them, views.sql makes views of them in DuckDB with a comment on each column;
docs/tables.md describes these, with a query for each table. The files are replaced.
Runs in progress, and what cannot be analysed, are left out and named.`,
		Example: "  plimsoll export\n  plimsoll export runs/before runs/after -o tables\n  plimsoll export --runs /data/runs -o /data/tables --json",
		RunE:    func(_ *cobra.Command, args []string) error { return exportRuns(s, o, args) },
	}
	cmd.ValidArgsFunction = rundir.Complete(&o.runs, 1000)
	f := cmd.Flags()
	f.StringVar(&o.runs, "runs", "runs", "directory that holds runs")
	f.StringVarP(&o.output, "output", "o", "plimsoll-tables", "directory to write into")
	return cmd
}

// exported is what was written, as JSON.
type exported struct {
	Directory string            `json:"directory"` // with the files
	Files     []string          `json:"files"`     // written there
	Runs      []string          `json:"runs"`      // that are in the tables
	LeftOut   map[string]string `json:"left_out"`  // runs that are not, with the reason
}

func exportRuns(s *command.State, o *exportOptions, args []string) error {
	names := args
	if len(names) == 0 {
		if err := rundir.CheckRuns(o.runs); err != nil {
			return err
		}
		names = rundir.Own(o.runs, func(result.RunInfo) bool { return true })
		slices.Reverse(names) // the oldest first
	}
	if len(names) == 0 {
		return command.WithCode(fmt.Errorf("export: no runs in %s", o.runs), command.ExitUsage, "start one with: plimsoll demo")
	}
	out := exported{Directory: o.output, Runs: []string{}, LeftOut: map[string]string{}}
	all := tables.Tables{}
	for _, name := range names {
		if s.Context.Err() != nil {
			return s.Context.Err()
		}
		a, err := exportable(o.runs, name)
		if err != nil && len(args) > 0 {
			return err
		}
		if err != nil {
			out.LeftOut[name] = err.Error()
			continue
		}
		all.Add(a)
		out.Runs = append(out.Runs, a.Run.ID)
	}
	if err := writeTables(all, &out); err != nil {
		return err
	}
	if s.JSON {
		return s.PrintJSON(out)
	}
	s.PrintWrapped("%s: %s", words.Count(len(out.Runs), "run"), out.Directory)
	for _, f := range out.Files {
		s.PrintWrapped("  %s", f)
	}
	for _, name := range slices.Sorted(maps.Keys(out.LeftOut)) {
		s.PrintWrapped("left out: %s (%s)", name, out.LeftOut[name])
	}
	return nil
}

// exportable is the analysis of a run that has ended. One that is not good enough for a verdict
// has figures all the same, with its grade.
func exportable(runs, name string) (*analysis.Analysis, error) {
	run, err := rundir.OpenLean(runs, []string{name})
	if err != nil {
		return nil, err
	}
	if run.Dir != "" && rundir.InProgress(run.Dir) {
		return nil, rundir.Busy(fmt.Errorf("%s is in progress", run.Dir))
	}
	a, err := analyseAgainst(run, analysis.Options{}, references{runs: runs})
	if a == nil {
		return nil, err
	}
	return a, nil
}

func writeTables(all tables.Tables, out *exported) error {
	if err := os.MkdirAll(out.Directory, 0o755); err != nil {
		return command.Usage(fmt.Errorf("export: %w", err))
	}
	write := func(name string, write func(io.Writer) error) error {
		out.Files = append(out.Files, name)
		return command.ToFile(filepath.Join(out.Directory, name), write)
	}
	var errs error
	for _, name := range tables.Names() {
		errs = errors.Join(errs, write(name+".parquet", func(w io.Writer) error { return all.Write(w, name) }))
	}
	return errors.Join(errs, write(viewsFile, func(w io.Writer) error {
		_, err := io.WriteString(w, tables.Views())
		return err
	}))
}
