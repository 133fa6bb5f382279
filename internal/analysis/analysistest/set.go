// Package analysistest makes up runs whose truth is known, for tests that
// count how often an interval covers it or a verdict is wrong. The runs live in
// memory: their trials have summaries, but no series and no records.
package analysistest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/unit"
)

// Set describes a run to be made up.
type Set struct {
	Variants    []Variant
	Rungs       []int
	Repetitions int
	Objectives  []study.Objective
	Noise       Noise
	// Histograms gives every trial a histogram of response times. They take most of the
	// time to make a set; without them, percentiles come from single trials.
	Histograms bool
}

// Variant is one configuration with its true curves.
type Variant struct {
	Name     string
	Factors  map[string]string // storage: Name, when nil
	Response Curve
	// Throughput is in orders a minute. nil computes it from the response time, for users
	// that think for ThinkTime.
	Throughput Curve
	// Errors is the true share of orders that fail; nil for no errors.
	Errors Curve
}

// Users and ThinkTime are the load of every instance.
const (
	Users     = 8
	ThinkTime = 300 * time.Millisecond
	// Measure is the length of the measured phase.
	Measure = 2 * time.Minute
)

// Noise is what makes repetitions differ: relative, normal in logarithms.
type Noise struct {
	Throughput float64 // standard deviation
	Response   float64
	// Carried is the correlation between the noise of successive trials in plan order.
	Carried float64
	// Growing multiplies the noise of each next rung, so that rungs differ in it.
	Growing float64
	// Heavy draws from Student's t with three degrees of freedom, scaled to the same
	// standard deviation: now and then a trial is far off.
	Heavy bool
}

// Run makes the run of a seed. Trials are in the order of a plan: repetition by
// repetition all rungs, and at each rung all variants in turn.
func (s Set) Run(seed uint64) *result.Run {
	p := s.plan()
	run := &result.Run{ID: "made-up", Plan: p, Machine: &result.Machine{Cores: 8, MemoryBytes: 64 << 30}}
	noise := newNoise(s.Noise, seed)
	for i, planned := range p.Trials {
		v := s.Variants[i%len(s.Variants)]
		rung := i / len(s.Variants) % len(s.Rungs)
		run.Trials = append(run.Trials, s.trial(p, planned, v, noise.next(rung)))
	}
	return run
}

// Orders is the profile of what made-up trials count.
func Orders() describe.Profile {
	return describe.Profile{
		Workload:   "made-up",
		Unit:       describe.Unit{Name: "order", Plural: "orders", Throughput: "OPM", Seconds: 60},
		Operations: []string{"order"},
	}
}

func (s Set) plan() *plan.Plan {
	st := &study.Study{
		Name: "made-up", Application: study.Application{Workload: study.Workload{Name: "dvdstore"}, Objectives: s.Objectives, Load: study.Load{Users: Users, ThinkTime: unit.Duration(ThinkTime)}},
		Ladder: study.Ladder{Rungs: s.Rungs}, Repetitions: s.Repetitions,
	}
	p := &plan.Plan{Study: st}
	for _, v := range s.Variants {
		p.Variants = append(p.Variants, v.of(st))
	}
	for repetition := 1; repetition <= s.Repetitions; repetition++ {
		for _, rung := range s.Rungs {
			for _, v := range s.Variants {
				p.Trials = append(p.Trials, plan.Trial{
					Position: len(p.Trials) + 1, ID: fmt.Sprintf("%s/%d/%d", v.Name, rung, repetition),
					Variant: v.Name, Rung: rung, Repetition: repetition,
				})
			}
		}
	}
	return p
}

func (v Variant) of(st *study.Study) study.Variant {
	factors := v.Factors
	if factors == nil {
		factors = map[string]string{"storage": v.Name}
	}
	return study.Variant{Name: v.Name, Factors: factors, StorageName: factors["storage"], Application: study.Application{Load: st.Load}}
}

// Trial makes one more trial of the first variant, for tests that choose the
// rungs themselves.
func (s Set) Trial(rung, repetition int, random *rand.Rand) *result.Trial {
	p := plan.Trial{Position: 1, ID: fmt.Sprintf("%s/%d/%d", s.Variants[0].Name, rung, repetition), Rung: rung, Repetition: repetition}
	n := noise{Noise: s.Noise, random: random}
	return s.trial(s.plan(), p, s.Variants[0], n.next(0))
}

func (s Set) trial(p *plan.Plan, planned plan.Trial, v Variant, off draw) *result.Trial {
	begun := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC).Add(time.Duration(planned.Position) * 3 * time.Minute)
	t := &result.Trial{
		ID: planned.ID, Position: planned.Position, Part: result.Part{Profile: Orders(), Servers: Database(), Audit: &result.AuditSummary{Passed: true}}, Rung: planned.Rung, Repetition: planned.Repetition,
		Variant: v.of(p.Study), Status: result.Passed,
		Begun: begun, Start: begun, MeasureStart: begun.Add(10 * time.Second), MeasureEnd: begun.Add(10*time.Second + Measure),
	}
	t.Storages = result.OnlyStorage(t.Variant, describe.Storage{Class: "directory", Durable: true})
	response := v.Response(planned.Rung) * off.response
	order := s.orders(v.throughput(planned.Rung)*off.throughput*Measure.Minutes(), response)
	if v.Errors != nil {
		failed := int64(math.Round(v.Errors(planned.Rung) * float64(order.Count)))
		order.Count -= failed
		order.Errors = map[string]int64{"failed": failed}
	}
	t.Operations = map[string]result.OperationSummary{"order": order}
	return t
}

// throughput of users that think and wait in turn, X = N / (R + Z).
func (v Variant) throughput(rung int) float64 {
	if v.Throughput != nil {
		return v.Throughput(rung)
	}
	return float64(rung*Users) / (v.Response(rung) + ThinkTime.Seconds()) * 60
}

// quantiles is how many values stand for a trial's response times, and spread
// their standard deviation in logarithms.
const (
	quantiles = 200
	spread    = 0.5
)

// orders summarises orders whose times are log-normal about the mean.
func (s Set) orders(count, mean float64) result.OperationSummary {
	n := max(int64(math.Round(count)), 1)
	at := func(q float64) float64 {
		return mean * math.Exp(spread*math.Sqrt2*math.Erfinv(2*q-1)-spread*spread/2)
	}
	o := result.OperationSummary{
		Count: n, Mean: mean, P50: at(0.5), P90: at(0.9), P95: at(0.95), P99: at(0.99), P999: at(0.999), Max: at(0.9999),
	}
	if s.Histograms {
		o.Histogram = histogram(at, n)
	}
	return o
}

func histogram(at func(float64) float64, n int64) string {
	h := result.NewHistogram()
	for i := range quantiles {
		if of := n*int64(i+1)/quantiles - n*int64(i)/quantiles; of > 0 {
			result.RecordTimes(h, at((float64(i)+0.5)/quantiles), of)
		}
	}
	text, err := result.EncodeHistogram(h)
	if err != nil {
		panic(err) // nothing that a test could give makes this fail
	}
	return text
}

// MeanBelow is the objective that the mean response time stays within a limit.
func MeanBelow(limit float64) []study.Objective {
	return []study.Objective{{Operation: "order", Metric: "mean", Limit: limit, Text: fmt.Sprintf("mean <= %vs", limit)}}
}

// Database is what made-up instances run.
func Database() []result.Server {
	return []result.Server{{Role: "db", Name: "made-up", Count: 1}}
}
