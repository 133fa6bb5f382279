package results

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/words"
)

func newShow(s *command.State) *cobra.Command {
	var runs string
	var intensity bool
	var top int
	cmd := &cobra.Command{
		Use:   "show [RUN [TRIAL]]",
		Short: "Show the trials of a run, or everything about one trial",
		Long: `Show lists the trials of a run (default: the newest) and how each one ended. With
a trial (<variant>/<rung>/<repetition>) it shows what was measured: operations,
resources, drivers, events, audit and notes. --intensity lists operations (such as queries)
by how many bytes they read for a second of CPU time, where the servers count that: the first
depend on storage most.`,
		Example: "  plimsoll show\n  plimsoll show runs/20261121-101500-quickstart hdd/4/1\n  plimsoll show runs/20261121-101500-quickstart hdd/4/1 --json",
		Args:    command.MaxArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case top < 0 || top > 0 && !intensity:
				return command.Usage(errors.New("--top is how many operations --intensity lists: 1 or more"))
			case intensity && len(args) == 2:
				return command.Usage(errors.New("--intensity is of a whole run: leave out the trial"))
			}
			if len(args) == 2 {
				return showTrialOf(s, runs, args[0], args[1])
			}
			run, err := rundir.Open(runs, args)
			if err != nil {
				return err
			}
			if intensity {
				return showIntensity(s, run, top)
			}
			return showRun(s, run)
		},
	}
	cmd.ValidArgsFunction = completeTrials(&runs)
	cmd.Flags().StringVar(&runs, "runs", "runs", "directory that holds runs")
	cmd.Flags().BoolVar(&intensity, "intensity", false, "list operations by bytes read for a second of CPU time")
	cmd.Flags().IntVar(&top, "top", 0, "with --intensity: list so many of the first")
	return cmd
}

func showRun(s *command.State, run *result.Run) error {
	if s.JSON {
		return s.PrintJSON(shownRun{run.ID, run.Dir, run.Plan, run.Machine, run.Trials, run.Unfinished, run.Problems})
	}
	done, throughput := workHeads(run)
	labels := labelsOf(run)
	t := command.Table{Head: []string{"TRIAL", "VARIANT", "STATE", done, throughput, "MEAN", "P95", "WHAT HAPPENED"}, Right: 8}
	for _, r := range apart(run) {
		whole := r.Whole()
		count, rate := known(float64(whole.Count), words.Thousands), known(r.Throughput(), words.Number)
		if u := r.Profile.Unit; done == ofMembers && u.Complete() {
			count, rate = count+" "+u.Plural, rate+" "+u.Throughput
		}
		t.Row(r.ID, labels[r.Tile().Variant.Name], string(r.Status), count, rate,
			known(whole.Mean, words.Latency), known(whole.P95, words.Latency), happened(r))
	}
	for _, id := range run.Unfinished {
		variant, _, _ := strings.Cut(id, "/")
		t.Row(id, labels[variant], "unfinished", "", "", "", "", "continue with: plimsoll run --resume "+words.Shell(run.Dir))
	}
	if !differ(labels) {
		t = t.Without(1)
	}
	s.PrintTable(t)
	for _, p := range run.Problems {
		s.PrintWrapped("problem: %s", p)
	}
	return nil
}

// apart returns the trials of each member in tiles, followed by the trials of each member alone.
func apart(run *result.Run) (all []*result.Trial) {
	for _, part := range append(run.Members(), run.Alone()...) {
		all = append(all, part.Trials...)
	}
	return all
}

// labelsOf are what reports call the variants of a run, by their names.
func labelsOf(run *result.Run) map[string]string {
	var variants []study.Variant
	if run.Plan != nil {
		variants = slices.Clone(run.Plan.Variants)
	}
	for _, t := range run.Tiles() {
		if !slices.ContainsFunc(variants, func(v study.Variant) bool { return v.Name == t.Variant.Name }) {
			variants = append(variants, t.Variant)
		}
	}
	return setup.Labels(variants)
}

// differ reports whether a variant has another label than its name.
func differ(labels map[string]string) bool {
	for name, label := range labels {
		if label != name {
			return true
		}
	}
	return false
}

// shownRun is a run as JSON.
type shownRun struct {
	ID         string           `json:"id"`
	Dir        string           `json:"dir,omitempty"`
	Plan       *plan.Plan       `json:"plan,omitempty"`
	Machine    *result.Machine  `json:"machine,omitempty"`
	Trials     []*result.Trial  `json:"trials"`
	Unfinished []string         `json:"unfinished,omitempty"`
	Problems   []result.Problem `json:"problems,omitempty"`
}

