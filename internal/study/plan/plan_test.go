package plan_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/event"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/unit"
)

type folder struct {
	Path string `yaml:"path" json:"path"`
}

func vocabulary() study.Vocabulary {
	return study.Vocabulary{
		Engines:   []string{"mariadb", "postgres"},
		Workloads: map[string]study.VocabularyEntry{"shop": {Defaults: func() any { return &struct{}{} }}},
		Classes: map[string]study.VocabularyEntry{
			"directory": {Defaults: func() any { return &folder{Path: "disk"} }},
			"pool": {
				Defaults: func() any { return &folder{Path: "disk"} },
				Events: func(any) event.Declaration {
					return event.Declaration{Verbs: []event.Verb{{Name: "kill", Object: event.Object{Form: event.Numbered, Kind: "peer"}, Breaks: true}}}
				},
			},
		},
	}
}

func read(t interface{ Fatal(...any) }, text string) *study.Study {
	s, err := study.Parse("t.yaml", []byte(text), "", vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// machine stands for the registries: every storage whose name begins with a
// "t" is in memory.
type machine struct {
	facts    plan.Facts
	own      plan.StorageFacts            // of the variant's own storage
	holds    plan.Holding                 // on that, besides the data set
	others   map[string]plan.StorageFacts // the data set is on these, if it is on any
	unusable string
	broken   string
}

func (m machine) Usable(s study.Storage) error {
	if m.unusable != "" && s.Parameters.(*folder).Path == m.unusable {
		return errors.New("there is no such directory")
	}
	return nil
}

func (m machine) Describe(v study.Variant) (plan.Facts, error) {
	if v.Engine.Name == m.broken {
		return plan.Facts{}, errors.New("mariadb is not installed: apt-get install mariadb-server-core")
	}
	f := m.facts
	f.Dataset.Servers = v.Engine.Name
	f.Servers = slices.Clone(f.Servers)
	for i, server := range f.Servers {
		if len(server.Volumes) > 0 {
			f.Servers[i].Volumes = []string{v.StorageName}
		}
	}
	own := m.own
	own.InMemory = strings.HasPrefix(v.StorageName, "t")
	own.Place = "/" + v.StorageName
	f.Storages = map[string]plan.StorageFacts{v.StorageName: own}
	maps.Copy(f.Storages, m.others)
	if d := f.Dataset; m.others == nil {
		f.Hold(v.StorageName, plan.Holding{Bytes: d.Bytes, UserBytes: d.UserBytes, Files: d.Files, UserFiles: d.UserFiles})
		f.Hold(v.StorageName, m.holds)
	}
	return f, nil
}

const gib = 1 << 30

var usual = machine{facts: plan.Facts{
	Dataset: plan.Dataset{Key: "shop-10MB", Bytes: 50e6, Description: "a shop"}, InstanceMemory: 256 << 20}, holds: plan.Holding{Overhead: 40e6}}

const text = `study: t
workload: {name: shop}
engine: {name: postgres}
storage: {a: {class: directory, path: /a}, b: {class: directory, path: /b}, tmp: {class: directory, path: memory}}
ladder: [1, 8, 128]
repetitions: 2
phases: {warmup: 5s, measure: 15s, ramp_rate: 10}
load: {users: 8, think_time: 100ms, instances_per_driver: 8}
`

func planned(t *testing.T, text string, m plan.Machine, d plan.Describer) *plan.Plan {
	t.Helper()
	p, err := plan.Make(read(t, text), m, d)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestVariantsAreInterleaved(t *testing.T) {
	p := planned(t, text, plan.Machine{}, usual)
	var ids []string
	for _, trial := range p.Trials[:9] {
		ids = append(ids, trial.ID)
	}
	want := []string{"a/1/1", "b/1/1", "tmp/1/1", "b/8/1", "tmp/8/1", "a/8/1", "tmp/128/1", "a/128/1", "b/128/1"}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Error(diff)
	}
}

// Storage servers take memory once, volumes for every instance; copies take
// space.
func TestWhatStorageServersTakeCounts(t *testing.T) {
	replicated := usual
	replicated.own.Copies, replicated.own.StorageMemory, replicated.own.VolumeMemory = 3, gib, 64<<20
	alone, served := planned(t, text, plan.Machine{}, usual), planned(t, text, plan.Machine{}, replicated)
	for i, trial := range served.Trials {
		if got, want := trial.MemoryBytes-alone.Trials[i].MemoryBytes, int64(3*gib+trial.Rung*64<<20); trial.Variant != "tmp" && got != want {
			t.Errorf("%s needs %d bytes of memory more, want %d", trial.ID, got, want)
		}
		if trial.DiskBytes != 3*alone.Trials[i].DiskBytes {
			t.Errorf("%s needs %d bytes of disk, without copies %d", trial.ID, trial.DiskBytes, alone.Trials[i].DiskBytes)
		}
	}
}

func TestEveryTrialOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		storages := rapid.IntRange(1, 6).Draw(t, "storages")
		repetitions := rapid.IntRange(1, 5).Draw(t, "repetitions")
		rungs := rapid.IntRange(1, 6).Draw(t, "rungs")
		s := read(t, fmt.Sprintf("study: t\nworkload: {name: shop}\nengine: {name: postgres}\nrepetitions: %d\nladder: [%s]\nstorage: {%s}\n",
			repetitions, list(rungs, func(i int) string { return fmt.Sprint(1 << i) }),
			list(storages, func(i int) string { return fmt.Sprintf("s%d: {class: directory}", i) })))
		p, err := plan.Make(s, plan.Machine{}, usual)
		if err != nil {
			t.Fatal(err)
		}
		check(t, p, storages, rungs, repetitions)
	})
}

