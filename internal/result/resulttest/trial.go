package resulttest

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

// The synthetic machine.
const (
	cores  = 8.0
	memory = 64 << 30

	cpuDemand    = 0.004  // s of one core for a unit of work
	deviceDemand = 0.0006 // s of the fastest variant's device for a unit of work

	unitBytes = 1e6 // payload of a unit of work, where its throughput counts bytes
)

// shares are the operations' shares of the response time of the unit of work.
var shares = []float64{1, 0.2, 0.3, 0.5}

// Shop is the profile of a shop, as DVD Store's.
func Shop() describe.Profile {
	return describe.Profile{
		Workload: "dvdstore", Unit: describe.Unit{Name: "order", Plural: "orders", Throughput: "OPM", Seconds: 60},
		Operations: []string{"order", "login", "browse", "purchase"},
	}
}

// Transactions is the profile of a database whose transactions count.
func Transactions() describe.Profile {
	return describe.Profile{
		Workload: "made-up-transactions", Unit: describe.Unit{Name: "transaction", Plural: "transactions", Throughput: "TPS", Seconds: 1},
		Operations: []string{"transaction", "select", "update", "commit"},
	}
}

// Blocks is the profile of a medium whose payload counts. It has no audit.
func Blocks() describe.Profile {
	return describe.Profile{
		Workload: "made-up-blocks", Unit: describe.Unit{Name: "block", Plural: "blocks", Throughput: "MB/s", Seconds: 1, Bytes: true},
		Operations: []string{"block", "read", "write"}, Correctness: "every block is verified when it is read",
	}
}

// trialMaker is one trial being made up.
type trialMaker struct {
	profile describe.Profile
	planned plan.Trial
	variant study.Variant
	seconds int
	start   time.Time
	random  *rand.Rand

	device     string
	throughput float64 // orders/s
	response   float64 // s
	cpu, disk  float64 // utilisations
	queue      float64 // at the device
}

func newTrial(profile describe.Profile, p *plan.Plan, t plan.Trial, seconds int) *trialMaker {
	s := &trialMaker{
		profile: profile, planned: t, seconds: seconds,
		start:  time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(t.Position) * time.Hour),
		random: rand.New(rand.NewPCG(hash(t.ID), 0)),
	}
	slower := 1.0
	for i, v := range p.Variants {
		if v.Name == t.Variant {
			s.variant, s.device = v, fmt.Sprintf("loop%d", i)
			slower = math.Pow(3, float64(i))
		}
	}
	s.solve(t.Rung*usersPerInstance, deviceDemand*slower*s.noise(0.02))
	return s
}

func hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text)) // never fails
	return h.Sum64()
}

// noise is a factor around 1 with the given relative spread.
func (s *trialMaker) noise(spread float64) float64 { return max(0.2, 1+spread*s.random.NormFloat64()) }

// solve is exact mean-value analysis of a closed network with think time
// (Reiser and Lavenberg, "Mean-Value Analysis of Closed Multichain Queuing
// Networks", JACM 27(2), 1980). The cores count as one that is so much faster,
// with the rest of the CPU time as delay.
func (s *trialMaker) solve(users int, disk float64) {
	cpu, delay := cpuDemand/cores, cpuDemand*(cores-1)/cores
	var cpuQueue, diskQueue float64
	for n := 1; n <= users; n++ {
		cpuTime, diskTime := cpu*(1+cpuQueue), disk*(1+diskQueue)
		s.response = cpuTime + diskTime + delay
		s.throughput = float64(n) / (s.response + thinkTime.Seconds())
		cpuQueue, diskQueue = s.throughput*cpuTime, s.throughput*diskTime
	}
	s.cpu, s.disk, s.queue = s.throughput*cpu, s.throughput*disk, diskQueue
}

func (s *trialMaker) measureStart() time.Time { return s.start.Add(warmup) }

func (s *trialMaker) measureEnd() time.Time {
	return s.measureStart().Add(time.Duration(s.seconds) * time.Second)
}

func (s *trialMaker) units() int64 { return int64(s.throughput * float64(s.seconds)) }

