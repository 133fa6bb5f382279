package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/pairwise"
	"plimsoll/internal/analysis/queueing"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/scale"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
)

// webStack makes trials of instances of a web server, PHP and a database whose
// figures obey a closed network of 8 cores, a disk and the workers of PHP.
type webStack struct {
	web, php, db float64 // CPU, s per order
	disk         float64 // s per order
	// hold is how long an order occupies a worker while it waits for something unmeasured,
	// such as an external service. Each instance has 4 workers.
	hold  float64
	think time.Duration
	quota float64 // CPU limit of each PHP server, in cores
	gauge *describe.Gauge
}

const (
	workersEach = 4
	coresThere  = 8
)

var fpmWorkers = &describe.Gauge{Name: "workers", Setting: "pm.max_children"}

func (w webStack) run(rungs ...int) *result.Run {
	var samples []sample
	for _, n := range rungs {
		net := queueing.Network{Think: w.think.Seconds(), Stations: []queueing.Station{
			{Demand: w.web + w.php + w.db, Servers: coresThere}, {Demand: w.disk, Servers: 1}, {Demand: w.hold, Servers: workersEach * n},
		}}
		if w.quota > 0 {
			net.Stations[0] = queueing.Station{Demand: w.php / w.quota, Servers: n}
		}
		all, err := net.Solve(8 * n)
		if err != nil {
			panic(err)
		}
		last := all[len(all)-1]
		samples = append(samples, sample{"a", n, last.Throughput * 60, last.Response, false, w.telemetry(last)})
	}
	run := madeUp(meanBelow(0.2), samples...)
	for _, trial := range run.Trials {
		trial.Variant.Load = study.Load{Users: 8, ThinkTime: unit.Duration(w.think)}
		trial.Variant.Stack = map[string]study.Engine{"db": {Name: "mariadb"}, "php": {Name: "php-fpm"}, "web": {Name: "nginx"}}
	}
	return run
}

func (w webStack) telemetry(s queueing.Solution) func(*result.Trial) {
	return func(t *result.Trial) {
		t.Servers = []result.Server{
			{Role: "db", Name: "mariadb", Count: 1},
			{Role: "php", Name: "php-fpm", Count: 1, CPU: w.quota, Limited: w.quota > 0, Stateless: true, Gauge: w.gauge},
			{Role: "web", Name: "nginx", Count: 1, Stateless: true},
		}
		analysistest.Sampled(t, "cpu", "", "utilisation", s.Throughput*(w.web+w.php+w.db)/coresThere)
		machineUnderTest{}.device(t, s.Utilisation[1])
		each := s.Throughput / float64(t.Rung)
		for n := range t.Rung {
			name := fmt.Sprintf("%03d", n)
			analysistest.Sampled(t, "instance", "db-"+name, "cpu", each*w.db)
			analysistest.Sampled(t, "instance", "php-"+name, "cpu", each*w.php)
			analysistest.Sampled(t, "instance", "web-"+name, "cpu", each*w.web)
			w.workers(t, "php-"+name+"/"+w.gauge.Name, each)
		}
	}
}

// workers are busy with every order that is not with its user, as far as there are
// enough of them; the others wait.
func (w webStack) workers(t *result.Trial, name string, each float64) {
	inside := 8 - each*w.think.Seconds()
	analysistest.Sampled(t, "gauge", name, "busy", min(inside, workersEach))
	analysistest.Sampled(t, "gauge", name, "capacity", workersEach)
	analysistest.Sampled(t, "gauge", name, "waiting", max(0, inside-workersEach))
}