func list(n int, item func(int) string) string {
	var items []string
	for i := range n {
		items = append(items, item(i))
	}
	return strings.Join(items, ", ")
}

func check(t *rapid.T, p *plan.Plan, storages, rungs, repetitions int) {
	if len(p.Trials) != storages*rungs*repetitions {
		t.Fatalf("%d trials", len(p.Trials))
	}
	ids, seeds := map[string]bool{}, map[uint64]bool{}
	first := map[string]int{}
	for i, trial := range p.Trials {
		if ids[trial.ID] || seeds[trial.Seed] || trial.Position != i+1 {
			t.Fatalf("trial %+v is not unique or not in order", trial)
		}
		ids[trial.ID], seeds[trial.Seed] = true, true
		if i%storages == 0 {
			first[trial.Variant]++
		}
		block := p.Trials[i-i%storages]
		if trial.Rung != block.Rung || trial.Repetition != block.Repetition {
			t.Fatalf("variants are not side by side at %s", trial.ID)
		}
		if i > 0 && trial.Repetition < p.Trials[i-1].Repetition {
			t.Fatal("repetitions are not outermost")
		}
	}
	least, most := rungs*repetitions, 0
	for _, v := range p.Variants {
		least, most = min(least, first[v.Name]), max(most, first[v.Name])
	}
	if most-least > 1 {
		t.Fatalf("first places are %v", first)
	}
}

func TestEstimates(t *testing.T) {
	p := planned(t, text, plan.Machine{}, usual)
	small, large := trial(t, p, "a/1/1"), trial(t, p, "a/128/1")
	if small.Duration < 20*time.Second || small.Duration > time.Minute {
		t.Errorf("a trial of 20 s takes %s", small.Duration)
	}
	if large.Duration <= small.Duration || large.DiskBytes != 128*small.DiskBytes || large.MemoryBytes < 128*(256<<20) {
		t.Errorf("estimates do not grow: %+v %+v", small, large)
	}
	if tmp := trial(t, p, "tmp/128/1"); tmp.DiskBytes != 0 || tmp.MemoryBytes < large.MemoryBytes+128*90e6 {
		t.Errorf("volumes in memory are not counted as memory: %+v", tmp)
	}
	// One golden copy where it is made, and one on each storage on disk.
	if got, want := p.Estimate.DiskBytes, large.DiskBytes+3*90e6; got != want {
		t.Errorf("the run needs %d, want %d", got, want)
	}
	if len(p.Datasets) != 1 || len(p.Datasets[0].Variants) != 3 {
		t.Errorf("data sets are %+v", p.Datasets)
	}
	var sum time.Duration
	for _, trial := range p.Trials {
		sum += trial.Duration
	}
	if p.Estimate.Duration <= sum || p.Estimate.AtMost != 0 {
		t.Errorf("estimate is %+v of %s", p.Estimate, sum)
	}
}

// TestSizesByUser: what each user adds counts at every rung, in space, in the time to
// prepare it, and in the size of volumes. (1e6 is what an instance has besides.)
func TestSizesByUser(t *testing.T) {
	const each = 4 * gib
	workers := machine{facts: plan.Facts{
		Profile: describe.Profile{User: "worker"}, Dataset: plan.Dataset{Bytes: 1e6, UserBytes: each},
	}, own: plan.StorageFacts{Capacity: new(int64(20 * gib))}}
	ladder := strings.NewReplacer("[1, 8, 128]", "{of: users, rungs: [1, 8]}", "users: 8, ", "", "repetitions: 2", "repetitions: 1").Replace(text)
	p := planned(t, ladder, plan.Machine{}, workers)
	one, eight := trial(t, p, "a/1/1"), trial(t, p, "a/8/1")
	if one.DiskBytes != each+1e6 || eight.DiskBytes != 8*each+1e6 || eight.Duration < 5*one.Duration {
		t.Errorf("one worker takes %d bytes and %s, eight %d and %s", one.DiskBytes, one.Duration, eight.DiskBytes, eight.Duration)
	}
	if got := p.VolumeBytes(p.Variants[0], "a"); got < 16*each || got > 16*each+2*gib {
		t.Errorf("volumes get %s", unit.Bytes(got))
	}
	if all := fmt.Sprint(p.Problems); p.Noun() != "worker" || !strings.Contains(all, "rung 8 of a needs 32GiB on storage a") || !strings.Contains(all, "4 workers fit") {
		t.Errorf("it counts %ss: %s", p.Noun(), all)
	}
}

