package items

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

var names = []string{"q01", "q02", "q03", "q04"}

func profile() describe.Profile {
	return describe.Profile{
		Workload: "made-up", User: "stream", Fixed: true, Listed: true,
		Unit:       describe.Unit{Name: "query", Plural: "queries", Throughput: "queries/h", Seconds: 3600},
		Operations: append([]string{"query"}, names...),
	}
}

// done is a trial whose queries took so many seconds and read 100 GB each; one of 0 timed out.
func done(times ...float64) *result.Trial {
	t := &result.Trial{ID: "a/1/1", Rung: 1, Status: result.Passed, Part: result.Part{Profile: profile(), Operations: map[string]result.OperationSummary{}}}
	whole, sum := result.OperationSummary{}, 0.0
	for i, v := range times {
		o := result.OperationSummary{Count: 1, Mean: v, Effort: &describe.Effort{Count: 1, InputBytes: 100e9}}
		if v == 0 {
			o = result.OperationSummary{Errors: map[string]int64{"timeout": 1}}
			whole.Errors = o.Errors
		}
		t.Operations[names[i]] = o
		whole.Count, sum = whole.Count+o.Count, sum+v
	}
	whole.Effort = &describe.Effort{Count: whole.Count, InputBytes: whole.Count * 100e9}
	t.Operations["query"] = whole
	t.MeasureStart = time.Unix(1000, 0)
	t.MeasureEnd = t.MeasureStart.Add(time.Duration(sum * float64(time.Second)))
	return t
}

func source(name string, price float64, trials ...*result.Trial) Source {
	return Source{Variant: name, Work: profile(), Groups: []trial.Group{{Instances: 1, Passed: trials}}, Price: price}
}

func tableIn(t *testing.T, sources ...Source) List {
	t.Helper()
	all := Compare(trust.Sift(&result.Run{}), sources)
	if len(all) != 1 {
		t.Fatalf("%d tables: %+v", len(all), all)
	}
	return all[0]
}

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-9*math.Abs(want) }

// What failed for one variant is left out of every geometric mean, and the list was not done.
func TestAFailedItemIsInNoMean(t *testing.T) {
	l := tableIn(t, source("a", 0, done(1, 2, 4, 8), done(1, 2, 4, 8)), source("b", 0, done(2, 4, 8, 0), done(2, 4, 8, 16)))
	a, b := l.Columns[0], l.Columns[1]
	if l.Common != 3 || !near(a.Geometric.Value, 2) || !near(b.Geometric.Value, 4) {
		t.Errorf("%d common, %+v, %+v", l.Common, a.Geometric, b.Geometric)
	}
	if !near(a.Total.Value, 15) || b.Total.Value != 0 || a.Failed != 0 || b.Failed != 1 {
		t.Errorf("%+v, %+v", a, b)
	}
	cell := l.Rows[3].Cells[1]
	if cell.Failed != 1 || cell.Errors["timeout"] != 1 || cell.Time.Value != 16 || cell.Ratio != 2 {
		t.Errorf("%+v", cell)
	}
	if a.Cost != nil {
		t.Errorf("a cost without a price: %+v", a.Cost)
	}
}

// An item that never succeeded has no time, and no fastest variant.
func TestAnItemMayHaveNoTime(t *testing.T) {
	l := tableIn(t, source("a", 0, done(1, 2, 4, 0)), source("b", 0, done(2, 4, 8, 0)))
	for _, c := range l.Rows[3].Cells {
		if c.Time != (stats.Interval{}) || c.Ratio != 0 || c.Failed != 1 {
			t.Errorf("%+v", c)
		}
	}
	if r := l.Rows[0].Cells[1].Ratio; r != 2 {
		t.Errorf("ratio %v", r)
	}
}

// Times of the repetitions have intervals as rungs have: the noise of all items together makes
// two repetitions enough, and one has none.
func TestTimesHaveIntervalsWhereRepeated(t *testing.T) {
	once := tableIn(t, source("a", 0, done(1, 2, 4, 8)))
	if c := once.Rows[0].Cells[0]; c.Time.Confidence != 0 || c.Time.Value != 1 {
		t.Errorf("%+v", c.Time)
	}
	twice := tableIn(t, source("a", 0, done(1, 2.1, 4, 8.2), done(1.1, 2, 4.1, 8)))
	if c := twice.Rows[0].Cells[0].Time; c.Confidence != stats.Confidence || c.Low >= 1.05 || c.High <= 1.05 || !near(c.Value, 1.05) {
		t.Errorf("%+v", c)
	}
	if c := twice.Columns[0]; !c.Total.Extremes {
		t.Errorf("two totals make no interval: %+v", c.Total)
	}
}

