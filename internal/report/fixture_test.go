package report

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/price"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/scale"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/result/resulttest"
	"plimsoll/internal/study"
)

// The published DVD Store 2 results (study cns-ds2): orders per minute and
// mean response time in ms by storage-node CPUs, class and instances.
var published = []struct {
	cpus, class string
	opm         []float64
	ms          []float64
}{
	{"4", "hdd", []float64{11347, 19707, 44226, 99262, 79150, 73541}, []float64{24, 30, 68, 141, 571, 823}},
	{"4", "ssd", []float64{12612, 23738, 73939, 223441, 297010, 238396}, []float64{19, 22, 31, 49, 135, 174}},
	{"16", "hdd", []float64{12473, 24566, 57860, 89489, 71738}, []float64{20, 20, 46, 103, 629}},
	{"16", "ssd", []float64{12537, 24629, 75732, 258926, 495000, 536220}, []float64{19, 20, 30, 39, 71, 91}},
}

var publishedRungs = []int{1, 2, 8, 32, 96, 128}

func exact(v float64) stats.Interval { return stats.Interval{Value: v, Low: v, High: v} }

func estimate(v, part float64) stats.Interval {
	return stats.Interval{Value: v, Low: v * (1 - part), High: v * (1 + part), Confidence: 0.95}
}

// referenceFixture is an analysis of published tables: no machine, no
// percentiles, no telemetry.
func referenceFixture() *analysis.Analysis {
	objective := study.Objective{Metric: "mean", Limit: 1, Text: "mean <= 1s"}
	a := &analysis.Analysis{
		Study: analysis.StudyInfo{
			Name: "cns-ds2", Title: "Persistent databases on container storage",
			Question: "How many MySQL instances does each storage class carry within one second?",
			Workload: "dvdstore", Dataset: "DVD Store 2, 20 GB", Unit: "OPM", Work: resulttest.Shop(), Objectives: []study.Objective{objective},
		},
		Run:      analysis.RunInfo{ID: "cns-ds2", Reference: "Container storage reference architecture, 2018, tables 5 and 6"},
		Ranking:  []string{"ssd-16", "ssd-4", "hdd-4", "hdd-16"},
		Parts:    []analysis.AnswerPart{{Asks: study.HowMany, Text: "Within mean ≤ 1 s, `ssd-16` carries the most of 4 variants, at least 128 instances. `hdd-16` carries the fewest, 96 to 127."}},
		Headline: "Within mean ≤ 1 s, `ssd-16` carries the most of 4 variants, at least 128 instances. `hdd-16` carries the fewest, 96 to 127.",
		Verdict: []analysis.Sentence{
			{Variant: "ssd-16", Text: "`ssd, 16 CPU` keeps mean <= 1s at all 128 instances measured: its load line lies above."},
			{Variant: "ssd-4", Text: "`ssd, 4 CPU` keeps mean <= 1s at all 128 instances measured, but its throughput peaks near 96."},
			{Variant: "hdd-4", Text: "`hdd, 4 CPU` keeps mean <= 1s at all 128 instances measured, but its throughput peaks near 32."},
			{Variant: "hdd-16", Text: "`hdd, 16 CPU` carries 96 instances within mean <= 1s; 128 timed out."},
		},
		Findings: []analysis.Finding{{ID: "f1", Kind: "bottleneck", Variant: "hdd-4", Text: "Throughput of `hdd, 4 CPU` falls past 32 instances; nothing was measured that says why."}},
		Warnings: []trust.Warning{{Kind: "reference", Severity: "note", Text: "Published numbers carry no interval: one value per rung."}},
		Grade:    "C",
		Method:   []string{"Numbers are as published; throughput is the sum over instances."},
	}
	for _, p := range published {
		a.Variants = append(a.Variants, publishedVariant(p.cpus, p.class, p.opm, p.ms))
	}
	return a
}