// TestFixedWorkHasNoWarmUp: the plan says so, and counts neither ramp nor warm-up.
func TestFixedWorkHasNoWarmUp(t *testing.T) {
	fixed := usual
	fixed.facts.Profile.Fixed = true
	timed, p := planned(t, text, plan.Machine{}, usual), planned(t, text, plan.Machine{}, fixed)
	if before, got := trial(t, timed, "a/1/1").Duration, trial(t, p, "a/1/1").Duration; before-got != 5800*time.Millisecond {
		t.Errorf("a trial takes %s, and %s with a ramp of 0.8 s and a warm-up of 5 s", got, before)
	}
	if all := fmt.Sprint(p.Notes); len(timed.Notes) > 0 || !strings.Contains(all, "without ramp and warm-up; phases.measure (15s) is the longest") {
		t.Errorf("notes %v; of timed work %v", p.Notes, timed.Notes)
	}
}

// Fixed work takes as long as the study expects; work of a given time takes that.
func TestFixedWorkIsEstimatedAsTheStudyExpects(t *testing.T) {
	fixed, expecting := usual, strings.Replace(text, "measure: 15s", "measure: 15s, expect: 4s", 1)
	fixed.facts.Profile.Fixed = true
	most, p := planned(t, text, plan.Machine{}, fixed), planned(t, expecting, plan.Machine{}, fixed)
	if less := trial(t, most, "a/1/1").Duration - trial(t, p, "a/1/1").Duration; less != 11*time.Second || !strings.Contains(fmt.Sprint(p.Notes), "estimates are made with phases.expect (4s)") {
		t.Errorf("%s less than the limit; notes %v", less, p.Notes)
	}
	timed := planned(t, expecting, plan.Machine{}, usual)
	if trial(t, timed, "a/1/1").Duration != trial(t, planned(t, text, plan.Machine{}, usual), "a/1/1").Duration || !strings.Contains(fmt.Sprint(timed.Notes), "phases.expect is not used") {
		t.Errorf("work of a given time: %v", timed.Notes)
	}
}

func trial(t *testing.T, p *plan.Plan, id string) plan.Trial {
	t.Helper()
	for _, trial := range p.Trials {
		if trial.ID == id {
			return trial
		}
	}
	t.Fatalf("there is no trial %s", id)
	return plan.Trial{}
}

func TestRampIsTheBusiestDriver(t *testing.T) {
	phases := study.Phases{RampRate: 10}
	for rung, want := range map[int]time.Duration{1: 800 * time.Millisecond, 8: 6400 * time.Millisecond, 128: 6400 * time.Millisecond} {
		if got := plan.Ramp(phases, study.Load{Users: 8, InstancesPerDriver: 8}, rung); got != want {
			t.Errorf("%d instances ramp for %s, want %s", rung, got, want)
		}
	}
	if got := plan.Ramp(phases, study.Load{Users: 8}, 128); got != 102400*time.Millisecond {
		t.Errorf("one driver ramps for %s", got)
	}
	if got := plan.Ramp(study.Phases{}, study.Load{Users: 8}, 128); got != 0 {
		t.Errorf("without a rate the ramp takes %s", got)
	}
}

