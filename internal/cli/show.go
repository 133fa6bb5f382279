package cli

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"plimsoll/internal/result"
)

func newShow(s *State) *cobra.Command {
	var runs string
	cmd := &cobra.Command{
		Use:   "show [RUN [TRIAL]]",
		Short: "Show the trials of a run, or everything about one trial",
		Long: `Show lists the trials of a run (the newest without RUN) with how each ended. With
a trial's identifier (<variant>/<rung>/<repetition>) it shows what was measured:
operations, resources, drivers, events, audit and notes.`,
		Example: "  plimsoll show\n  plimsoll show runs/20261121-101500-quickstart hdd/4/1\n  plimsoll show runs/20261121-101500-quickstart hdd/4/1 --json",
		Args:    maxArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			run, err := openRun(runs, args[:min(1, len(args))])
			if err != nil {
				return err
			}
			if len(args) == 2 {
				return s.showTrial(run, args[1])
			}
			return s.showRun(run)
		},
	}
	cmd.Flags().StringVar(&runs, "runs", "runs", "directory that holds runs")
	return cmd
}

func (s *State) showRun(run *result.Run) error {
	if s.JSON {
		return s.printJSON(run)
	}
	w := tabwriter.NewWriter(s.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TRIAL\tSTATE\tORDERS\tMEAN\tP95\tWHAT HAPPENED")
	for _, t := range run.Trials {
		order := t.Operations["order"]
		fmt.Fprintf(w, "%s\t%s\t%d\t%.1f ms\t%.1f ms\t%s\n", t.ID, t.Status, order.Count, order.Mean*1e3, order.P95*1e3, happened(t))
	}
	for _, id := range run.Unfinished {
		fmt.Fprintf(w, "%s\tunfinished\t\t\t\tcontinue with: plimsoll run --resume %s\n", id, run.Dir)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, p := range run.Problems {
		fmt.Fprintf(s.Stdout, "problem: %s\n", p)
	}
	return nil
}

func happened(t *result.Trial) string {
	switch {
	case t.Failure != nil:
		first, _, _ := strings.Cut(t.Failure.Cause, "\n")
		return t.Failure.Stage + ": " + first
	case t.Audit != nil:
		return t.Audit.Text
	}
	return ""
}

func (s *State) showTrial(run *result.Run, id string) error {
	t := run.Trial(id)
	if t == nil {
		return codedError{fmt.Errorf("run %s has no finished trial %q", run.Dir, id), exitUsage, "plimsoll show " + run.Dir + " lists its trials"}
	}
	if s.JSON {
		return s.printJSON(t)
	}
	fmt.Fprintf(s.Stdout, "%s: %s, %d instances of %s %s on %s\n", t.ID, t.Status, t.Rung, t.Engine.Name, t.Engine.Version, t.Storage.Text)
	if t.Failure != nil {
		fmt.Fprintf(s.Stdout, "failed at %s while it was to %s: %s\n", t.Failure.At.Local().Format(time.DateTime), t.Failure.Stage, t.Failure.Cause)
	}
	if err := s.showOperations(t); err != nil {
		return err
	}
	if err := s.showResources(t); err != nil {
		return err
	}
	s.showRest(t, result.TrialDir(run.Dir, id))
	return nil
}

func (s *State) showOperations(t *result.Trial) error {
	w := tabwriter.NewWriter(s.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\nOPERATION\tDONE\tROLLED BACK\tERRORS\tMEAN ms\tP50\tP95\tP99\tMAX\t")
	for _, name := range sortedNames(t.Operations) {
		o := t.Operations[name]
		var errs int64
		for _, n := range o.Errors {
			errs += n
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t\n", name, o.Count, o.RolledBack, errs,
			o.Mean*1e3, o.P50*1e3, o.P95*1e3, o.P99*1e3, o.Max*1e3)
	}
	return w.Flush()
}

func (s *State) showResources(t *result.Trial) error {
	w := tabwriter.NewWriter(s.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nRESOURCE\tMETRIC\tMEAN\tP95\tMAX\tUNIT")
	for _, r := range t.Resources {
		if r.Kind == "instance" {
			continue // one line for each of many instances hides the rest; --json has them
		}
		fmt.Fprintf(w, "%s\t%s\t%.4g\t%.4g\t%.4g\t%s\n", strings.TrimSpace(r.Kind+" "+r.Name), r.Metric, r.Mean, r.P95, r.Max, r.Unit)
	}
	return w.Flush()
}

func (s *State) showRest(t *result.Trial, dir string) {
	for _, e := range t.Events {
		fmt.Fprintf(s.Stdout, "%+8.1f s  %s\n", e.At.Sub(t.Start).Seconds(), e.Text)
	}
	if t.Audit != nil {
		fmt.Fprintln(s.Stdout, "\naudit:", t.Audit.Text)
	}
	for _, n := range t.Notes {
		fmt.Fprintln(s.Stdout, "note:", n)
	}
	fmt.Fprintln(s.Stdout, "\nfiles:", dir)
}

func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}