// A change is shown where there is one, and only there.
func TestChangesByItem(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	noisy := func(times ...float64) *result.Trial {
		for i := range times {
			times[i] *= math.Exp(0.01 * random.NormFloat64())
		}
		return done(times...)
	}
	var a, b []*result.Trial
	for range 4 {
		a, b = append(a, noisy(1, 2, 4, 8)), append(b, noisy(2, 2, 4, 4))
	}
	l := tableIn(t, source("a", 0, a...), source("b", 0, b...))
	want := []ChangeVerdict{Slower, Same, Same, Faster}
	for i, c := range l.Changes {
		if c.Item != names[i] || c.From != "a" || c.To != "b" || c.Shown != want[i] {
			t.Errorf("%+v, want %s", c, want[i])
		}
	}
	if all := l.Columns[1].Against; all.Confidence != stats.Confidence || all.Low > 0 || all.High < 0 || all.High > 0.02 {
		t.Errorf("over all: %+v, and one is twice as long, one half as long", all)
	}
	once := tableIn(t, source("a", 0, done(1, 2, 4, 8)), source("b", 0, done(2, 4, 8, 16)))
	for _, c := range once.Changes {
		if c.Shown != "" || !near(c.Time.Value, 1) {
			t.Errorf("measured once, and yet %+v", c)
		}
	}
}

// Four queries in 15 s at a price of 0.001 a second.
func TestCostIsThatOfTheTime(t *testing.T) {
	c := tableIn(t, source("a", 0.001, done(1, 2, 4, 8))).Columns[0].Cost
	if c == nil || !near(c.Each, 0.001*15/4) || !near(c.Terabyte, 0.001*15/0.4) {
		t.Errorf("%+v", c)
	}
}

// The bytes that the engine read are shown if it counted all of them, in every repetition.
func TestWhatTheEngineRead(t *testing.T) {
	l := tableIn(t, source("a", 1, done(1, 2, 4, 8), done(1, 2, 4, 8)), source("b", 1, done(1, 2, 4, 8), done(1, 2, 4, 0)))
	a, b := l.Columns[0], l.Columns[1]
	if a.Read != 400e9 || b.Read != 0 || b.Cost.Terabyte != 0 || b.Cost.Each == 0 {
		t.Errorf("%+v, %+v", a, b)
	}
	if first, last := l.Rows[0].Cells[1].Read, l.Rows[3].Cells[1].Read; first != 100e9 || last != 0 {
		t.Errorf("%g of one that always ended, %g of one that failed", first, last)
	}
	some := done(1, 2, 4, 8)
	some.Operations["query"] = result.OperationSummary{Count: 4, Effort: &describe.Effort{Count: 3, InputBytes: 300e9}}
	if c := tableIn(t, source("a", 0, some)).Columns[0]; c.Read != 0 {
		t.Errorf("one of four was not counted, and yet %g", c.Read)
	}
}

// Lists that differ, and rungs, have tables of their own.
func TestEachListHasItsTable(t *testing.T) {
	other := source("c", 0, done(1, 2, 4, 8))
	other.Work.Operations = other.Work.Operations[:3]
	more := source("a", 0, done(1, 2, 4, 8))
	more.Groups = append(more.Groups, trial.Group{Instances: 2, Passed: []*result.Trial{done(1, 2, 4, 8)}}, trial.Group{Instances: 4})
	plain := source("d", 0, done(1, 2, 4, 8))
	plain.Work.Listed = false
	all := Compare(trust.Sift(&result.Run{}), []Source{more, other, plain})
	if len(all) != 3 || all[0].Rung != 1 || all[1].Rung != 1 || all[2].Rung != 2 || len(all[1].Rows) != 2 {
		t.Errorf("%+v", all)
	}
}