func TestWhatCannotFitIsRefused(t *testing.T) {
	here := func(free int64) func(string) describe.Space {
		return func(string) describe.Space { return describe.Space{ID: "one", Bytes: free, Files: -1} }
	}
	capacity := usual
	capacity.own.Capacity = new(int64(gib))
	full, files := usual, usual
	full.own.Capacity, files.holds.ServerFiles = new(int64(0)), 100
	for _, c := range []struct {
		name      string
		machine   plan.Machine
		describer machine
		want      []string // in what and hint; none when it fits
	}{
		{"fits", plan.Machine{Capacity: describe.Capacity{MemoryBytes: new(int64(100 * gib))}, Space: here(500 * gib)}, usual, nil},
		{"not known", plan.Machine{Space: here(-1)}, usual, nil},
		{"memory", plan.Machine{Capacity: describe.Capacity{MemoryBytes: new(int64(23 * gib))}}, usual, []string{"rung 128 of tmp needs", "this machine has 23GiB", "lower engine.memory, or shorten the ladder:", "instances fit"}},
		{"no memory at all", plan.Machine{Capacity: describe.Capacity{MemoryBytes: new(int64(1 << 20))}}, usual, []string{"not even one instance fits"}},
		{"disk", plan.Machine{Space: here(2 * gib)}, usual, []string{"rung 128 of a needs", "of disk", "2GiB is free there", "instances fit"}},
		{"full disk", plan.Machine{Space: here(0)}, usual, []string{"not even one instance fits"}},
		{"open files", plan.Machine{Capacity: describe.Capacity{OpenFiles: new(int64(70))}}, usual, []string{"rung 128 of a needs about 74 open files in a driver (64 users)", "allows 70", "raise the limit of open files (ulimit -n 74", "7 instances fit"}},
		{"just enough open files", plan.Machine{Capacity: describe.Capacity{OpenFiles: new(int64(74))}}, usual, nil},
		{"processes", plan.Machine{Capacity: describe.Capacity{Tasks: new(int64(2000))}}, usual, []string{"rung 128 of a needs about 3520 processes and threads; this machine lets 2000 more be started", "71 instances fit"}},
		{"known to have no memory", plan.Machine{Capacity: describe.Capacity{MemoryBytes: new(int64(0))}}, usual, []string{"this machine has 0B", "not even one instance fits"}},
		{"known to have no processes", plan.Machine{Capacity: describe.Capacity{Tasks: new(int64(0))}}, usual, []string{"lets 0 more be started"}},
		{"a class that is full", plan.Machine{}, full, []string{"on storage a, which has 0B"}},
		{"no inodes", plan.Machine{Space: func(string) describe.Space { return describe.Space{ID: "one", Bytes: -1} }}, files, []string{"0 inodes are free there"}},
		{"class", plan.Machine{}, capacity, []string{"on storage a, which has 1GiB", "increase the size of storage a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := planned(t, text, c.machine, c.describer)
			all := fmt.Sprint(p.Problems)
			if len(c.want) == 0 && len(p.Problems) > 0 {
				t.Errorf("refused: %s", all)
			}
			for _, want := range c.want {
				if !strings.Contains(all, want) {
					t.Errorf("%q is not in %s", want, all)
				}
			}
		})
	}
}

// What lies on one file system adds up; what lies elsewhere needs nothing there.
func TestSpaceIsThatOfTheFileSystemsThatAreFilled(t *testing.T) {
	const one = "study: t\nworkload: {name: shop}\nengine: {name: postgres}\nstorage: {a: {class: directory, path: /a}}\nladder: [1]\nphases: {warmup: 1s, measure: 2s}\nload: {users: 1}\n"
	d := usual
	d.facts.Dataset.Bytes, d.holds.Overhead, d.holds.ServerFiles, d.facts.Dataset.Files = 60<<20, 10<<20, 1000, 200
	const mib = 1 << 20
	for _, c := range []struct {
		name string
		free map[string]describe.Space // by directory
		want []string
	}{
		{"all elsewhere", map[string]describe.Space{"/a": {ID: "1", Bytes: 200 * mib, Files: -1}, "/kept": {ID: "2", Bytes: 100 * mib, Files: -1}, "/runs": {ID: "3", Bytes: mib, Files: -1}, "/work": {ID: "4", Bytes: 0, Files: 0}}, nil},
		{"volumes and their copies", map[string]describe.Space{"/a": {ID: "1", Bytes: 100 * mib, Files: -1}, "/kept": {ID: "2", Bytes: 100 * mib, Files: -1}, "/runs": {ID: "3", Bytes: mib, Files: -1}},
			[]string{"needs 140MiB of disk in /a (volumes 70MiB and copies of data sets 70MiB); 100MiB is free there"}},
		{"with what is kept", map[string]describe.Space{"/a": {ID: "1", Bytes: 200 * mib, Files: -1}, "/kept": {ID: "1", Bytes: 200 * mib, Files: -1}, "/runs": {ID: "3", Bytes: mib, Files: -1}},
			[]string{"needs 210MiB of disk in /a (volumes 70MiB, copies of data sets 70MiB and data sets that are kept 70MiB); 200MiB is free there"}},
		{"where it is kept", map[string]describe.Space{"/a": {ID: "1", Bytes: 200 * mib, Files: -1}, "/kept": {ID: "2", Bytes: 50 * mib, Files: -1}, "/runs": {ID: "3", Bytes: mib, Files: -1}},
			[]string{"needs 70MiB of disk in /kept (data sets that are kept 70MiB); 50MiB is free there"}},
		{"results", map[string]describe.Space{"/a": {ID: "1", Bytes: 200 * mib, Files: -1}, "/kept": {ID: "2", Bytes: 100 * mib, Files: -1}, "/runs": {ID: "3", Bytes: 0, Files: -1}},
			[]string{"of disk in /runs (results 260KiB); 0B is free there"}},
		{"inodes", map[string]describe.Space{"/a": {ID: "1", Bytes: 200 * mib, Files: 2000}, "/kept": {ID: "2", Bytes: 100 * mib, Files: 2000}, "/runs": {ID: "3", Bytes: mib, Files: 2000}},
			[]string{"makes about 2400 files and directories in /a; 2000 inodes are free there"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := planned(t, one, plan.Machine{Kept: "/kept", Results: "/runs", Space: func(at string) describe.Space { return c.free[at] }}, d)
			if all := fmt.Sprint(p.Problems); len(p.Problems) != len(c.want) || len(c.want) > 0 && !strings.Contains(all, c.want[0]) {
				t.Errorf("%s; want %q", all, c.want)
			}
		})
	}
}