func publishedVariant(cpus, class string, opm, ms []float64) analysis.Variant {
	v := analysis.Variant{
		Name: class + "-" + cpus, Label: class + ", " + cpus + " CPU",
		Factors: map[string]string{"storage": class, "storage.cpu": cpus}, Media: class, Work: resulttest.Shop(),
	}
	for i := range opm {
		mean := ms[i] / 1000
		v.Rungs = append(v.Rungs, rung.Rung{
			Instances: publishedRungs[i], Repetitions: 1, Throughput: exact(opm[i]), Mean: exact(mean),
			Efficiency: opm[i] / float64(publishedRungs[i]) / opm[0],
			Objectives: []rung.ObjectiveResult{{Text: "mean <= 1s", Value: mean, Limit: 1, Kept: mean <= 1}},
			Kept:       mean <= 1, Trials: []string{fmt.Sprintf("%s/%d/1", v.Name, publishedRungs[i])},
		})
	}
	if len(opm) < len(publishedRungs) {
		v.Rungs = append(v.Rungs, rung.Rung{
			Instances: 128, Failed: 1,
			Objectives: []rung.ObjectiveResult{{Text: "mean <= 1s", Limit: 1}},
		})
	}
	last := publishedRungs[len(opm)-1]
	v.LoadLine = loadline.LoadLine{Rung: last, Count: exact(float64(last)), Open: last == 128}
	return v
}

// liveVariant describes a made-up medium of the live fixture.
type liveVariant struct {
	name, label, media string
	service            float64 // s of one order outside the queue
	capacity           float64 // OPM at which the bottleneck is full
}

// liveFixture is an analysis with everything in it: repetitions, intervals,
// percentiles, resources, model, prices, failures and warnings.
func liveFixture() *analysis.Analysis {
	a := &analysis.Analysis{
		Study: analysis.StudyInfo{
			Name: "quickstart", Title: "How many databases does each disk carry?",
			Question: "Which storage class does a small shop need, and what is the bottleneck?",
			Profile:  "laptop", Reduced: true, Workload: "dvdstore", Dataset: "DVD Store 2, 10 MB", Unit: "OPM", Work: resulttest.Shop(),
			Objectives: []study.Objective{
				{Metric: "p95", Limit: 0.2, Text: "p95 <= 200ms"},
				{Metric: "errors", Limit: 0.001, Text: "errors <= 0.1%"},
			},
		},
		Settings: []analysis.Setting{
			{Name: "engine.memory", ByVariant: map[string]string{"hdd": "256MiB", "ssd": "512MiB"}, Values: []analysis.SettingValue{{Value: "256MiB", For: "hdd"}, {Value: "512MiB", For: "ssd"}}},
			{Name: "engine.settings.synchronous_commit", Value: "off"},
			{Name: "load.users", Value: "8"},
		},
		Run: analysis.RunInfo{
			ID: "2026-03-01-quickstart", Started: time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC),
			Ended: time.Date(2026, 3, 1, 10, 41, 0, 0, time.UTC), Plimsoll: "0.1.0", Simulated: true,
		},
		Machine: &result.Machine{
			Hostname: "secret-host", OS: "Debian 12", Kernel: "6.1.0", Arch: "amd64", CPUModel: "Example CPU 2.5 GHz",
			Cores: 8, MemoryBytes: 32 << 30, Virtual: "kvm", Cgroup: "v2", Root: true,
			Disks:       []result.Disk{{Name: "vda", Bytes: 256 << 30, Scheduler: "none"}},
			FileSystems: []result.FileSystem{{Mount: "/", Type: "ext4", Options: "rw", Bytes: 250 << 30, Free: 100 << 30}},
			Programs:    map[string]string{"postgres": "15.7"}, Plimsoll: "0.1.0",
		},
		Ranking: []string{"ssd", "hdd"},
		Parts: []analysis.AnswerPart{
			{Asks: study.HowMany, Text: "Within p95 ≤ 200 ms and errors ≤ 0.1 %, `ssd` carries 38 to 44 instances and `hdd` 9 to 12.", Sure: "3 repetitions agree on that."},
			{Asks: study.Limits, Text: "CPU of the machine, 98 % busy, limits `ssd`. Disk loop3, 98 % busy, limits `hdd`."},
		},
		Caveats:  []analysis.Caveat{{Kind: "disturbed", Text: "Disturbed: other programs used 12 % of the machine's CPU, which can only have lowered these figures."}},
		Headline: "Within p95 ≤ 200 ms and errors ≤ 0.1 %, `ssd` carries 38 to 44 instances and `hdd` 9 to 12. 3 repetitions agree on that. CPU of the machine, 98 % busy, limits `ssd`. Disk loop3, 98 % busy, limits `hdd`.",
		Verdict: []analysis.Sentence{
			{Variant: "ssd", Text: "`ssd` carries 41 instances within p95 <= 200ms (38–44); CPU of the machine is the bottleneck."},
			{Variant: "hdd", Text: "`hdd` carries 11 instances within p95 <= 200ms (9–12); its disk is the bottleneck."},
		},
		Answers: []analysis.Answer{
			{Question: "Which configuration performs best?", Text: "`ssd`: 3.6 times the orders of `hdd` within the objectives.", Figure: "throughput"},
			{Question: "How many application stacks fit within the response-time limit?", Text: "41 on `ssd`, 11 on `hdd`.", Figure: "response"},
			{Question: "How does performance scale as load grows?", Text: "Nearly linear up to 8 instances on both; `hdd` is flat from 16.", Figure: "model-hdd"},
			{Question: "Which storage class does this workload need?", Text: "Up to 11 instances `hdd` will do; beyond that `ssd`.", Figure: "price"},
		},
		Grade: "B", GradeReason: "`ssd` may be 9 % too low because of warm-up and CPU that others used, or 2 % too high because of data in memory", Bound: liveBound(),
		Warnings: []trust.Warning{
			{Trial: "hdd/32/1", Kind: "warm-up", Severity: "caution", Text: "Response time still fell when the measured phase began."},
			{Trial: "hdd/32/2", Kind: "warm-up", Severity: "caution", Text: "Response time still fell when the measured phase began."},
			{Kind: "simulated", Severity: "note", Text: "The media of `hdd` and `ssd` are simulated."},
		},
		Method: []string{
			"Every rung was run three times, variants interleaved; the warm-up of 10 s is left out.",
			"Percentiles come from the merged histograms of all users of all repetitions.",
		},
	}
	for _, v := range []liveVariant{
		{"hdd", "hdd", "hdd-7200", 0.011, 14500},
		{"ssd", "ssd", "ssd-sas", 0.003, 46000},
	} {
		a.Variants = append(a.Variants, v.build(a))
	}
	addLiveFindings(a)
	a.Against, a.Beside = againstFixture(), besideFixture()
	return a
}