// What gives out is named with its role, and the advice is the key of a study that
// the experiment changes.
func TestTheBottleneckIsThatOfARole(t *testing.T) {
	const think = 100 * time.Millisecond
	for _, c := range []struct {
		name     string
		stack    webStack
		cause    diagnose.Cause
		numbers  map[string]float64
		path, to string
		expect   string
	}{
		{"workers that wait for an external service, with idle CPU",
			webStack{web: 0.0005, php: 0.002, db: 0.001, disk: 0.0002, hold: 0.2, think: think, gauge: fpmWorkers},
			diagnose.Cause{Kind: diagnose.Saturated, Resource: "workers of php (php-fpm)", ResourceKind: resource.Gauge, Role: "php"}, nil,
			"stack.php.settings.pm.max_children", "8", "better"},
		{"workers whose engine has no setting for their number",
			webStack{web: 0.0005, php: 0.002, db: 0.001, disk: 0.0002, hold: 0.2, think: think, gauge: &describe.Gauge{Name: "threads"}},
			diagnose.Cause{Kind: diagnose.Saturated, Resource: "threads of php (php-fpm)", ResourceKind: resource.Gauge, Role: "php"}, nil, "stack.php.count", "2", "better"},
		{"workers that are busy because the disk is",
			webStack{web: 0.0005, php: 0.002, db: 0.001, disk: 0.01, think: think, gauge: fpmWorkers},
			diagnose.Cause{Kind: diagnose.Saturated, Resource: "disk loop3 (hdd)", ResourceKind: resource.Device}, nil, "", "", ""},
		{"roles that share the CPU of one machine",
			webStack{web: 0.003, php: 0.018, db: 0.006, disk: 0.0005, think: think, gauge: fpmWorkers},
			diagnose.Cause{Kind: diagnose.Saturated, Resource: "CPU of the machine", ResourceKind: resource.CPU},
			map[string]float64{"demand_php": 0.018, "demand_db": 0.006, "demand_web": 0.003},
			"stack.php.cpu", "", "worse"},
		{"PHP with a CPU limit of its own",
			webStack{web: 0.001, php: 0.018, db: 0.001, disk: 0.0002, think: think, quota: 0.25, gauge: fpmWorkers},
			diagnose.Cause{Kind: diagnose.Saturated, Resource: "CPU limit of a php server (php-fpm)", ResourceKind: resource.Quota, Role: "php"},
			map[string]float64{"demand": 0.018},
			"stack.php.cpu", "0.5", "better"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, a := bottleneck(t, c.stack.run(1, 2, 4, 8, 16))
			if *f.Cause != c.cause {
				t.Errorf("%+v", f.Cause)
			}
			if d, _ := diagnosisOf(a); c.cause.ResourceKind == resource.Gauge && d.Top.Waiting() < 1 {
				t.Errorf("nobody waits: %+v", d.Top)
			}
			for name, want := range c.numbers {
				if math.Abs(f.Numbers[name]/want-1) > 0.01 {
					t.Errorf("%s: %v, want %v", name, f.Numbers[name], want)
				}
			}
			switch {
			case c.path == "":
				if f.Change != nil {
					t.Errorf("the experiment changes %+v", f.Change)
				}
			case f.Change == nil || f.Change.Path != c.path || f.Change.Expect != c.expect || c.to != "" && f.Change.To != c.to:
				t.Errorf("the experiment changes %+v", f.Change)
			}
		})
	}
}

// Users who never pause keep a worker each busy, and nobody waits for one.
func TestBusyWorkersThatDelayNobodyAreNoBottleneck(t *testing.T) {
	run := webStack{web: 0.0005, php: 0.002, db: 0.001, disk: 0.0002, hold: 0.05, gauge: fpmWorkers}.run(1, 2, 4)
	for _, trial := range run.Trials {
		for i := range trial.Resources {
			if r := &trial.Resources[i]; r.Kind == "gauge" {
				r.Mean = map[string]float64{"busy": 8, "capacity": 8, "waiting": 0.1}[r.Metric]
			}
		}
	}
	f, a := bottleneck(t, run)
	if limit := loadline.LimitedBy(a.Variants[0].Rungs, a.Variants[0].LoadLine); f.Cause.Kind == diagnose.Saturated || limit != nil && limit.Kind == resource.Gauge {
		t.Errorf("the workers are blamed: %+v", f.Cause)
	}
}

