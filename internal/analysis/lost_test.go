package analysis

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/host/archive"
	"plimsoll/internal/result"
	"plimsoll/test/nightly"
	"plimsoll/test/quick"
)

// lostRun is a made-up run of two machines, three rungs and three repetitions, with the
// given course. Its grade is bad because of a machine.
func lostRun(t *testing.T, change func(*result.Trial), course func(second int) float64) string {
	t.Helper()
	var samples []analysistest.Sample
	for _, rung := range []int{1, 2, 4} {
		for range 3 {
			samples = append(samples, analysistest.Sample{Variant: "a", Rung: rung, OPM: float64(1200 * rung), Mean: 0.02 * float64(rung), Change: func(t *result.Trial) {
				t.Machines = []result.Host{{Name: "app-1", Roles: []string{result.ApplicationRole}, Cores: 8}, {Name: "store-1", Roles: []string{result.StorageRole}, Cores: 8}}
				for _, m := range t.Machines {
					analysistest.SampledOn(t, m.Name, "cpu", "", "utilisation", 0.3)
				}
				analysistest.SampledOn(t, "app-1", "instance", "db-000", "cpu", 2)
				for i := range t.Rung {
					t.Instances = append(t.Instances, result.InstanceSummary{Instance: i, Count: 2400, Mean: t.Whole().Mean})
				}
				change(t)
			}})
		}
	}
	run := analysistest.MadeUp(analysistest.MeanBelow(0.06), samples...)
	dir := filepath.Join(t.TempDir(), "run")
	err := analysistest.WriteRun(dir, run, func(t *result.Trial) []result.Series {
		all := analysistest.SeriesOf(t)
		for i := range all[0].Values {
			all[0].Values[i] *= course(i)
		}
		return all
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func steadily(int) float64 { return 1 }

func analysedIn(t *testing.T, dir string) *Analysis {
	t.Helper()
	run, err := result.Open(dir)
	if err != nil {
		return nil
	}
	a, err := Analyse(run, Options{})
	if a == nil || err != nil {
		return nil
	}
	return a
}

func lostIn(a *Analysis) (texts []string) {
	for _, w := range a.Warnings {
		if w.Kind == trust.Missing {
			texts = append(texts, w.Text)
		}
	}
	return texts
}

// A loss is named with what was found instead. Of a trial that one of three lost its evidence of, the median
// is still that of one of the others, or between them; files that only repeat what was summed up change no
// figure.
func TestWhatIsLostIsNamed(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	trial := filepath.Join(result.TrialsDir, "a", "4", "2")
	telemetry := filepath.Join(trial, result.TelemetryFile)
	for name, c := range map[string]struct {
		lose  func(dir string) error
		grade string
		text  string
	}{
		"nothing":   {func(string) error { return nil }, "A", ""},
		"telemetry": {func(dir string) error { return os.Remove(filepath.Join(dir, telemetry)) }, "A", "the file telemetry.parquet is missing: what happened in each second was not measured"},
		"telemetry of two": {func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, telemetry)), os.Remove(filepath.Join(dir, result.TrialsDir, "a", "4", "3", result.TelemetryFile)))
		}, "F", "the file telemetry.parquet is missing: what happened in each second was not measured"},
		"half of telemetry":  {func(dir string) error { return os.Truncate(filepath.Join(dir, telemetry), 600) }, "A", "the file telemetry.parquet is damaged: its checksum is "},
		"garbage":            {func(dir string) error { return os.WriteFile(filepath.Join(dir, telemetry), []byte("garbage"), 0o600) }, "A", "the file telemetry.parquet is damaged"},
		"records":            {func(dir string) error { return os.Remove(filepath.Join(dir, trial, result.RecordsFile)) }, "A", "the file operations.jsonl is missing: the figures that were summed up from it cannot be checked"},
		"the end of records": {func(dir string) error { return os.Truncate(filepath.Join(dir, trial, result.RecordsFile), 100) }, "A", "the file operations.jsonl is damaged"},
		"the audit":          {func(dir string) error { return os.Remove(filepath.Join(dir, trial, result.AuditFile)) }, "A", "the file audit.json is missing"},
		"a trial":            {func(dir string) error { return os.RemoveAll(filepath.Join(dir, trial)) }, "F", "trials that the answer rests on have no result that can be used: a/4/2"},
		"a trial's result": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, trial, result.TrialFile), []byte("{"), 0o600)
		}, "F", "trials that the answer rests on have no result that can be used: a/4/2"},
		"the plan":            {func(dir string) error { return os.Remove(filepath.Join(dir, result.PlanFile)) }, "F", "the run has no plan.json"},
		"the machine":         {func(dir string) error { return os.Remove(filepath.Join(dir, result.MachineFile)) }, "F", "the run has no machine.json"},
		"logs, no one's data": {func(dir string) error { return os.RemoveAll(filepath.Join(dir, trial, result.LogsDir)) }, "A", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := lostRun(t, func(*result.Trial) {}, steadily)
			if err := c.lose(dir); err != nil {
				t.Fatal(err)
			}
			a := analysedIn(t, dir)
			lost := lostIn(a)
			named := c.text == "" && len(lost) == 0 || slices.ContainsFunc(lost, func(text string) bool { return c.text != "" && strings.HasPrefix(text, c.text) })
			if a.Grade != c.grade || !named {
				t.Errorf("grade %s, %q; want %s, %q; %+v", a.Grade, lost, c.grade, c.text, a.Warnings)
			}
		})
	}
}