// besideFixture holds the live variants against published ones.
func besideFixture() *analysis.PublishedComparison {
	point := func(n int, throughput, response float64) analysis.GrowthPoint {
		return analysis.GrowthPoint{Instances: n, Throughput: throughput, Response: response}
	}
	return &analysis.PublishedComparison{
		Name: "shop-2018", Source: "A publisher, “Shops on disks” (2018-04), table 5",
		Curves: []analysis.GrowthCurve{
			{Variant: "hdd", Label: "hdd", Points: []analysis.GrowthPoint{point(1, 1, 1), point(8, 7.9, 1.4), point(48, 12.6, 77)}},
			{Variant: "ssd", Label: "ssd", Points: []analysis.GrowthPoint{point(1, 1, 1), point(8, 8, 1.07), point(48, 38.7, 23)}},
			{Variant: "hdd", Label: "hdd", Published: true, Points: []analysis.GrowthPoint{point(1, 1, 1), point(8, 7.35, 1.12), point(128, 53.3, 3.65)}},
		},
		Text:  []string{"At 8 instances `hdd` does 7.9 times the throughput of one; the published `hdd` does 7.35 times, with 1.4 and 1.12 times the response time."},
		Notes: []string{"The storage class hardly mattered."},
	}
}

// build fills the rungs from a saturating curve.
func (l liveVariant) build(a *analysis.Analysis) analysis.Variant {
	v := analysis.Variant{
		Name: l.name, Label: l.label, Factors: map[string]string{"storage": l.name}, Media: l.media, Simulated: true, Work: a.Study.Work,
		Description: "simulated " + l.media + ", one volume of 1 GiB per instance",
	}
	for _, n := range []int{1, 2, 4, 8, 16, 32, 48} {
		v.Rungs = append(v.Rungs, l.rung(a, n))
	}
	v.LoadLine = loadline.LoadLine{Rung: 8, Next: 16, Count: stats.Interval{Value: 11, Low: 9, High: 12, Confidence: 0.95}, Broken: "p95 <= 200ms"}
	if l.name == "ssd" {
		v.LoadLine = loadline.LoadLine{Rung: 32, Next: 64, Count: stats.Interval{Value: 41, Low: 38, High: 44, Confidence: 0.95}, Broken: "p95 <= 200ms"}
	}
	v.Scalability, v.Topology = l.scalability(), l.topology()
	return v
}