// The bound of the whole list comes from all devices together.
func TestBoundsOfTheWhole(t *testing.T) {
	s := source("a", 0, done(1, 2, 4, 8))
	s.Rungs = []rung.Rung{{Instances: 1, Resources: []resource.Resource{
		{Kind: resource.Device, Device: "sda", Busy: 0.5}, {Kind: resource.Device, Device: "sdb", Busy: 0.25}, {Kind: resource.CPU, Utilisation: 1},
	}}}
	if got := tableIn(t, s).Columns[0].Storage; got == nil || got.Busy != 0.75 || got.Faster != 4 {
		t.Errorf("%+v", got)
	}
	s.Rungs[0].Resources[1].Busy = 0.6
	if got := tableIn(t, s).Columns[0].Storage; got == nil || got.Busy != 1 || got.Faster != 0 {
		t.Errorf("devices that are always busy bound nothing: %+v", got)
	}
	s.Rungs[0].Resources = s.Rungs[0].Resources[2:]
	if got := tableIn(t, s).Columns[0].Storage; got != nil {
		t.Errorf("without a device: %+v", got)
	}
}

// truth is what an item's time goes to: shares of it in which storage, CPU and network work.
// What overlaps is one share less.
type truth struct {
	length                float64
	storage, cpu, network float64
	bound                 Bound
}

// course makes up the records and the telemetry of items that follow each other, sampled every
// interval seconds; what works does so in slots of 20 ms.
func course(all []truth, interval float64, seed uint64) (*result.Trial, []result.Series) {
	random := rand.New(rand.NewPCG(seed, 7))
	const slot = 0.02
	t := done(make([]float64, len(all))...)
	var series []result.Series
	var busy [3][]float64 // by slot
	at := 2 + random.Float64()
	for range int(at / slot) {
		for k := range busy {
			busy[k] = append(busy[k], 0)
		}
	}
	for i, x := range all {
		at += x.length
		for len(busy[0]) < int(at/slot) {
			draw := random.Float64()
			for k, share := range []float64{x.storage, x.cpu, x.network} {
				v := draw
				if k == 1 {
					v = 1 - draw // where storage works, CPU does not, as far as both have room
				}
				works := 0.0
				if v < share {
					works = 1
				}
				busy[k] = append(busy[k], works)
			}
		}
		t.Operations[names[i]] = result.OperationSummary{Count: 1, Mean: x.length}
		s := result.Series{Kind: "operation", Name: names[i], Metric: "count"}
		for second := range int(at) + 1 {
			s.Times, s.Values = append(s.Times, int64(second+1)*1000), append(s.Values, 0)
		}
		s.Values[int(at)] = 1
		series = append(series, s)
	}
	for k, s := range []result.Series{{Kind: "device", Name: "sda", Metric: "utilisation"}, {Kind: "cpu", Metric: "utilisation"}, {Kind: "network", Name: "eth0", Metric: "utilisation"}} {
		for from, step := 0, int(interval/slot); from+step <= len(busy[k]); from += step {
			sum := 0.0
			for _, v := range busy[k][from : from+step] {
				sum += v
			}
			s.Times, s.Values = append(s.Times, int64(math.Round(float64(from+step)*slot*1000))), append(s.Values, sum/float64(step))
		}
		series = append(series, s)
	}
	return t, series
}

func resources() []resource.Resource {
	return []resource.Resource{{Kind: resource.Device, Device: "sda"}, {Kind: resource.CPU}, {Kind: resource.Network, Interface: "eth0"}}
}

// The bounds of items, and the gain from a faster store, agree with the made-up truth.
func TestWhereTheTimeGoes(t *testing.T) {
	all := []truth{
		{length: 20, storage: 0.8, cpu: 0.2, network: 0.05, bound: ByStorage},
		{length: 12.3, storage: 0.1, cpu: 0.9, network: 0.1, bound: ByCPU},
		{length: 15.7, storage: 0.2, cpu: 0.3, network: 0.9, bound: ByNetwork},
		{length: 14, storage: 0.6, cpu: 0.6, network: 0, bound: ""},
	}
	for seed := range uint64(20) {
		run, series := course(all, 0.5, seed)
		s := telemetry{series: series, trial: run, resources: resources()}
		found := windows(series, names, run)
		for i, x := range all {
			b, ok := s.within(found[names[i]])
			if !ok {
				t.Fatalf("seed %d: %s has no samples within %+v", seed, names[i], found[names[i]])
			}
			got := middle([]Utilisation{b})
			if got.Bound != x.bound {
				t.Errorf("seed %d: %s is bound by %q, not %q: %s", seed, names[i], got.Bound, x.bound, text(got))
			}
			if gain := 1 / (1 - x.storage); got.Storage.Faster < 0.8*gain || got.Storage.Faster > 1.25*gain {
				t.Errorf("seed %d: %s would be at most %g times as fast, in truth %g", seed, names[i], got.Storage.Faster, gain)
			}
		}
	}
}