// A machine that is listed and has no sample may be what limits; one that took no part is not listed,
// one that is simulated has no samples of its own, and where the platform samples nothing,
// nothing is lost.
func TestMachinesThatNobodySampled(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	without := func(gone ...string) func(*result.Trial) {
		return func(t *result.Trial) {
			t.Resources = slices.DeleteFunc(t.Resources, func(r result.ResourceSummary) bool { return slices.Contains(gone, r.Machine) })
		}
	}
	for name, c := range map[string]struct {
		change func(*result.Trial)
		grade  string
		lost   string
	}{
		"one of two":                      {without("store-1"), "F", "node store-1 is listed in trial.json and has no sample: what it did was not measured, so it may be what limits, or have been busy with something else"},
		"one that took no part":           {func(t *result.Trial) { without("store-1")(t); t.Machines = t.Machines[:1] }, "A", ""},
		"one that is simulated":           {func(t *result.Trial) { without("store-1")(t); t.Machines[1].Simulated = true }, "A", ""},
		"a platform that samples nothing": {without("store-1", "app-1"), "F", ""},
		"an instance":                     {func(t *result.Trial) { t.Instances = t.Instances[:max(1, t.Rung-1)] }, "F", "the file trial.json has the figures of 3 of 4 instances: what the others did was not measured, and each of them may break an objective"},
	} {
		t.Run(name, func(t *testing.T) {
			a := analysedIn(t, lostRun(t, c.change, steadily))
			lost := lostIn(a)
			if a.Grade != c.grade || (c.lost == "") != (len(lost) == 0) || c.lost != "" && !slices.Contains(lost, c.lost) {
				t.Errorf("grade %s, %q", a.Grade, lost)
			}
		})
	}
}

