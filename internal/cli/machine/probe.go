package machine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/place"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/task"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/job"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/devicepool"
	"plimsoll/internal/storage/probe"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/text/words"
)

type probeOptions struct {
	storageOptions
	place.Options
	size      unit.Bytes
	study     string
	duration  time.Duration
	protected bool
}

func newProbe(s *command.State) *cobra.Command {
	o := &probeOptions{}
	cmd := &cobra.Command{
		Use:   "probe PATH|CLASS|STORAGECLASS",
		Short: "Measure what a storage path really does, in under a minute",
		Long: `Probe writes and reads a file below PATH and reports, with a grade for each:
whether a flush can be durable, throughput and latency when idle and under load,
how much caches help, and what the file system does.

CLASS is the name of a pool that is up (plimsoll storage list) or, with --study,
a storage class of a study or pool file, which is brought up for the probe and
taken down afterwards.

With --platform kubernetes, STORAGECLASS is one of the cluster's: a claim of it is
made and probed from a pod, and both are removed afterwards.

Exit codes: 0 probed, whatever the grade; 2 no such path or class; 3 the
class cannot be brought up here.`,
		Example: "  plimsoll probe /mnt/volume\n  plimsoll probe lab\n  plimsoll probe hdd --study my-first.yaml --profile laptop --json\n  plimsoll probe standard --platform kubernetes",
		Args:    command.ExactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return probeAny(s, o, args[0]) },

		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			_, names := poolNames(o.runs)
			return names, cobra.ShellCompDirectiveDefault // paths too
		},
	}
	o.Options.Register(cmd)
	o.size = 4 << 30
	f := cmd.Flags()
	f.TextVar(&o.size, "size", o.size, "kubernetes: `size` of the claim")
	f.StringVar(&o.runs, "runs", "runs", "directory that holds runs, and the journals of pools")
	f.StringVar(&o.work, "work", "", "with --study: directory for bricks and mounts (default $PLIMSOLL_WORK or /var/tmp)")
	f.StringVar(&o.study, "study", "", "study or pool file that defines CLASS")
	f.StringVarP(&o.profile, "profile", "p", "", "with --study: apply this profile")
	f.DurationVar(&o.duration, "duration", 0, "approximate total time of the measurements (default 40s)")
	f.BoolVar(&o.protected, "protected", false, "the write cache survives a power cut, so a fast flush is plausible")
	return cmd
}

