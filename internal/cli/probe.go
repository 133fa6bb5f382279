package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"plimsoll/internal/job"
	"plimsoll/internal/journal"
	"plimsoll/internal/platform"
	"plimsoll/internal/pools"
	"plimsoll/internal/probe"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
	"plimsoll/internal/task"
	"plimsoll/internal/words"
)

type probeOptions struct {
	storageOptions
	study     string
	duration  time.Duration
	protected bool
}

func newProbe(s *State) *cobra.Command {
	o := &probeOptions{}
	cmd := &cobra.Command{
		Use:   "probe PATH|CLASS",
		Short: "Measure what a storage path really does, in under a minute",
		Long: `Probe writes and reads a file below PATH and reports, with a grade for each:
whether a flush can be durable, throughput and latency when idle and under load,
how much caches help, and what the file system does.

CLASS is the name of a pool that is up (plimsoll storage list) or, with --study,
a storage class of a study or pool file, which is brought up for the probe and
taken down afterwards.

Exit codes: 0 probed, whatever the grade; 2 no such path or class; 3 the
class cannot be brought up here.`,
		Example: "  plimsoll probe /mnt/volume\n  plimsoll probe lab\n  plimsoll probe hdd --study my-first.yaml --profile laptop --json",
		Args:    exactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return s.probe(o, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.runs, "runs", "runs", "directory that holds runs, and the journals of pools")
	f.StringVar(&o.work, "work", "", "with --study: directory for bricks and mounts (default $PLIMSOLL_WORK or /var/tmp)")
	f.StringVar(&o.study, "study", "", "study or pool file that defines CLASS")
	f.StringVarP(&o.profile, "profile", "p", "", "with --study: apply this profile")
	f.DurationVar(&o.duration, "duration", 0, "approximate total time of the measurements (default 40s)")
	f.BoolVar(&o.protected, "protected", false, "the write cache survives a power cut, so a fast flush is plausible")
	return cmd
}

func newStorageProbe(s *State, shared *storageOptions) *cobra.Command {
	var duration time.Duration
	cmd := &cobra.Command{
		Use:     "probe POOL",
		Short:   "Probe the volume of a pool that is up",
		Example: "  plimsoll storage probe lab",
		Args:    exactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			path, err := s.standingPath(shared.runs, args[0])
			if err != nil {
				return err
			}
			return s.probePath(path, probe.Options{Duration: duration})
		},
	}
	cmd.Flags().DurationVar(&duration, "duration", 0, "approximate total time of the measurements (default 40s)")
	return cmd
}

func (s *State) probe(o *probeOptions, what string) error {
	options := probe.Options{Duration: o.duration, Protected: o.protected}
	if o.study != "" {
		return s.probeClass(o, what, options)
	}
	if exists(what) {
		return s.probePath(what, options)
	}
	path, err := s.standingPath(o.runs, what)
	if err != nil {
		return err
	}
	return s.probePath(path, options)
}

// standingPath finds the volume of a pool that is up.
func (s *State) standingPath(runs, name string) (string, error) {
	groups, err := pools.List(runs)
	if err != nil {
		return "", err
	}
	for _, group := range groups {
		for _, p := range group.Pools {
			if p.Name == name && group.Kept() {
				return p.Volume.Path, nil
			}
		}
	}
	return "", codedError{fmt.Errorf("%q is neither a path nor a pool", name), exitUsage,
		"plimsoll storage list shows the pools that are up; --study STUDY probes a class of a study"}
}