func (s *trialMaker) trial(series []result.Series) (*result.Trial, error) {
	t := &result.Trial{
		ID: s.planned.ID, Variant: s.variant, Rung: s.planned.Rung, Repetition: s.planned.Repetition,
		Schema: result.SchemaVersion, Part: result.Part{Profile: s.profile, Servers: []result.Server{{Role: "db", Name: "postgres", Version: "15.18", Source: "installed", Count: 1}}, Dataset: "synthetic", Operations: map[string]result.OperationSummary{}}, Position: s.planned.Position, Seed: s.planned.Seed, Status: result.Passed,
		Begun: s.start.Add(-time.Minute), Ready: s.start.Add(-2 * time.Second), Start: s.start,
		MeasureStart: s.measureStart(), MeasureEnd: s.measureEnd(), Ended: s.measureEnd().Add(10 * time.Second),

		Storages: result.OnlyStorage(s.variant, describe.Storage{Class: "directory", Media: s.variant.StorageName, Protection: "none", FileSystem: "xfs", Durable: true, Text: "a synthetic directory"}),
		Devices:  []describe.Device{{Name: s.device, Role: "data", Actuators: 1}},

		WarmupSeconds: warmup.Seconds(),

		Resources: result.Summarise(series, s.measureStart(), s.measureEnd()),
	}
	if s.profile.Correctness == "" {
		t.Audit = &s.audit().Summary
	}
	for i, name := range s.profile.Operations {
		summary, err := s.operation(shares[i])
		if err != nil {
			return nil, err
		}
		t.Operations[name] = summary
	}
	for i := range s.planned.Rung {
		t.Instances = append(t.Instances, s.instance(i))
	}
	t.Drivers = []result.DriverSummary{{
		Name: "driver-0", CPUUser: 0.0002 * float64(s.units()), CPUSystem: 0.0001 * float64(s.units()),
		RSSMax: 40 << 20, LateMax: 0.002, LateMean: 0.0001, BusyMax: 0.0004 * s.throughput,
	}}
	return t, nil
}

// operation has response times of a log-normal distribution; a thousand
// quantiles stand for all.
func (s *trialMaker) operation(share float64) (result.OperationSummary, error) {
	h := result.NewHistogram()
	const quantiles, spread = 1000, 0.5
	each := max(s.units()/quantiles, 1)
	for i := range quantiles {
		q := (float64(i) + 0.5) / quantiles
		v := s.response * share * math.Exp(spread*math.Sqrt2*math.Erfinv(2*q-1)-spread*spread/2)
		result.RecordTimes(h, v, each)
	}
	rolledBack := each * quantiles / 50
	text, err := result.EncodeHistogram(h)
	return result.OperationSummary{
		Bytes: s.bytes(each*quantiles - rolledBack), Count: each*quantiles - rolledBack, RolledBack: rolledBack, Mean: result.Mean(h),
		P50: result.Quantile(h, 0.5), P90: result.Quantile(h, 0.9), P95: result.Quantile(h, 0.95),
		P99: result.Quantile(h, 0.99), P999: result.Quantile(h, 0.999), Max: result.Quantile(h, 1),
		Histogram: text,
	}, err
}

// bytes is the payload of so many units.
func (s *trialMaker) bytes(units int64) int64 {
	if !s.profile.Unit.Bytes {
		return 0
	}
	return units * unitBytes
}

func (s *trialMaker) instance(number int) result.InstanceSummary {
	units := int64(float64(s.units()) / float64(s.planned.Rung) * s.noise(0.03))
	return result.InstanceSummary{
		Instance: number, Count: units, Bytes: s.bytes(units),
		Mean: s.response * s.noise(0.03), P95: s.response * 2.1 * s.noise(0.03), P99: s.response * 2.9 * s.noise(0.05),
	}
}

func (s *trialMaker) audit() *result.Audit {
	a := &result.Audit{}
	each := s.units() / int64(s.planned.Rung)
	for i := range s.planned.Rung {
		a.Instances = append(a.Instances, describe.Audit{
			Instance: i, Acknowledged: each, Present: each,
			Checks: []describe.Check{{Name: fmt.Sprintf("every acknowledged %s is present", s.profile.Unit.Name), Passed: true, Expected: each, Found: each}},
		})
	}
	total := each * int64(s.planned.Rung)
	a.Summary = result.AuditSummary{
		Passed: true, Instances: s.planned.Rung, Acknowledged: total, Present: total,
		Text: fmt.Sprintf("all %d acknowledged %s are present", total, s.profile.Unit.Plural),
	}
	return a
}