// Results grow with the length of the phases, the drivers and what they do.
func TestResultsOfADayNeedRoom(t *testing.T) {
	results := func(measure, perDriver string) int64 {
		t.Helper()
		text := "study: t\nworkload: {name: shop}\nengine: {name: postgres}\nstorage: {a: {class: directory, path: /a}}\nladder: [20]\nphases: {warmup: 0s, measure: " + measure + ", ramp_rate: 0}\nload: {users: 10, instances_per_driver: " + perDriver + "}\n"
		low, high := int64(0), int64(1)<<40
		for high-low > 1<<10 { // the least that is enough
			free := (low + high) / 2
			p := planned(t, text, plan.Machine{Results: "/runs", Space: func(at string) describe.Space {
				if at == "/runs" {
					return describe.Space{ID: "1", Bytes: free, Files: -1}
				}
				return describe.Space{ID: "2", Bytes: 1 << 50, Files: -1}
			}}, usual)
			if len(p.Problems) > 0 {
				low = free
			} else {
				high = free
			}
		}
		return high
	}
	hour, day, drivers := results("1h", "20"), results("24h", "20"), results("24h", "5")
	if day < 20*hour || day < 100<<20 {
		t.Errorf("a day needs %d bytes, an hour %d", day, hour)
	}
	if drivers <= day {
		t.Errorf("four drivers need %d bytes, one %d", drivers, day)
	}
}

// Where mounts lie on several storages, each has to have room for what lies on it; one on
// which no mount lies needs nothing.
func TestSpaceOfEachStorageThatMountsLieOn(t *testing.T) {
	const one = "study: t\nworkload: {name: shop}\nengine: {name: postgres}\nstorage: {a: {class: directory, path: /a}}\nladder: [1]\nphases: {warmup: 1s, measure: 2s}\nload: {users: 1}\n"
	const mib = 1 << 20
	rest := &plan.Holding{Bytes: 10 * mib, Overhead: 5 * mib}
	most := &plan.Holding{Bytes: 50 * mib, Overhead: 5 * mib}
	all := &plan.Holding{Bytes: 60 * mib, Overhead: 10 * mib}
	for _, c := range []struct {
		name     string
		own      *plan.Holding // data on the variant's own storage
		holds    *plan.Holding // data on the other storage
		copies   float64       // that it keeps of each byte
		a, store int64         // free, in MiB
		capacity int64         // of the other storage, in MiB; a has 100
		want     []string
	}{
		{name: "each has room", own: rest, holds: most, a: 30, store: 110, capacity: 110},
		{name: "the first is too small", own: rest, holds: most, a: 29, store: 110,
			want: []string{"needs 30MiB of disk in /a (volumes 15MiB and copies of data sets 15MiB); 29MiB is free there"}},
		{name: "the second is too small", own: rest, holds: most, a: 1000, store: 109, capacity: 109,
			want: []string{"needs 110MiB on storage store, which has 109MiB", "needs 110MiB of disk in /store"}},
		{name: "the second keeps three copies", own: rest, holds: most, copies: 3, a: 1000, store: 219, want: []string{"needs 220MiB of disk in /store"}},
		{name: "one is not known", own: rest, holds: most, a: 30, store: -1},
		{name: "nothing on its own", holds: all, a: 1, store: 200, capacity: 200},
		{name: "nothing on its own, too small", holds: all, a: 500, store: 100, capacity: 500, want: []string{"of disk in /store"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := usual
			d.facts.Dataset.Bytes = 60 * mib
			d.own.Capacity, d.own.Holds = new(int64(100*mib)), c.own
			d.others = map[string]plan.StorageFacts{"store": {Place: "/store", Capacity: mebibytes(c.capacity), Copies: c.copies, Holds: c.holds}}
			free := map[string]describe.Space{"/a": {ID: "1", Bytes: c.a * mib, Files: -1}, "/store": {ID: "2", Bytes: c.store * mib, Files: -1}}
			p := planned(t, one, plan.Machine{Space: func(at string) describe.Space { return free[at] }}, d)
			if len(p.Problems) != len(c.want) {
				t.Fatalf("%v; want %q", p.Problems, c.want)
			}
			for i, want := range c.want {
				if !strings.Contains(p.Problems[i].Text, want) {
					t.Errorf("%s; want %q", p.Problems[i].Text, want)
				}
			}
		})
	}
}