// No grade improves with less data, and every warning that disappears is replaced by one
// about the loss, whatever is deleted, truncated or overwritten, in runs of every grade.
func TestNoGradeIsBetterWithFewerData(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	runs := map[string]string{
		"good":    lostRun(t, func(*result.Trial) {}, steadily),
		"falling": lostRun(t, func(*result.Trial) {}, func(second int) float64 { return 1 - 0.4*float64(second)/120 }),
		"stolen":  lostRun(t, func(t *result.Trial) { analysistest.SampledOn(t, "store-1", "cpu", "", "steal", 0.3) }, steadily),
		"strangers": lostRun(t, func(t *result.Trial) {
			analysistest.SampledOn(t, "app-1", "cpu", "", "user", 0.3)
			analysistest.SampledOn(t, "app-1", "instance", "db-000", "cpu", 0.1)
		}, steadily),
		"neighbour": lostRun(t, func(t *result.Trial) { t.Resources[0].Mean = 0.95 }, steadily),
	}
	packed, err := filepath.Glob("../cli/testdata/recorded/*.tar.gz")
	if err != nil || len(packed) == 0 {
		t.Fatal("no recorded runs", err)
	}
	for _, name := range packed {
		runs[filepath.Base(name)] = unpackRun(t, name)
	}
	for name, dir := range runs {
		t.Run(name, func(t *testing.T) {
			whole := analysedIn(t, dir)
			files := filesOf(t, dir)
			random := rand.New(rand.NewPCG(1, uint64(len(files))))
			for n := range nightly.Times(9, 24) { // each kind of harm three times
				file := files[random.IntN(len(files))]
				text, err := os.ReadFile(filepath.Join(dir, file))
				if err != nil {
					t.Fatal(err)
				}
				how := harm(t, filepath.Join(dir, file), text, n%3, random)
				if a := analysedIn(t, dir); a != nil && a.Grade < whole.Grade {
					t.Errorf("%s %s: grade %q, and %s with all of it; %+v", how, file, a.Grade, whole.Grade, a.Warnings)
				} else if a != nil && !saysWhatIsLost(whole, a) {
					t.Errorf("%s %s: of %+v there are left, without a word, %+v", how, file, whole.Warnings, a.Warnings)
				}
				if err := os.WriteFile(filepath.Join(dir, file), text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// saysWhatIsLost reports whether a run has the doubts that it had with all of its data, or
// one about data that it has not.
func saysWhatIsLost(whole, left *Analysis) bool {
	about := func(w trust.Warning) [2]string { return [2]string{w.Trial, string(w.Kind)} }
	gone := slices.ContainsFunc(whole.Warnings, func(w trust.Warning) bool {
		return w.Severity != trust.Note && !slices.ContainsFunc(left.Warnings, func(l trust.Warning) bool { return about(l) == about(w) })
	})
	return !gone || slices.ContainsFunc(left.Warnings, func(w trust.Warning) bool {
		return slices.Contains([]trust.Kind{trust.Missing, trust.Damaged, trust.MissingTrial, trust.Records, trust.Telemetry}, w.Kind) && !slices.ContainsFunc(whole.Warnings, w.Same)
	})
}

// harm does something to a file and says what.
func harm(t *testing.T, path string, text []byte, how int, random *rand.Rand) string {
	t.Helper()
	if how == 0 {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		return "without"
	}
	at := random.IntN(max(1, len(text)))
	harmed, what := text[:at], fmt.Sprintf("cut at %d:", at)
	if how == 2 {
		harmed, what = slices.Clone(text), fmt.Sprintf("garbage at %d:", at)
		for i := at; i < min(at+40, len(harmed)); i++ {
			harmed[i] = byte(random.IntN(256))
		}
	}
	if err := os.WriteFile(path, harmed, 0o600); err != nil {
		t.Fatal(err)
	}
	return what
}

func filesOf(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && d.Name() != result.StudyFile {
			name, _ := filepath.Rel(dir, path)
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func unpackRun(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	packed, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	if err := archive.Read(packed, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The journal names whole trials: one that is there has its members' trials, and one that is
// lost is missing of each member that it was of.
func TestTrialsOfMembersThatAreLost(t *testing.T) {
	shop, bulk := twoTenants()
	shop.Alone = shop.Mean
	run := analysistest.Tenants([]int{1, 2, 8}, 3, analysistest.Noise{}, 1, shop, bulk)
	for _, one := range run.Tiles() {
		analysistest.Sampled(one, "cpu", "", "utilisation", 0.3)
	}
	for name, c := range map[string]struct {
		lost string
		want []string
		rest bool // the grade does not rest on it
	}{
		"nothing":               {rest: true},
		"a tile":                {lost: "a/2/1", want: []string{"a.shop/2/1", "a.bulk/2/1"}},
		"one of a member alone": {lost: "a/alone-shop/2", want: []string{"a.shop/alone-shop/2"}, rest: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			if err := analysistest.WriteRun(dir, run, nil); err != nil {
				t.Fatal(err)
			}
			var journal strings.Builder
			for _, one := range run.Tiles() {
				fmt.Fprintf(&journal, `{"event": "trial-finished", "detail": {"trial": %q}}`+"\n", one.ID)
			}
			if err := os.WriteFile(filepath.Join(dir, result.JournalFile), []byte(journal.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			if c.lost != "" {
				if err := os.RemoveAll(result.TrialDir(dir, c.lost)); err != nil {
					t.Fatal(err)
				}
			}
			opened, err := result.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			a, err := Analyse(opened, Options{})
			if err != nil {
				t.Fatal(err)
			}
			var gone []string
			for _, text := range lostIn(a) {
				if strings.Contains(text, "the journal says") {
					gone = append(gone, text)
				}
			}
			if len(gone) != len(c.want) || (a.Grade == "F") == c.rest {
				t.Errorf("grade %s, missing are %q; %+v", a.Grade, gone, a.Bound)
			}
			for i, want := range c.want {
				if i < len(gone) && !strings.Contains(gone[i], "not there: "+want+";") {
					t.Errorf("missing is %q, want %s", gone[i], want)
				}
			}
		})
	}
}