// users and think time of every instance of the live fixture.
const (
	fixtureUsers = 8
	fixtureThink = 0.4 // s
)

// orders gives throughput per second and mean response time of n instances by
// exact mean-value analysis of a delay and one queue.
func (l liveVariant) orders(n float64) (rate, mean float64) {
	demand, queue := 60/l.capacity, 0.0
	for user := 1.0; user <= n*fixtureUsers; user++ {
		mean = l.service + demand*(1+queue)
		rate = user / (fixtureThink + mean)
		queue = rate * demand * (1 + queue)
	}
	return rate, mean
}

// throughput is in orders per minute.
func (l liveVariant) throughput(n float64) float64 {
	rate, _ := l.orders(n)
	return 60 * rate
}

func (l liveVariant) rung(a *analysis.Analysis, n int) rung.Rung {
	rate, mean := l.orders(float64(n))
	x := 60 * rate
	r := rung.Rung{
		Instances: n, Repetitions: 3, Throughput: estimate(x, 0.02), Mean: estimate(mean, 0.05), P95: estimate(mean*2.4, 0.07),
		RolledBack: 0.011, Efficiency: x / float64(n) / l.throughput(1), Grade: "B", Kept: mean*2.4 <= 0.2,
		Percentile: percentiles(mean),
		Operations: map[string]rung.OperationStats{
			"order":    {PerMinute: x, Mean: mean, Percentile: percentiles(mean)},
			"login":    {PerMinute: x * 0.8, Mean: mean * 0.1, Percentile: percentiles(mean * 0.1)},
			"browse":   {PerMinute: x * 3, Mean: mean * 0.15, Percentile: percentiles(mean * 0.15)},
			"purchase": {PerMinute: x, Mean: mean * 0.4, Percentile: percentiles(mean * 0.4), Errors: 2},
		},
		Objectives: []rung.ObjectiveResult{
			{Text: "p95 <= 200ms", Value: mean * 2.4, Limit: 0.2, Kept: mean*2.4 <= 0.2},
			{Text: "errors <= 0.1%", Value: 0, Limit: 0.001, Kept: true},
		},
		Fairness: &rung.Fairness{Jain: 1 - 0.0004*float64(n)},
	}
	random := rand.New(rand.NewPCG(1, uint64(n)))
	for range n {
		r.Fairness.Instances = append(r.Fairness.Instances, x/float64(n)*(1+0.05*random.NormFloat64()))
	}
	slices.Sort(r.Fairness.Instances)
	r.Resources = l.resources(x, n)
	r.Bottleneck = r.Resources[0].Name
	l.addTrials(a, &r, x, mean)
	return r
}

func percentiles(mean float64) map[string]float64 {
	return map[string]float64{"p50": mean * 0.8, "p90": mean * 1.9, "p95": mean * 2.4, "p99": mean * 4.1, "p99.9": mean * 7, "max": mean * 15}
}

func (l liveVariant) resources(x float64, n int) []resource.Resource {
	device, cpu := 0.3*x/46000, 0.985*x/46000
	if l.name == "hdd" {
		device = 0.985 * x / l.capacity
	}
	all := []resource.Resource{
		{Name: "CPU of the machine", Kind: "cpu", Utilisation: cpu, Demand: cpu * 8 * 60 / x, Servers: 8},
		{Name: "disk loop3 (" + l.name + ")", Kind: "device", Utilisation: device, Demand: device * 60 / x, Queue: device / (1.02 - device), Servers: 1},
		{Name: "driver CPU", Kind: "driver", Utilisation: 0.004 * float64(n), Demand: 0.0003, Servers: 8},
		{Name: "memory", Kind: "memory", Utilisation: 0.1 + 0.01*float64(n)},
	}
	slices.SortStableFunc(all, func(p, q resource.Resource) int { return int(math.Copysign(1, q.Utilisation-p.Utilisation)) })
	return all
}