// Volumes are as large as what lies on their storage needs, and grow by their share.
func TestVolumesAreAsLargeAsTheirShare(t *testing.T) {
	d := usual
	d.facts.Profile.Growth, d.own.Provisioner = 10e6, "fast.example"
	d.facts.Dataset = plan.Dataset{Bytes: 10 * gib}
	d.own.Holds = &plan.Holding{Bytes: gib, Overhead: 40e6}
	d.others = map[string]plan.StorageFacts{"store": {ClaimSource: plan.ClaimSource{Provisioner: "slow.example"}, Holds: &plan.Holding{Bytes: 9 * gib}}}
	p := planned(t, strings.Replace(text, "[1, 8, 128]", "[1]", 1), plan.Machine{}, d)
	own, store := p.VolumeBytes(p.Variants[0], "a"), p.VolumeBytes(p.Variants[0], "store")
	if own < 3*gib || store < 5*own || store > 9*own {
		t.Errorf("volumes of %s and %s for a tenth and nine tenths of the data", unit.Bytes(own), unit.Bytes(store))
	}
	f := p.FactsOf(p.Variants[0]).Storages
	if f["a"].ClaimBytes != own || f["store"].ClaimBytes != store {
		t.Errorf("claims of %s and %s", unit.Bytes(f["a"].ClaimBytes), unit.Bytes(f["store"].ClaimBytes))
	}
}

// A device is as large as it is.
func TestVolumesOfAFixedSize(t *testing.T) {
	d := usual
	d.own.VolumeCapacity = new(int64(64 << 20))
	if all := fmt.Sprint(planned(t, text, plan.Machine{}, d).Problems); !strings.Contains(all, "each instance of a needs 85.8MiB, and the volumes of storage a have 64MiB") {
		t.Error(all)
	}
}

// A search ends where the limits do, and a CPU limit that cannot be reached is said.
func TestPlanObeysTheContainer(t *testing.T) {
	inside := plan.Machine{Capacity: describe.Capacity{Where: "this container", Cores: 0.6, OpenFiles: new(int64(34)), Notes: []string{"0.6 of 2 cores can be used"}}}
	search := strings.Replace(text, "ladder: [1, 8, 128]", "objectives: [p95 <= 200ms]\nladder: {auto: {from: 1, to: 128}}", 1)
	p := planned(t, strings.Replace(search, "engine: {", "engine: {cpu: 1, ", 1), inside, usual)
	notes := strings.Join(p.Notes, "\n")
	for _, want := range []string{"0.6 of 2 cores can be used", "may use 1 CPU, and this container has 0.6 cores: the smaller one is the limit", "the search ends at 3 instances instead of 128: no more fit on this container"} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q is not in the notes: %s", want, notes)
		}
	}
}

func TestHintIsTrue(t *testing.T) {
	p := planned(t, text, plan.Machine{Capacity: describe.Capacity{MemoryBytes: new(int64(4 * gib))}}, usual)
	var fits int
	if _, err := fmt.Sscanf(p.Problems[0].Hint, "lower engine.memory, or shorten the ladder: %d instances fit", &fits); err != nil {
		t.Fatal(p.Problems[0].Hint)
	}
	for rung, wantProblems := range map[int]int{fits: 0, fits + 1: 1} {
		q := planned(t, strings.Replace(text, "[1, 8, 128]", fmt.Sprintf("[%d]", rung), 1), plan.Machine{Capacity: describe.Capacity{MemoryBytes: new(int64(4 * gib))}}, usual)
		if len(q.Problems) != wantProblems {
			t.Errorf("%d instances: %v", rung, q.Problems)
		}
	}
}

func TestUnusableStorageAndEngineAreProblems(t *testing.T) {
	d := usual
	d.unusable, d.broken = "/a", "postgres"
	p := planned(t, text, plan.Machine{}, d)
	all := fmt.Sprint(p.Problems)
	for _, want := range []string{"storage a (class directory) cannot be used here: there is no such directory", "plimsoll doctor", "no variant can run here: mariadb is not installed: apt-get install"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in %s", want, all)
		}
	}
	if strings.Count(all, "mariadb is not installed") != 1 || len(p.Datasets) > 0 {
		t.Errorf("one lack, and unknown data sets: %s, %+v", all, p.Datasets)
	}
}

// lacking cannot run variants of some storages.
type lacking struct {
	machine
	at string
}

func (l lacking) Describe(v study.Variant) (plan.Facts, error) {
	if strings.Contains(l.at, v.StorageName) {
		return plan.Facts{}, errors.New("there is no such class")
	}
	return l.machine.Describe(v)
}

