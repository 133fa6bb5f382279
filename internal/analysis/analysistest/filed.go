package analysistest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

// Filed writes a made-up run as a run directory, with the files that a campaign writes, and
// opens it as a report does. The directory must not exist. Series returns the series of a
// trial; nil uses SeriesOf. The plan gets the variants and trials that it lacks. The given
// run is not changed.
func Filed(dir string, run *result.Run, series func(*result.Trial) []result.Series) (*result.Run, error) {
	if err := WriteRun(dir, run, series); err != nil {
		return nil, fmt.Errorf("file a made-up run: %w", err)
	}
	return result.Open(dir)
}

// WriteRun writes what Filed reads.
func WriteRun(dir string, run *result.Run, series func(*result.Trial) []result.Series) error {
	if series == nil {
		series = SeriesOf
	}
	var machine result.Machine
	if run.Machine != nil {
		machine = *run.Machine
	}
	w, err := result.Create(dir, []byte("study: made-up\n"), planOf(run), machine)
	if err != nil {
		return err
	}
	for _, t := range run.Tiles() {
		if err := writeTrial(w, t, run.Of(t.ID), series(t)); err != nil {
			return err
		}
	}
	return nil
}

// planOf is a plan of all trials of a run.
func planOf(run *result.Run) *plan.Plan {
	p := &plan.Plan{Study: &study.Study{Name: "made-up"}}
	if run.Plan != nil {
		copied := *run.Plan
		p = &copied
	}
	p.Variants, p.Trials = slices.Clone(p.Variants), slices.Clone(p.Trials)
	for _, t := range run.Tiles() {
		if _, known := p.Variant(t.Variant.Name); !known {
			p.Variants = append(p.Variants, t.Variant)
		}
		if t.Attempt == 0 && !slices.ContainsFunc(p.Trials, func(o plan.Trial) bool { return o.ID == t.ID }) {
			p.Trials = append(p.Trials, plan.Trial{ID: t.ID, Position: t.Position, Variant: t.Variant.Name, Rung: t.Rung, Alone: t.Alone, Repetition: t.Repetition})
		}
	}
	return p
}

// writeTrial writes the files of a trial: the records of one driver that did the units of work
// evenly, the audit, the series and last trial.json.
func writeTrial(w *result.Writer, t *result.Trial, members []*result.Trial, series []result.Series) error {
	files, err := w.Trial(t.ID)
	if err != nil {
		return err
	}
	tile := result.TileOf(members...) // which Finish changes
	tile.Variant.Factors = maps.Clone(t.Variant.Factors)
	return errors.Join(writeRecords(files, t), writeAudit(files, t), files.Series(series), files.Finish(tile))
}

func writeRecords(files *result.TrialWriter, t *result.Trial) error {
	driver, err := files.Records("driver-0")
	if err != nil {
		return err
	}
	counts := evenly(t)
	for second, n := range counts {
		at := int(t.MeasureStart.Sub(t.Start).Seconds()) + second
		for _, r := range []result.Record{
			{Kind: result.KindOperation, Second: at, Phase: result.Measure, Operation: t.Profile.Whole(), Count: n},
			{Kind: result.KindDriver, Second: at, Phase: result.Measure, Users: t.Variant.Load.Users * t.Rung},
		} {
			err = errors.Join(err, addRecord(driver, r))
		}
	}
	err = errors.Join(err, addRecord(driver, result.Record{Kind: result.KindEnd, Second: len(counts)}), driver.Close())
	return errors.Join(err, files.Merge(), files.RemoveMerged())
}

func addRecord(to *result.DriverRecords, r result.Record) error {
	r.Driver = "driver-0"
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return to.Add(line)
}

func writeAudit(files *result.TrialWriter, t *result.Trial) error {
	if t.Audit == nil {
		return nil
	}
	return files.Audit(&result.Audit{Summary: *t.Audit})
}

// evenly spreads the units of work of a trial over the seconds of its measured phase.
func evenly(t *result.Trial) []int64 {
	counts := make([]int64, max(0, int(t.MeasureEnd.Sub(t.MeasureStart).Seconds())))
	n, seconds := t.Whole().Count, int64(len(counts))
	for i := range counts {
		counts[i] = n*int64(i+1)/seconds - n*int64(i)/seconds
	}
	return counts
}

// SeriesOf are the series of a steady trial: its units of work, and each of its resources, at
// every second of the measured phase.
func SeriesOf(t *result.Trial) []result.Series {
	counts := evenly(t)
	times, done, busy := make([]int64, len(counts)), make([]float64, len(counts)), make([]float64, len(counts))
	for i, n := range counts {
		times[i] = t.MeasureStart.Sub(t.Start).Milliseconds() + int64(i+1)*time.Second.Milliseconds()
		done[i] = float64(n)
	}
	start := t.Start.UnixMilli()
	all := []result.Series{
		{Kind: "operation", Name: t.Profile.Whole(), Metric: "count", Unit: "1", Start: start, Times: times, Values: done},
		{Kind: "driver", Name: "driver-0", Metric: "busy", Unit: "cores", Start: start, Times: times, Values: busy},
	}
	for _, r := range t.Resources {
		values := slices.Repeat([]float64{r.Mean}, len(times))
		all = append(all, result.Series{Kind: r.Kind, Name: r.Name, Metric: r.Metric, Machine: r.Machine, Unit: r.Unit, Start: start, Times: times, Values: values})
	}
	return all
}

// InFiles does something with a made-up run that was written to files and read back, which
// are gone afterwards.
func InFiles(run *result.Run, series func(*result.Trial) []result.Series, do func(*result.Run)) error {
	dir, err := os.MkdirTemp(fast(), "plimsoll-made-up-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	filed, err := Filed(dir, run, series)
	if err != nil {
		return err
	}
	do(filed)
	return nil
}

// fast is where files are in memory, as thousands of runs are written; empty where that is
// unknown.
func fast() string {
	const memory = "/dev/shm"
	if info, err := os.Stat(memory); err == nil && info.IsDir() {
		return memory
	}
	return ""
}