// probeClass brings a class up for the probe alone. It prints when the class is
// down again, so that a reader who goes away early leaves nothing behind.
func (s *State) probeClass(o *probeOptions, name string, options probe.Options) error {
	dir := filepath.Join(o.runs, time.Now().Format("20060102-150405")+"-probe-"+name)
	run, err := claimRun(dir)
	if err != nil {
		return err
	}
	defer run.release()
	o.name = "probe-" + name
	group, err := s.bringUp(&o.storageOptions, o.study, run, func(all study.Pools) (study.Pools, error) {
		one, err := all.Only(name)
		if err != nil {
			return one, usage(err)
		}
		return one, nil
	})
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	report, probeErr := s.probeNear(group.State, s.scratch(&o.storageOptions, run), run.id, options)
	if err := group.Down(s.Context); err != nil {
		return errors.Join(probeErr, err) // the directory stays, for clean
	}
	if err := errors.Join(probeErr, os.RemoveAll(dir)); err != nil {
		return fmt.Errorf("probe %s: %w", name, err)
	}
	return s.printReport(report)
}

// probeNear probes the volume of a class from where instances would use it: in a
// task of the platform.
func (s *State) probeNear(up pools.State, scratch, runID string, options probe.Options) (r probe.Report, err error) {
	j, err := journal.Open(filepath.Join(up.Dir, pools.JournalFile), runID)
	if err != nil {
		return r, err
	}
	p, err := Parts().Platform.New(platform.Env{RunID: runID, Work: scratch, Executable: s.Executable, Journal: j})
	if err != nil {
		return r, errors.Join(err, j.Close())
	}
	volume := up.Pools[0].Volume
	described, err := task.NewJob(job.ProbeKind, "probe", job.Probe{Path: volume.Path, Options: options})
	if err == nil {
		show := s.probeProgress()
		err = platform.Do(s.Context, p, platform.Task{Name: "probe", Job: described, Volumes: []storage.Volume{volume}}, func(told task.Progress) {
			if show != nil {
				show(told.Step, told.Share)
			}
		}, &r)
	}
	return r, errors.Join(err, p.Close(s.Context), j.Close())
}

func (s *State) probePath(path string, options probe.Options) error {
	r, err := probe.Probe(s.Context, path, options, s.probeProgress())
	if err != nil {
		return fmt.Errorf("probe %s: %w", path, err)
	}
	return s.printReport(r)
}

func (s *State) printReport(r probe.Report) error {
	if s.JSON {
		return s.printJSON(r)
	}
	return s.printProbe(r)
}

// probeProgress shows what is being done where a person watches.
func (s *State) probeProgress() func(string, float64) {
	if s.JSON || s.Screen == nil {
		return nil
	}
	return func(step string, share float64) {
		fmt.Fprintf(s.Screen, "\r\x1b[K%3.0f %%  %s", 100*share, step)
		if share >= 1 {
			fmt.Fprint(s.Screen, "\r\x1b[K")
		}
	}
}

func (s *State) printProbe(r probe.Report) error {
	fmt.Fprintf(s.Stdout, "%s: grade %s, %s at %s, probed in %.0f s\n\n", r.Path, r.Grade, r.FileSystem, r.MountPoint, r.Took.Seconds())
	for _, f := range r.Findings {
		grade := f.Grade
		if grade == "" {
			grade = "-"
		}
		fmt.Fprintf(s.Stdout, "%s  %s\n   %s\n", grade, f.Title, f.Text)
	}
	w := tabwriter.NewWriter(s.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nMEASURED\tDEPTH\tPER SECOND\tMB/s\tMEAN\tP50\tP95\tP99\tMAX\tCPU (CORES)")
	for _, m := range r.Measures {
		fmt.Fprintf(w, "%s\t%d\t%.0f\t%.1f\t%s\t%s\t%s\t%s\t%s\t%.2f\n", m.Text, m.Depth, m.PerSecond, m.Rate/1e6,
			words.Latency(m.Mean), words.Latency(m.P50), words.Latency(m.P95), words.Latency(m.P99), words.Latency(m.Max), m.CPU)
	}
	if len(r.Measures) > 0 {
		fmt.Fprintf(w, "I/O engine: %s; CPU is what the probe itself used.\n", r.Measures[0].Engine)
	}
	return w.Flush()
}
