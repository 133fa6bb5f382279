package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
)

// losing is a way to lose a part of a run at random; nil loses nothing.
type losing struct {
	called string
	files  func(dir string, random *rand.Rand) error         // of a run that was written
	trial  func(t *result.Trial, random *rand.Rand)          // before it is written
	series func(all []result.Series, random *rand.Rand) bool // of a trial, before it is written; it says whether something was lost
	// stays is true if it loses nothing that is expected.
	stays bool
}

// lost counts how often the analysis names the loss in an incomplete made-up run, and how often
// it names one in a complete run.
func lost() table {
	return table{"Runs that lost something, and whole ones: a loss is named, the grade is worse", func(c *counter) [][]string {
		rows := [][]string{{"run", "a loss is named", "the grade is better than with all of it"}}
		for _, l := range losings() {
			named := func(seed uint64) bool {
				a, _ := l.analysed(seed)
				return a != nil && slices.ContainsFunc(a.Warnings, isLoss)
			}
			better := func(seed uint64) bool { a, whole := l.analysed(seed); return a != nil && a.Grade < whole.Grade }
			if l.stays {
				rows = append(rows, []string{l.called, percent(c.atMost(mostWrong, "a loss is named of a run: "+l.called, named)), ""})
				continue
			}
			rows = append(rows, []string{l.called, percent(c.atLeast(leastFound, "a loss is named: "+l.called, named)), percent(c.atMost(0, "the grade is better: "+l.called, better))})
		}
		return rows
	}}
}

func isLoss(w trust.Warning) bool { return w.Kind == trust.Missing || w.Kind == trust.Damaged }

func losings() []losing {
	of := func(name string, how func(path string, random *rand.Rand) error) func(string, *rand.Rand) error {
		return func(dir string, random *rand.Rand) error {
			found, err := filepath.Glob(filepath.Join(dir, result.TrialsDir, "*", "*", "*", name))
			if err != nil || len(found) == 0 {
				return fmt.Errorf("%s: none: %w", name, err)
			}
			return how(found[random.IntN(len(found))], random)
		}
	}
	gone := func(path string, _ *rand.Rand) error { return os.Remove(path) }
	cut := func(path string, random *rand.Rand) error {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		return os.Truncate(path, random.Int64N(info.Size()))
	}
	garbage := func(path string, random *rand.Rand) error {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text[random.IntN(len(text))] ^= byte(1 + random.IntN(255))
		return os.WriteFile(path, text, 0o600)
	}
	return []losing{
		{called: "whole", stays: true},
		{called: "whole, samples up to an interval late, each series on its own", stays: true, series: lateSamples},
		{called: "whole, a machine took no part", stays: true, trial: func(t *result.Trial, _ *rand.Rand) { withoutMachine(t); t.Machines = t.Machines[:1] }},
		{called: "telemetry.parquet of a trial is gone", files: of(result.TelemetryFile, gone)},
		{called: "… is cut", files: of(result.TelemetryFile, cut)},
		{called: "… has a wrong byte", files: of(result.TelemetryFile, garbage)},
		{called: "operations.jsonl of a trial is cut", files: of(result.RecordsFile, cut)},
		{called: "audit.json of a trial is gone", files: of(result.AuditFile, gone)},
		{called: "trial.json of a trial is cut", files: of(result.TrialFile, cut)},
		{called: "a machine has no sample", trial: func(t *result.Trial, _ *rand.Rand) { withoutMachine(t) }},
		{called: "a machine has none for 5 to 50 % of the phase", series: withoutStretch},
		{called: "an instance has no figures", trial: func(t *result.Trial, random *rand.Rand) {
			i := random.IntN(len(t.Instances))
			t.Instances = slices.Delete(t.Instances, i, i+1)
		}},
	}
}

// withoutMachine takes what was measured on the second machine out of a trial.
func withoutMachine(t *result.Trial) {
	t.Resources = slices.DeleteFunc(t.Resources, func(r result.ResourceSummary) bool { return r.Machine == t.Machines[1].Name })
}

// lateSamples makes some samples of machines late.
func lateSamples(all []result.Series, random *rand.Rand) bool {
	for _, s := range all {
		if s.Machine == "" {
			continue
		}
		for i := range s.Times {
			s.Times[i] += random.Int64N(900)
		}
	}
	return false
}

// withoutStretch takes the samples of a stretch of the phase from one machine.
func withoutStretch(all []result.Series, random *rand.Rand) bool {
	lost := false
	share, at := 0.05+0.45*random.Float64(), random.Float64()
	for i := range all {
		s := &all[i]
		if s.Machine != "store-1" {
			continue
		}
		n := int(share * float64(len(s.Times)))
		from := int(at * float64(len(s.Times)-n))
		s.Times = slices.Delete(slices.Clone(s.Times), from, from+n)
		s.Values = slices.Delete(slices.Clone(s.Values), from, from+n)
		lost = true
	}
	return lost
}

// analysed is the analysis of a made-up run that lost something, and of the same with all of it.
func (l losing) analysed(seed uint64) (lost, whole *analysis.Analysis) {
	if err := analysistest.InFiles(ofMachines(losing{}, seed), nil, func(run *result.Run) { whole = analysisOf(run) }); err != nil {
		panic(err) // no space for the files
	}
	random := rand.New(rand.NewPCG(seed, 51))
	series := func(t *result.Trial) []result.Series {
		all := analysistest.SeriesOf(t)
		for i := range all {
			all[i].Times = slices.Clone(all[i].Times) // each has its own
		}
		if l.series != nil {
			l.series(all, random)
		}
		return all
	}
	err := analysistest.InFiles(ofMachines(l, seed), series, func(run *result.Run) {
		if l.files != nil {
			if err := l.files(run.Dir, random); err != nil {
				panic(err)
			}
			again, err := result.Open(run.Dir)
			if err != nil {
				return
			}
			run = again
		}
		lost = analysisOf(run)
	})
	if err != nil {
		panic(err)
	}
	return lost, whole
}

// ofMachines makes a run on two machines. One of them may be busy with something else.
func ofMachines(l losing, seed uint64) *result.Run {
	random := rand.New(rand.NewPCG(seed, 52))
	other, steal := random.Float64(), 0.2*random.Float64()
	run := analysistest.Set{
		Variants: []analysistest.Variant{{Name: "a", Response: analysistest.MM1(0.05, 20)}},
		Rungs:    []int{2, 8}, Repetitions: 2, Objectives: analysistest.MeanBelow(0.1), Noise: analysistest.Noise{Throughput: 0.02, Response: 0.02},
	}.Run(seed)
	for _, t := range run.Trials {
		t.Machines = []result.Host{{Name: "app-1", Roles: []string{result.ApplicationRole}, Cores: 8}, {Name: "store-1", Roles: []string{result.StorageRole}, Cores: 8}}
		analysistest.SampledOn(t, "app-1", "cpu", "", "utilisation", 0.3)
		analysistest.SampledOn(t, "app-1", "instance", "db-000", "cpu", 2)
		analysistest.SampledOn(t, "store-1", "cpu", "", "utilisation", other)
		analysistest.SampledOn(t, "store-1", "cpu", "", "steal", steal)
		for i := range t.Rung {
			t.Instances = append(t.Instances, result.InstanceSummary{Instance: i, Count: t.Whole().Count / int64(t.Rung), Mean: t.Whole().Mean})
		}
		if l.trial != nil {
			l.trial(t, random)
		}
	}
	return run
}