// What variants lack is said once, with their names, and of those that can run the data sets
// are known.
func TestALackIsSaidOnce(t *testing.T) {
	for at, want := range map[string]string{"b": "variant b cannot run here: there is no such class", "ab": "variants a and b cannot run here: there is no such class"} {
		p := planned(t, text, plan.Machine{}, lacking{usual, at})
		if len(p.Problems) != 1 || p.Problems[0].Text != want || len(p.Datasets) != 1 || len(p.Datasets[0].Variants) != 3-len(at) {
			t.Errorf("%s: %v, %+v", at, p.Problems, p.Datasets)
		}
	}
}

// Whatever a study asks for, no estimate turns negative, and sizes that are too large are
// refused.
func TestEstimatesOfImpossibleStudies(t *testing.T) {
	huge := machine{
		facts: plan.Facts{Dataset: plan.Dataset{Key: "all", Bytes: math.MaxInt64}, InstanceMemory: math.MaxInt64},
		own:   plan.StorageFacts{StorageMemory: math.MaxInt64, VolumeMemory: math.MaxInt64, VolumeTime: math.MaxInt64, Copies: 3},
		holds: plan.Holding{Overhead: math.MaxInt64},
	}
	for _, ladder := range []string{"[1, 100000]", "{auto: {to: 100000, budget: 30000}}\nobjectives: [mean <= 1s]"} {
		large := strings.NewReplacer("[1, 8, 128]", ladder, "repetitions: 2", "repetitions: 1", "users: 8", "users: 100000",
			"warmup: 5s", "warmup: 48h", "measure: 15s", "measure: 48h", "ramp_rate: 10", "ramp_rate: 0.001").Replace(text)
		p := planned(t, large, plan.Machine{Capacity: describe.Capacity{MemoryBytes: new(int64(gib))}}, huge)
		for _, trial := range p.Trials {
			if trial.Duration <= 0 || trial.DiskBytes < 0 || trial.MemoryBytes <= 0 {
				t.Errorf("%s: %+v", ladder, trial)
			}
		}
		if e := p.Estimate; e.Duration <= 0 || e.DiskBytes <= 0 || e.MemoryBytes <= 0 || e.AtMost < 0 {
			t.Errorf("%s: %+v", ladder, e)
		}
		if all := fmt.Sprint(p.Problems); !strings.Contains(all, "of memory") || !strings.Contains(all, "at 0.001 a second") {
			t.Errorf("%s: problems %s", ladder, all)
		}
	}
}

func TestFallbackIsNoted(t *testing.T) {
	d := usual
	d.unusable = "/a"
	p := planned(t, strings.Replace(text, "path: /a}", "path: /a, otherwise: {class: directory, name: here}}", 1), plan.Machine{}, d)
	if len(p.Problems) > 0 || len(p.Notes) != 1 || p.Variants[0].Name != "here" {
		t.Errorf("problems %v, notes %v, variants %v", p.Problems, p.Notes, p.Variants)
	}
}

func TestFallbackThatCannotDoTheFault(t *testing.T) {
	d := usual
	d.unusable = "/pool"
	faulty := strings.Replace(text, "{a: {class: directory, path: /a}, b: {class: directory, path: /b}, tmp: {class: directory, path: memory}}",
		"{a: {class: pool, path: /pool, otherwise: {class: directory}}}", 1) + "faults: [{at: 3s, do: kill peer 1}]\n"
	if p := planned(t, faulty, plan.Machine{}, usual); len(p.Problems) > 0 {
		t.Errorf("where the pool can be used: %v", p.Problems)
	}
	p := planned(t, faulty, plan.Machine{}, d)
	if len(p.Problems) != 1 || !strings.Contains(p.Problems[0].Text, `fault 1 at 3s: storage a is of class directory, which does not support fault "kill peer 1"`) {
		t.Errorf("problems %v", p.Problems)
	}
}

func TestSearchPlansTheFirstRung(t *testing.T) {
	auto := strings.Replace(text, "[1, 8, 128]", "{auto: {from: 2, to: 64, budget: 5}}\nobjectives: [mean <= 1s]", 1)
	auto = strings.Replace(auto, "repetitions: 2", "repetitions: 1", 1)
	p := planned(t, auto, plan.Machine{Capacity: describe.Capacity{MemoryBytes: new(int64(100 * gib))}}, usual)
	if len(p.Trials) != 3 || p.Trials[0].Rung != 2 || p.Trials[2].Rung != 2 {
		t.Errorf("trials are %+v", p.Trials)
	}
	if p.Estimate.AtMost <= p.Estimate.Duration || len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "at most 5 trials for each of 3 variants") {
		t.Errorf("estimate %+v, notes %v", p.Estimate, p.Notes)
	}
	if e := p.Estimate; e.FewestTrials != 6 || e.MostTrials != 15 || e.AtLeast <= 0 || e.AtLeast >= e.AtMost {
		t.Errorf("estimate %+v", e)
	}
	next := p.Append("b", 8, 1)
	if next.ID != "b/8/1" || next.Position != 4 || next.Seed == 0 || next.Duration == 0 || len(p.Trials) != 4 {
		t.Errorf("the next trial is %+v", next)
	}
}