// Workers that are occupied for longer the more there is to do wait for something
// themselves, and the finding says that more of them may not help.
func TestWorkersThatWaitThemselves(t *testing.T) {
	run := webStack{web: 0.0005, php: 0.002, db: 0.001, disk: 0.0002, hold: 0.2, think: 100 * time.Millisecond, gauge: fpmWorkers}.run(1, 2, 4)
	run.Plan.Study.Objectives = meanBelow(1)
	first := run.Trials[0]
	for i := range first.Resources {
		switch r := &first.Resources[i]; {
		case r.Kind == "gauge" && r.Metric == "busy":
			r.Mean /= 5
		case r.Kind == "cpu":
			r.Mean = 0.2 // from where on demands are taken
		}
	}
	_, a := bottleneck(t, run)
	d, _ := diagnosisOf(a)
	before := resource.First(scale.DemandRung(a.Variants[0].Rungs).Resources, resource.Gauge)
	if d.Top.Kind != resource.Gauge || !diagnose.WaitsFurtherOn(*before, *d.Top) {
		t.Errorf("%+v, before %+v", d.Top, before)
	}
}

// Storage may matter for one kind of work of a study and not for the other.
func TestStorageMattersForSomeWork(t *testing.T) {
	var samples []sample
	for _, m := range []struct {
		variant string
		mean    float64
	}{{"hdd-database", 0.15}, {"ssd-database", 0.02}, {"hdd-web", 0.100}, {"ssd-web", 0.101}} {
		for _, noise := range []float64{0.99, 1, 1.01} {
			samples = append(samples, sample{m.variant, 4, 60 * 32 / (m.mean + 0.3) * noise, m.mean, false, nil})
		}
	}
	run := madeUp(meanBelow(0.2), samples...)
	for _, trial := range run.Trials {
		storage, tier, _ := strings.Cut(trial.Variant.Name, "-")
		trial.Variant.Factors = map[string]string{"storage": storage, "workload.parameters.tier": tier}
	}
	a := analyse(t, run)
	stands := func(from, to int) pairwise.Standing {
		c := pairwise.ContrastOf(a, &a.Variants[from], &a.Variants[to])
		return c.Stands(c.Mean())
	}
	if database, web := stands(0, 1), stands(2, 3); database != pairwise.Gained || web != pairwise.Steadied {
		t.Errorf("the database gains %d, the web %d", database, web)
	}
}

// What balancers passed on to each server behind them is added up over the instances, and
// said where the load line ends; a balancer of a single server has nothing to share out.
func TestSharesOfServersBehindABalancer(t *testing.T) {
	for name, gateways := range map[string]int{"one": 1, "three": 3} {
		t.Run(name, func(t *testing.T) {
			run := madeUp(meanBelow(1), sample{variant: "a", rung: 2, opm: 60, mean: 0.1, change: func(t *result.Trial) {
				t.Servers = []result.Server{{Role: "store", Name: "s3"}, {Role: "balancer", Name: "haproxy", Gauge: &describe.Gauge{Name: "requests"}}}
				for instance := range 2 {
					for n := range gateways {
						name := fmt.Sprintf("balancer-%03d/gateway-%d", instance, n+1)
						analysistest.Sampled(t, "gauge", name, "requests", float64(10*(n+1)))
						analysistest.Sampled(t, "gauge", name, "bytes", 1e6)
					}
				}
			}})
			a := analyse(t, run)
			passed := a.Variants[0].Rungs[0].Passed
			at := slices.IndexFunc(a.Findings, func(f Finding) bool { return f.Kind == "balance" })
			if gateways == 1 {
				if len(passed) > 0 || at >= 0 {
					t.Errorf("%+v", passed)
				}
				return
			}
			if len(passed) != 3 || passed[2].Requests != 60 || passed[2].Share != 0.5 || passed[0].OfBytes != 1.0/3 || at < 0 {
				t.Fatalf("%+v", passed)
			}
			f := a.Findings[at]
			if f.Rung != 2 || f.Numbers["gateway-3 requests"] != 0.5 || f.Numbers["gateway-3 bytes"] != 1.0/3 {
				t.Errorf("%+v", f)
			}
		})
	}
}