func (l liveVariant) addTrials(a *analysis.Analysis, r *rung.Rung, x, mean float64) {
	for repetition := 1; repetition <= 3; repetition++ {
		t := analysis.TrialInfo{
			ID: fmt.Sprintf("%s/%d/%d", l.name, r.Instances, repetition), Position: len(a.Trials) + 1, Variant: l.name,
			Rung: r.Instances, Repetition: repetition, Status: "passed", Grade: "B",
			Throughput: x * (1 + 0.01*float64(repetition-2)), Mean: mean, P95: mean * 2.4, P99: mean * 4.1,
			Audit: fmt.Sprintf("all %.0f acknowledged orders are there, once", x), WarmupEnd: 10, End: 70,
			Start: a.Run.Started.Add(time.Duration(len(a.Trials)) * time.Minute),
		}
		if l.name == "hdd" && r.Instances == 48 && repetition == 3 {
			t.Status, t.Cause, t.Grade, t.Audit = "failed", "instance 7: server ended 31 s after the start: no space left on device", "F", ""
			t.Events = []result.Event{{At: t.Start.Add(31 * time.Second), Text: "instance 7: server ended"}}
			r.Repetitions, r.Failed = 2, 1
		}
		a.Trials = append(a.Trials, t)
		r.Trials = append(r.Trials, t.ID)
	}
}

// topology has the bottleneck that the findings name.
func (l liveVariant) topology() *analysis.Topology {
	media := analysis.Part{Stage: "media", Name: l.media, Text: "ext4", Simulated: true}
	machine := analysis.Part{Stage: "machine", Name: "one machine", Text: "8 cores, 32 GiB, shared by all of this"}
	if l.name == "hdd" {
		media.Limit = "disk loop3"
	} else {
		machine.Limit = "CPU of the machine"
	}
	return &analysis.Topology{Parts: []analysis.Part{
		{Stage: "driver", Name: "1 driver", Text: "8 users per instance"},
		{Stage: "role", Name: "db", Text: "postgres 15.7, 256 MiB"}, media, machine,
	}}
}

func (l liveVariant) scalability() *scale.Scalability {
	s := &scale.Scalability{
		Holds: true, Lambda: estimate(l.throughput(1), 0.02), Sigma: estimate(0.03, 0.3), Kappa: estimate(0.0004, 0.4),
		PeakAt: 49, Peak: l.throughput(48), Text: "Contention of 3 % bounds `" + l.name + "`; the model's peak lies at 49 instances.",
		Errors: []scale.Prediction{{N: 32, Predicted: l.throughput(32) * 1.06, Measured: l.throughput(32), Error: 0.06}, {N: 48, Predicted: l.throughput(48) * 0.95, Measured: l.throughput(48), Error: -0.05}},
	}
	for n := 1.0; n <= 64; n = math.Ceil(n * 1.2) {
		x := l.throughput(n)
		s.Model = append(s.Model, stats.Point{N: n, Value: x * 1.01, Low: x * 0.95, High: x * 1.07})
		s.Bounds = append(s.Bounds, stats.Point{N: n, Value: min(l.throughput(1)*n, l.capacity)})
	}
	return s
}