// known writes a number, or a dash for one that was not measured.
func known(v float64, write func(float64) string) string {
	if v == 0 {
		return "–"
	}
	return write(v)
}

// ofMembers is the heading for the work of members that each have a unit of their own.
const ofMembers = "DONE"

// workHeads are the columns of the work done and its throughput, in the words
// of the run's workload.
func workHeads(run *result.Run) (done, throughput string) {
	done, throughput = ofMembers, "THROUGHPUT"
	for _, t := range run.Trials {
		u := t.Profile.Unit
		if !u.Complete() {
			continue
		}
		if throughput == "THROUGHPUT" {
			done, throughput = strings.ToUpper(u.Plural), u.Throughput
		} else if throughput != u.Throughput {
			return ofMembers, "THROUGHPUT"
		}
	}
	return done, throughput
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

// nounOf is what the rungs of a run count.
func nounOf(run *result.Run) string {
	if run.Plan == nil {
		return study.Ladder{}.Noun("")
	}
	return run.Plan.Noun()
}

// nounIn is what the rung of a trial counts: of a member alone, its instances.
func nounIn(run *result.Run, t *result.Trial) string {
	if t.Variant.Member != "" {
		return study.Ladder{}.Noun("")
	}
	return nounOf(run)
}

// showTrialOf reads one trial of a run, by its place, and prints it.
func showTrialOf(s *command.State, runs, name, id string) error {
	run, err := rundir.OpenWith(runs, []string{name}, func(dir string) (*result.Run, error) { return result.OpenTrial(dir, id) })
	if err != nil {
		return err
	}
	return showTrial(s, run, name, id)
}

// showTrial prints one trial of the run that the user called name, of all its members or, by its
// own identifier, of one.
func showTrial(s *command.State, run *result.Run, name, id string) error {
	members := run.Of(id)
	if len(members) == 0 {
		return command.WithCode(fmt.Errorf("run %s has no finished trial %q", run.ID, id), command.ExitUsage, "plimsoll show "+words.Shell(cmp.Or(run.Dir, name))+" lists its trials")
	}
	for i, t := range members {
		members[i] = trust.Corrected(run, t)
	}
	t, together := members[0], members[0].ID != id
	if together {
		t = &result.TileOf(members...).Trial
	}
	if s.JSON {
		if together {
			return s.PrintJSON(result.TileOf(members...))
		}
		return s.PrintJSON(t)
	}
	of := ""
	if variant := t.Tile().Variant.Name; labelsOf(run)[variant] != variant {
		of = " (" + labelsOf(run)[variant] + ")"
	}
	if together {
		s.PrintWrapped("%s%s: %s, %s on %s", t.ID, of, t.Status, words.Count(t.Rung, nounOf(run))+onlyOf(t), t.Variant.StorageName)
	}
	for _, one := range members {
		s.PrintWrapped("%s%s: %s, %s of %s on %s", one.ID, of, one.Status, words.Count(one.Rung, nounIn(run, one)), serversText(one), one.Variant.StorageName)
	}
	if t.Storage().Text != "" {
		s.PrintWrapped("storage: %s", t.Storage().Text)
	}
	if t.Failure != nil {
		s.PrintWrapped("failed at %s to %s: %s", t.Failure.At.Local().Format(time.DateTime), t.Failure.Stage, t.Failure.Cause)
	}
	for _, a := range t.SetAside {
		s.PrintWrapped("set aside: %s, which failed %s, at %s: %s", a.Whose(), a.When(), a.At.Local().Format(time.DateTime), a.Briefly())
	}
	for _, one := range members {
		if together {
			s.PrintWrapped("\n%s", one.ID)
		}
		showThroughput(s, one)
		showOperations(s, one)
	}
	showResources(s, t)
	showRest(s, t, result.TrialDir(run.Dir, t.Tile().ID))
	return nil
}

// onlyOf says which member a trial is of, where it is of one alone.
func onlyOf(t *result.Trial) string {
	if t.Alone == "" {
		return ""
	}
	return " with nothing but " + t.Alone
}

// showThroughput says in how many ways the work of a trial counts.
func showThroughput(s *command.State, t *result.Trial) {
	unit := t.Profile.Unit.Throughput
	s.PrintWrapped("throughput: %s %s", known(t.Throughput(), words.Number), unit)
	if w := t.Stonewalled; w != nil {
		s.PrintWrapped("  until the last user finished, after %s; stonewalled %s %s, until the first did, after %s",
			words.Seconds(t.MeasureEnd.Sub(t.MeasureStart).Seconds()), known(t.StonewalledThroughput(), words.Number), unit, words.Seconds(w.Seconds))
	}
	if t.Unfinished > 0 {
		s.PrintWrapped("  %s had not finished their work when the measured phase ended", words.Count(t.Unfinished, "user"))
	}
	if c := t.Ceiling(); c != nil {
		s.PrintWrapped("  the drivers by themselves: %s %s, %s MB/s, with %s cores of CPU", known(t.CeilingThroughput(), words.Number), unit, words.Number(float64(c.Bytes)/1e6/c.Seconds), words.Number(c.CPU/c.Seconds))
	}
	if v := t.ThroughputWithout(); v > 0 {
		s.PrintWrapped("  %s %s without the time of %s", known(v, words.Number), unit, words.Join(t.Profile.Optional))
	}
}

func showOperations(s *command.State, t *result.Trial) {
	all := command.Table{Head: []string{"OPERATION", "DONE", "ROLLED BACK", "ERRORS", "MEAN", "P50", "P95", "P99", "MAX"}, Right: 1}
	stalled := false
	for _, name := range operationNames(t) {
		o := t.Operations[name]
		var errs int64
		for _, n := range o.Errors {
			errs += n
		}
		cells := []string{name, fmt.Sprint(o.Count), fmt.Sprint(o.RolledBack), fmt.Sprint(errs)}
		for _, v := range []float64{o.Mean, o.P50, o.P95, o.P99, o.Max} {
			cells = append(cells, words.Latency(v))
		}
		all.Row(cells...)
		if c := o.Corrected; c != nil {
			stalled = true
			cells = []string{name + " corrected", "", "", ""}
			for _, v := range []float64{c.Mean, c.P50, c.P95, c.P99, c.Max} {
				cells = append(cells, words.Latency(v))
			}
			all.Row(cells...)
		}
	}
	fmt.Fprintln(s.Stdout)
	s.PrintTable(all)
	if stalled {
		s.PrintWrapped("\nCorrected times include those that a stall hid from the users of a closed loop, who began nothing meanwhile (coordinated omission).")
	}
}

func showResources(s *command.State, t *result.Trial) {
	all := command.Table{Head: []string{"RESOURCE", "METRIC", "MEAN", "P95", "MAX"}, Right: 5}
	for _, r := range t.Resources {
		if r.Kind == describe.InstanceKind || r.Max == 0 && r.Mean == 0 {
			continue
		}
		all.Row(strings.TrimSpace(r.Kind+" "+r.Name), r.Metric, quantity(r.Mean, r.Unit), quantity(r.P95, r.Unit), quantity(r.Max, r.Unit))
	}
	fmt.Fprintln(s.Stdout)
	s.PrintTable(all)
	if len(t.Resources) > 0 {
		s.PrintWrapped("\nResources that stayed at zero and individual instances are omitted; use --json to see them.")
	}
}

func showRest(s *command.State, t *result.Trial, dir string) {
	for _, e := range t.Events {
		took := ""
		if e.Do != "" && !e.Until.IsZero() {
			took = fmt.Sprintf(", which took %.1f s", e.Until.Sub(e.At).Seconds())
		}
		s.PrintWrapped("%+8.1f s  %s%s", e.At.Sub(t.Start).Seconds(), e.Text, took)
	}
	if t.Audit != nil {
		s.PrintWrapped("\naudit: %s", t.Audit.Text)
	}
	if t.Unaudited != "" {
		s.PrintWrapped("\nno audit: %s", t.Unaudited)
	}
	for _, n := range t.Notes {
		s.PrintWrapped("note: %s", n)
	}
	s.PrintWrapped("\nfiles: %s", dir)
}

// quantity writes a measured value in a unit that a reader can take in.
func quantity(v float64, unit string) string {
	switch unit {
	case "s":
		return known(v, words.Latency)
	case "B", "B/s":
		return words.Binary(int64(v)) + strings.TrimPrefix(unit, "B")
	case "1":
		return fmt.Sprintf("%.3g", v)
	}
	if math.Abs(v) >= 1000 {
		return words.Thousands(v) + " " + unit
	}
	return fmt.Sprintf("%.3g %s", v, unit)
}

// operationNames lists a trial's operations in the order of the workload, and then any that the
// workload does not list.
func operationNames(t *result.Trial) []string {
	var names []string
	for _, name := range append(slices.Clone(t.Profile.Operations), slices.Sorted(maps.Keys(t.Operations))...) {
		if _, done := t.Operations[name]; done && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// serversText lists what fills the roles of the instances, with versions.
func serversText(t *result.Trial) string {
	var names []string
	for _, s := range t.Servers {
		names = append(names, strings.TrimSpace(s.Name+" "+s.Version))
	}
	if len(names) == 0 {
		return t.Profile.Workload
	}
	return strings.Join(names, " + ")
}