func text(b *Utilisation) string {
	return fmt.Sprintf("%d samples, storage %v, CPU %v, network %v", b.Samples, b.Storage, *b.CPU, *b.Network)
}

// Windows never reach beyond the item, though records tell ends to the second only.
func TestWindowsLieWithinTheItems(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 9))
		var all []truth
		for range names {
			all = append(all, truth{length: 0.2 + 5*random.Float64()})
		}
		run, series := course(all, 1, seed)
		start := 2 + rand.New(rand.NewPCG(seed, 7)).Float64()
		for i, w := range windows(series, names, run) {
			begun := start
			for k := range names {
				ended := begun + all[k].length
				if names[k] == i && w.from < w.to && (w.from < begun*1000-1e-6 || w.to > ended*1000+1e-6) {
					t.Errorf("seed %d: %s ran from %g to %g s, and its window is %+v", seed, i, begun, ended, w)
				}
				begun = ended
			}
		}
	}
}

// An item that is shorter than a few samples is not classified.
func TestShortItemsAreNotClassified(t *testing.T) {
	all := []truth{{length: 2, storage: 1}, {length: 2.5, cpu: 1}, {length: 1, storage: 1}, {length: 30, storage: 1}}
	run, series := course(all, 1, 3)
	s := telemetry{series: series, trial: run, resources: resources()}
	for name, w := range windows(series, names, run) {
		if _, ok := s.within(w); ok != (name == names[3]) {
			t.Errorf("%s: %v", name, ok)
		}
	}
}

// Without storage or CPU no bound is named, and a CPU limit counts as the CPU.
func TestEvidenceMustBeThere(t *testing.T) {
	busy := 0.9
	if got := boundOf(Utilisation{CPU: &busy}); got != "" {
		t.Errorf("without a device, %s", got)
	}
	if got := boundOf(Utilisation{CPU: &busy, Storage: bound(0.1)}); got != ByCPU {
		t.Errorf("got %q", got)
	}
	little := 0.1
	if got := boundOf(Utilisation{CPU: &little, Others: 0.5, Storage: bound(busy)}); got != ByStorage {
		t.Errorf("got %q", got)
	}
	if got := boundOf(Utilisation{CPU: &little, Others: 0.8, Storage: bound(busy)}); got != "" {
		t.Errorf("though others took the CPU, %s", got)
	}
	shared := telemetry{resources: []resource.Resource{{Kind: resource.CPU, Other: 0.7}}, trial: &result.Trial{}, series: []result.Series{
		{Kind: "cpu", Metric: "utilisation", Times: []int64{0, 1000, 2000, 3000}, Values: []float64{0, 0.9, 0.9, 0.9}},
	}}
	if b, ok := shared.within(window{0, 3000, 3000}); !ok || b.Samples != 3 || math.Abs(*b.CPU-0.2) > 1e-9 || b.Others != 0.7 {
		t.Errorf("%+v, %v", b, ok)
	}
	limited := telemetry{trial: &result.Trial{Part: result.Part{Servers: []result.Server{{Role: "warehouse", CPU: 2, Limited: true}}}}}
	if of, ok := limited.told(result.Series{Kind: "instance", Name: "warehouse-000", Metric: "cpu"}); !ok || of.of != ByCPU || of.whole != 2 {
		t.Errorf("%+v, %v", of, ok)
	}
	if _, ok := limited.told(result.Series{Kind: "device", Name: "sda", Metric: "utilisation"}); ok {
		t.Error("a device that is not behind the storage tells of it")
	}
}

// With several streams at once, utilisation cannot be attributed to a query.
func TestSharedTimeIsNotClassified(t *testing.T) {
	two := done(1, 2, 4, 8)
	two.Operations["q01"] = result.OperationSummary{Count: 2, Mean: 1}
	if c := tableIn(t, source("a", 0, two)).Columns[0]; !c.Shared || c.Short != 0 {
		t.Errorf("%+v", c)
	}
}