// A time bounds a search, and is compared with what its trials take.
func TestPlanOfASearchWithinATime(t *testing.T) {
	auto := strings.Replace(text, "[1, 8, 128]", "{auto: {from: 2, to: 64}}\nobjectives: [mean <= 1s]", 1)
	for within, want := range map[time.Duration]string{
		time.Second:    "nothing is left of",
		time.Hour:      "of each variant after the first",
		24 * time.Hour: "within 24 h, the search gets about",
	} {
		p := planned(t, auto, plan.Machine{Capacity: describe.Capacity{MemoryBytes: new(int64(100 * gib))}}, usual)
		p.Retry(2)
		most := p.Estimate.AtMost
		if err := p.Limit(within); err != nil {
			t.Fatal(err)
		}
		if last := p.Notes[len(p.Notes)-1]; p.Within != within || p.Estimate.RetryTime > 0 || p.Estimate.AtMost > max(within, p.Estimate.Duration) || p.Estimate.AtMost > most || !strings.Contains(last, want) {
			t.Errorf("within %s: at most %s, note %q", within, p.Estimate.AtMost, last)
		}
	}
	if p := planned(t, text, plan.Machine{}, usual); p.Limit(time.Minute) == nil || p.Limit(0) != nil {
		t.Error("a ladder that is a list is ended after a time")
	}
}

func TestSearchEndsWhereTheMachineEnds(t *testing.T) {
	auto := strings.Replace(text, "[1, 8, 128]", "{auto: {from: 2, to: 64}}\nobjectives: [mean <= 1s]", 1)
	p := planned(t, auto, plan.Machine{Capacity: describe.Capacity{MemoryBytes: new(int64(8 * gib))}}, usual)
	if to := p.Study.Ladder.To; len(p.Problems) > 0 || to >= 64 || to < 8 || !strings.Contains(p.Notes[0], "instead of 64") {
		t.Errorf("to %d, problems %v, notes %v", to, p.Problems, p.Notes)
	}
	p = planned(t, auto, plan.Machine{Capacity: describe.Capacity{MemoryBytes: new(int64(gib / 2))}}, usual)
	if len(p.Problems) == 0 {
		t.Error("a search whose first rung does not fit is not refused")
	}
}

func TestPlanSurvivesJSON(t *testing.T) {
	p := planned(t, text, plan.Machine{}, usual)
	written, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var back plan.Plan
	if err := json.Unmarshal(written, &back); err != nil {
		t.Fatal(err)
	}
	if err := back.Rebind(vocabulary()); err != nil {
		t.Fatal(err)
	}
	if got := back.Variants[0].Storage().Parameters.(*folder).Path; got != "/a" {
		t.Errorf("the parameters are %q", got)
	}
	if diff := cmp.Diff(p.Trials, back.Trials); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(p.Append("a", 9, 1), back.Append("a", 9, 1)); diff != "" {
		t.Error(diff)
	}
}

// TestRetriesAreShownAsAnUpperBound: the plan shows possible retries apart from the certain
// trials.
func TestRetriesAreShownAsAnUpperBound(t *testing.T) {
	p := planned(t, text, plan.Machine{}, usual)
	before := p.Estimate.Duration
	p.Retry(2)
	longest := time.Duration(0)
	for _, trial := range p.Trials {
		longest = max(longest, trial.Duration)
	}
	if p.Estimate.Duration != before || p.Estimate.Retries != 2 || p.Estimate.RetryTime != 2*longest {
		t.Errorf("%+v, longest trial %s", p.Estimate, longest)
	}
	again := p.Again(p.Trials[1], 2)
	want := p.Trials[1]
	want.ID, want.Attempt = want.ID+".2", 2
	if again != want || len(p.Trials) == 0 {
		t.Errorf("the second attempt is %+v, want %+v", again, want)
	}
}

// A pool of more simulated drives than the machine has memory for is refused in one
// sentence, with the number that fits.
func TestTooManySimulatedMedia(t *testing.T) {
	dense := usual
	dense.own.StorageMemory, dense.own.Media, dense.own.MediumMemory = 144*64<<20, 144, 64<<20
	one := strings.Replace(strings.Replace(text, "[1, 8, 128]", "[1]", 1), ", b: {class: directory, path: /b}, tmp: {class: directory, path: memory}", "", 1)
	p := planned(t, one, plan.Machine{Capacity: describe.Capacity{MemoryBytes: new(int64(8 * gib))}}, dense)
	var found []string
	for _, problem := range p.Problems {
		found = append(found, problem.Text+": "+problem.Hint)
	}
	t.Log(found)
	if len(found) == 0 || !strings.Contains(found[0], "of its 144 simulated media fit") {
		t.Errorf("%q", found)
	}
}

// mebibytes is a size where a case has one.
func mebibytes(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return new(n << 20)
}