func newStorageProbe(s *command.State, shared *storageOptions) *cobra.Command {
	var duration time.Duration
	cmd := &cobra.Command{
		Use:     "probe POOL",
		Short:   "Probe the volume of a pool that is up",
		Example: "  plimsoll storage probe lab",
		Args:    command.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := longEnough(duration); err != nil {
				return err
			}
			path, err := standingPath(shared.runs, args[0])
			if err != nil {
				return err
			}
			return probePath(s, path, probe.Options{Duration: duration})
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			if len(args) == 0 {
				_, names = poolNames(shared.runs)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().DurationVar(&duration, "duration", 0, "approximate total time of the measurements (default 40s)")
	return cmd
}

// longEnough refuses a time that is none; zero is the default.
func longEnough(duration time.Duration) error {
	if duration < 0 {
		return command.Usage(fmt.Errorf("--duration must be above 0, such as 40s, got %s", duration))
	}
	return nil
}

func probeAny(s *command.State, o *probeOptions, what string) error {
	if err := longEnough(o.duration); err != nil {
		return err
	}
	options := probe.Options{Duration: o.duration, Protected: o.protected}
	parts, elsewhere, err := place.PartsFor(o.Options)
	if err != nil {
		return err
	}
	if elsewhere {
		return probeStorageClass(s, parts.Platform, o, what, options)
	}
	if o.study != "" {
		return probeClass(s, o, what, options)
	}
	if command.Exists(what) {
		return probePath(s, what, options)
	}
	path, err := standingPath(o.runs, what)
	if err != nil {
		return err
	}
	return probePath(s, path, options)
}

// standingPath finds the volume of a pool that is up.
func standingPath(runs, name string) (string, error) {
	groups, err := devicepool.List(runs)
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
	return "", command.WithCode(fmt.Errorf("%q is neither a path nor a pool", name), command.ExitUsage,
		"plimsoll storage list shows the pools that are up; --study STUDY probes a class of a study")
}

// probeClass brings a class up for the probe alone. It prints when the class is
// down again, so that a reader who goes away early leaves nothing behind.
func probeClass(s *command.State, o *probeOptions, name string, options probe.Options) error {
	dir := filepath.Join(o.runs, time.Now().Format("20060102-150405")+"-probe-"+name)
	run, err := rundir.Claim(dir)
	if err != nil {
		return err
	}
	defer run.Release()
	o.name = "probe-" + name
	group, err := bringUp(s, &o.storageOptions, o.study, run, func(all study.Pools) (study.Pools, error) {
		one, err := all.Only(name)
		if err != nil {
			return one, command.Usage(err)
		}
		return one, nil
	})
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	report, probeErr := probeNear(s, group.State, scratch(s, &o.storageOptions, run), run.ID, options)
	if err := group.Down(s.Context); err != nil {
		return errors.Join(probeErr, err) // the directory stays, for clean
	}
	if err := errors.Join(probeErr, os.RemoveAll(dir)); err != nil {
		return fmt.Errorf("probe %s: %w", name, err)
	}
	return printReport(s, report)
}

// probeNear probes the volume of a class from where instances would use it: in a
// task of the platform.
func probeNear(s *command.State, up devicepool.State, scratch, runID string, options probe.Options) (r probe.Report, err error) {
	j, err := journal.Open(filepath.Join(up.Dir, devicepool.JournalFile), runID)
	if err != nil {
		return r, err
	}
	p, err := registry.Parts().Platform.New(platform.Env{RunID: runID, Work: scratch, Executable: s.Executable, Journal: j})
	if err != nil {
		return r, errors.Join(err, j.Close())
	}
	err = probeVolume(s, p, up.Pools[0].Volume, options, &r)
	return r, errors.Join(err, p.Close(s.Context), j.Close())
}

// probeStorageClass probes a class of a cluster by a claim of it.
func probeStorageClass(s *command.State, kind platform.Kind, o *probeOptions, class string, options probe.Options) error {
	dir := filepath.Join(o.runs, time.Now().Format("20060102-150405")+"-probe-"+class)
	run, err := rundir.Claim(dir)
	if err != nil {
		return err
	}
	defer run.Release()
	options.Size = int64(o.size) / 4 * 3 // the file system takes some, and what df says may be more than the claim
	report, err := probeFromPod(s, kind, run, o, class, options)
	if errors.Is(err, errNotRemoved) {
		return command.WithCode(err, command.ExitLeft, "plimsoll clean "+words.Shell(dir)+" --platform "+kind.Name())
	}
	if err := errors.Join(err, os.RemoveAll(dir)); err != nil {
		return fmt.Errorf("probe %s: %w", class, err)
	}
	report.Path = class
	return printReport(s, report)
}

// errNotRemoved says that something of a probe may still be there.
var errNotRemoved = errors.New("what the probe made was not removed")

func probeFromPod(s *command.State, kind platform.Kind, run *rundir.Claimed, o *probeOptions, class string, options probe.Options) (r probe.Report, err error) {
	j, err := journal.Open(filepath.Join(run.Dir, result.JournalFile), run.ID)
	if err != nil {
		return r, err
	}
	p, err := kind.New(platform.Env{RunID: run.ID, Work: run.Dir, Executable: s.Executable, Journal: j})
	if err != nil {
		return r, errors.Join(err, j.Close())
	}
	claims := p.Capabilities().Claims
	if claims == nil {
		err = command.Usage(fmt.Errorf("%s has no storage classes of its own", kind.Name()))
	} else {
		r, err = probeClaim(s, p, claims, storage.PlatformClaim{Claim: storage.Claim{Name: "probe", Bytes: int64(o.size)}, Class: class}, options)
	}
	if closeErr := errors.Join(p.Close(context.WithoutCancel(s.Context)), j.Close()); closeErr != nil {
		err = errors.Join(err, errNotRemoved, closeErr)
	}
	return r, err
}

// probeClaim probes a claim, which goes with the platform at the latest.
func probeClaim(s *command.State, p platform.Platform, claims storage.Claims, c storage.PlatformClaim, options probe.Options) (r probe.Report, err error) {
	volume, err := claims.MakeClaim(s.Context, c)
	if err != nil {
		return r, err
	}
	err = probeVolume(s, p, volume, options, &r)
	return r, errors.Join(err, claims.DeleteClaim(context.WithoutCancel(s.Context), volume))
}

// probeVolume probes a volume in a task.
func probeVolume(s *command.State, p platform.Platform, volume storage.Volume, options probe.Options, to *probe.Report) error {
	described, err := task.NewJob(job.ProbeKind, "probe", job.Probe{Path: volume.Path, Options: options})
	if err != nil {
		return err
	}
	show := probeProgress(s)
	return platform.Do(s.Context, p, platform.Task{Name: "probe", Job: described, Volumes: []storage.Volume{volume}}, func(reached task.Progress) {
		if show != nil {
			show(reached.Step, reached.Share)
		}
	}, to)
}

func probePath(s *command.State, path string, options probe.Options) error {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return command.WithCode(fmt.Errorf("probe %s: it is not a directory", path), command.ExitUsage, "give a directory on the storage; for a raw device see docs/storage/device.md")
	}
	r, err := probe.Probe(s.Context, path, options, probeProgress(s))
	if err != nil {
		return err // names the path
	}
	return printReport(s, r)
}

func printReport(s *command.State, r probe.Report) error {
	if s.JSON {
		return s.PrintJSON(r)
	}
	return printProbe(s, r)
}

// probeProgress shows the current step if a person is watching.
func probeProgress(s *command.State) func(string, float64) {
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

func printProbe(s *command.State, r probe.Report) error {
	s.PrintWrapped("%s: grade %s, %s at %s, probed in %.0f s\n", r.Path, r.Grade, r.FileSystem, r.MountPoint, r.Took.Seconds())
	for _, f := range r.Findings {
		grade := f.Grade
		if grade == "" {
			grade = "-"
		}
		s.PrintWrapped("%s  %s\n   %s", grade, f.Title, f.Text)
	}
	if len(r.Measures) == 0 {
		return nil
	}
	t := command.Table{Head: []string{"MEASURED", "DEPTH", "PER SECOND", "MB/s", "MEAN", "P50", "P95", "P99", "MAX", "CPU (CORES)"}, Right: 1}
	for _, m := range r.Measures {
		t.Row(m.Text, strconv.Itoa(m.Depth), fmt.Sprintf("%.0f", m.PerSecond), fmt.Sprintf("%.1f", m.Rate/1e6),
			words.Latency(m.Mean), words.Latency(m.P50), words.Latency(m.P95), words.Latency(m.P99), words.Latency(m.Max), fmt.Sprintf("%.2f", m.CPU))
	}
	fmt.Fprintln(s.Stdout)
	s.PrintTable(t)
	s.PrintWrapped("I/O engine: %s; CPU is what the probe itself used.", r.Measures[0].Engine)
	return nil
}