func addLiveFindings(a *analysis.Analysis) {
	a.Findings = []analysis.Finding{
		{ID: "load-line-ssd", Kind: "load-line", Variant: "ssd", Rung: 32, Text: "`ssd` keeps every objective at 32 instances and breaks p95 <= 200ms at 48.", Trials: []string{"ssd/32/1", "ssd/32/2", "ssd/32/3", "ssd/48/1"}},
		{ID: "bottleneck-ssd", Kind: "bottleneck", Variant: "ssd", Rung: 48, Text: "CPU of the machine is the bottleneck of `ssd`: 97 % busy at 48 instances, 8.9 ms of it an order.", Next: "Give the machine twice the CPU: predicted load line 80.", Fragment: "matrix:\n  engine.cpu: [4, 8]\n", Trials: []string{"ssd/48/1"}},
		{ID: "bottleneck-hdd", Kind: "bottleneck", Variant: "hdd", Rung: 16, Text: "The disk is the bottleneck of `hdd`: 98 % busy at 16 instances, 4.1 ms of disk an order.", Next: "Give each instance its own disk: predicted load line 38.", Trials: []string{"hdd/16/1"}},
	}
	a.Prices = &price.Prices{
		Unit: "OPM", Noun: "instance",
		Currency: "USD", Years: 3, Text: []string{"`ssd` costs 1.24 % more and gives 3.6 times the orders: each order is 72 % cheaper."},
		Note: "List prices.",
		Variants: []price.Bill{
			{Variant: "hdd", Total: 638353, Throughput: 13800, At: 11, PerUnit: 46.26, PerInstance: 58032, OnFront: true, Lines: []price.Line{{Name: "server", Quantity: 6, Price: 23735, Total: 142410}, {Name: "hdd", Quantity: 36, Price: 366, Total: 13176}}},
			{Variant: "ssd", Total: 646270, Throughput: 49500, At: 41, PerUnit: 13.06, PerInstance: 15763, OnFront: true, Lines: []price.Line{{Name: "server", Quantity: 6, Price: 23735, Total: 142410}, {Name: "ssd", Quantity: 15, Price: 1536, Total: 23040}}},
		},
	}
}

// liveSeries makes the telemetry of a trial: a ramp, a warm-up and a measured
// phase at one sample a second.
func liveSeries(a *analysis.Analysis) SeriesSource {
	return func(id string) iter.Seq2[result.Series, error] {
		for _, t := range a.Trials {
			if t.ID == id {
				return given(seriesOf(t, 75), nil)
			}
		}
		return given(nil, fmt.Errorf("there is no trial %q", id))
	}
}

// given iterates series, and then gives an error if there is one.
func given(series []result.Series, err error) iter.Seq2[result.Series, error] {
	return func(yield func(result.Series, error) bool) {
		for _, s := range series {
			if !yield(s, nil) {
				return
			}
		}
		if err != nil {
			yield(result.Series{}, err)
		}
	}
}

// seriesOf makes the series of one trial of so many seconds.
func seriesOf(t analysis.TrialInfo, length int) []result.Series {
	random := rand.New(rand.NewPCG(uint64(t.Position), 7))
	make := func(kind, name, metric, unit string, level, noise float64) result.Series {
		s := result.Series{Kind: kind, Name: name, Metric: metric, Unit: unit, Start: t.Start.UnixMilli()}
		for second := range length {
			ramp := min(1, float64(second+1)/6)
			s.Times = append(s.Times, int64(second+1)*1000)
			s.Values = append(s.Values, max(0, level*ramp*(1+noise*random.NormFloat64())))
		}
		return s
	}
	busy := min(1, float64(t.Rung)/16)
	all := []result.Series{
		make("operation", "order", "count", "1/s", t.Throughput/60, 0.06),
		make("operation", "order", "mean", "s", t.Mean, 0.1),
		make("operation", "order", "p50", "s", t.Mean*0.8, 0.08),
		make("operation", "order", "p95", "s", t.P95, 0.15),
		make("operation", "order", "p99", "s", t.P99, 0.3),
		make("cpu", "", "utilisation", "1", 0.6*busy, 0.05),
		make("cpu", "", "user", "1", 0.4*busy, 0.05),
		make("cpu", "", "system", "1", 0.2*busy, 0.05),
		make("cpu", "", "iowait", "1", 0.1*busy, 0.3),
		make("machine", "", "run_queue", "1", 6*busy, 0.3),
		make("machine", "", "memory_used", "B", 8e9*busy, 0.01),
	}
	for _, device := range []string{"loop3", "loop4"} {
		all = append(all,
			make("device", device, "utilisation", "1", 0.9*busy, 0.04),
			make("device", device, "read_bytes", "B/s", 4e6*busy, 0.2),
			make("device", device, "write_bytes", "B/s", 22e6*busy, 0.2),
			make("device", device, "write_await", "s", 0.004, 0.3),
			make("device", device, "flush_await", "s", 0.009, 0.3))
	}
	all = append(all, make("network", "lo", "receive_bytes", "B/s", 8e6*busy, 0.1), make("network", "lo", "send_bytes", "B/s", 9e6*busy, 0.1))
	for i := range t.Rung {
		all = append(all, make("instance", fmt.Sprintf("db-%03d", i), "units", "1/s", t.Throughput/60/float64(t.Rung), 0.3))
	}
	return all
}

// againstFixture holds the live variants against an earlier run with a slower hdd, whose
// ladder has another top.
func againstFixture() []analysis.ReferenceResult {
	earlier := analysis.ReferenceResult{
		Name: "2026-02-01-quickstart", Called: "earlier", Label: "run of 2026-02-01", Verdict: "better", Grade: "B",
		Text:    "`this run` is better than `2026-02-01-quickstart`: throughput at 16 instances +11.1 % (+8.0 to +14.3).",
		Differs: []string{"engine.memory: 128MiB against 256MiB"},
		Apart:   []string{"Rungs of `hdd` that only one side measured: 48 in this run, 64 in `2026-02-01-quickstart`.", "`2026-02-01-quickstart` has no counterpart of `ssd`."},
	}
	slower := liveVariant{"hdd", "hdd", "hdd-7200", 0.012, 13000}
	g := analysis.Counterpart{
		Variant: "hdd", Other: "hdd", LineVerdict: "better", Brief: "+57 % against 6 to 8 instances (run of 2026-02-01)",
		LoadLine: &loadline.LoadLine{Rung: 4, Next: 8, Count: stats.Interval{Value: 7, Low: 6, High: 8, Confidence: 0.95}},
	}
	for _, n := range []int{1, 2, 4, 8, 16, 32, 64} {
		rate, mean := slower.orders(float64(n))
		r := analysis.CounterpartRung{Instances: n, Metrics: map[string]analysis.ReferenceFigure{}}
		held := func(metric string, theirs, ours float64, verdict string) {
			h := analysis.ReferenceFigure{Theirs: estimate(theirs, 0.02)}
			if n != 64 {
				change := stats.Interval{Value: ours/theirs - 1, Low: ours/theirs - 1.02, High: ours/theirs - 0.98, Confidence: 0.95}
				h.Change, h.Verdict = &change, verdict
			}
			r.Metrics[metric] = h
		}
		x, y := (liveVariant{"hdd", "hdd", "hdd-7200", 0.011, 14500}).orders(float64(n))
		shown := "no difference shown"
		if n >= 8 {
			shown = "better"
		}
		held("throughput", 60*rate, 60*x, shown)
		held("mean", mean, y, shown)
		held("p95", mean*2.4, y*2.4, shown)
		g.Rungs = append(g.Rungs, r)
	}
	earlier.Counterparts = []analysis.Counterpart{g}
	return []analysis.ReferenceResult{earlier}
}

// liveBound is how far the answer of liveFixture may be off.
func liveBound() *analysis.AnswerBound {
	longer := &model.Cure{
		Left: bound.Bound{TooLow: 0.04, TooHigh: 0.02}, To: "A", Set: []string{"phases.warmup=2m"}, Minutes: 25,
		Text: "run it with `--set phases.warmup=2m`. That brings 9 % down to 4 %, and takes about 25 min",
	}
	return &analysis.AnswerBound{
		Bound: bound.Bound{TooLow: 0.09, TooHigh: 0.02}, Variant: "ssd", Figure: 41, Unit: "instance", Low: 40.18, High: 44.69, Range: "40 to 45 instances", Measured: "41 instances", Cure: longer,
		Text: "`ssd` may be 9 % too low because of warm-up and CPU that others used, or 2 % too high because of data in memory",
		Doubts: []analysis.Doubt{
			{Kind: trust.WarmUp, Bound: bound.Bound{TooLow: 0.06}, Low: 41, High: 43.46, Range: "41 to 44 instances", Trials: []string{"ssd/32/1", "ssd/32/2"}, Text: "warm-up", Cure: longer},
			{Kind: trust.Background, Bound: bound.Bound{TooLow: 0.03}, Low: 41, High: 42.23, Range: "41 to 43 instances", Text: "CPU that others used"},
			{Kind: trust.Cache, Bound: bound.Bound{TooHigh: 0.02}, Low: 40.18, High: 41, Range: "40 to 41 instances", Text: "data in memory"},
		},
	}
}
