package analysistest

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
)

// Crowd describes made-up trials of instances, each with response times of its own.
type Crowd struct {
	Instances int
	Orders    int // of each
	// Scattered draws how many orders each has, as of a Poisson process; else each has
	// as many.
	Scattered bool
	// Carried is the lag-1 autocorrelation of the logarithms of order times.
	Carried float64
	// SlowPart multiplies the times of the last instance's operation Part alone: a fifth
	// of an order where it is not slow. 0 has no such operation.
	SlowPart float64
	// Slower multiplies the times of the last instance, whose orders are as many
	// fewer; 0 is as the others.
	Slower float64
}

// typical is the median response time of an instance that does not starve, in seconds.
const typical = 0.04

// Truth gives the true figures of an instance that does not starve, by metric. Times
// are log-normal.
func (c Crowd) Truth() map[string]float64 {
	at := func(q float64) float64 { return typical * math.Exp(spread*math.Sqrt2*math.Erfinv(2*q-1)) }
	return map[string]float64{"mean": typical * math.Exp(spread*spread/2), "p50": at(0.5), "p95": at(0.95), "p99": at(0.99)}
}

// Part is the operation that every order consists of where a Crowd has SlowPart.
const Part = "purchase"

// Trial makes the trial of a seed, of two minutes.
func (c Crowd) Trial(seed uint64) *result.Trial {
	random := rand.New(rand.NewPCG(seed, 0xc407d))
	begun := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	t := &result.Trial{
		ID: "made-up", Rung: c.Instances, Repetition: 1, Part: result.Part{Profile: Orders(), Servers: Database(), Audit: &result.AuditSummary{Passed: true}}, Status: result.Passed,
		Variant: study.Variant{Name: "made-up", Application: study.Application{Load: study.Load{Users: Users, ThinkTime: unit.Duration(ThinkTime)}}},
		Begun:   begun, Start: begun, MeasureStart: begun, MeasureEnd: begun.Add(Measure),
	}
	t.Storages = result.OnlyStorage(t.Variant, describe.Storage{Class: "directory", Durable: true})
	var all, parts []float64
	for i := range c.Instances {
		slower, orders := 1.0, c.Orders
		if i == c.Instances-1 && c.Slower > 0 {
			slower, orders = c.Slower, max(1, int(float64(c.Orders)/c.Slower))
		}
		if c.Scattered {
			orders = max(1, int(distuv.Poisson{Lambda: float64(orders), Src: random}.Rand()))
		}
		times := make([]float64, orders)
		z := random.NormFloat64()
		for n := range times {
			times[n] = typical * slower * math.Exp(spread*z)
			z = c.Carried*z + math.Sqrt(1-c.Carried*c.Carried)*random.NormFloat64()
		}
		s := instanceOf(i, times)
		if c.SlowPart > 0 {
			part := c.partOf(i, times)
			parts = append(parts, part...)
			of := instanceOf(i, part)
			s.Operations = map[string]result.InstancePart{Part: {Count: of.Count, Mean: of.Mean, Deviation: of.Deviation, Times: of.Times, Max: of.Max}}
		}
		t.Instances = append(t.Instances, s)
		all = append(all, times...)
	}
	t.Operations = map[string]result.OperationSummary{"order": operationOf(all)}
	if c.SlowPart > 0 {
		t.Operations[Part] = operationOf(parts)
	}
	return t
}

// partOf is how long the operation Part took in the orders of an instance.
func (c Crowd) partOf(number int, orders []float64) []float64 {
	share := 0.2
	if number == c.Instances-1 {
		share *= c.SlowPart
	}
	part := make([]float64, len(orders))
	for i, v := range orders {
		part[i] = share * v
	}
	return part
}

// operationOf sums up response times, which it sorts.
func operationOf(times []float64) result.OperationSummary {
	slices.Sort(times)
	at := func(q float64) float64 { return stats.Quantile(times, q) }
	return result.OperationSummary{
		Count: int64(len(times)), Mean: stats.Mean(times),
		P50: at(0.5), P90: at(0.9), P95: at(0.95), P99: at(0.99), P999: at(0.999), Max: times[len(times)-1],
	}
}

// instanceOf sums up the response times of an instance, which it sorts.
func instanceOf(number int, times []float64) result.InstanceSummary {
	slices.Sort(times)
	mean, squares := stats.Mean(times), 0.0
	for _, v := range times {
		squares += (v - mean) * (v - mean)
	}
	s := result.InstanceSummary{
		Instance: number, Count: int64(len(times)), Mean: mean, Deviation: math.Sqrt(squares / float64(len(times))),
		P95: stats.Quantile(times, 0.95), P99: stats.Quantile(times, 0.99), Max: times[len(times)-1],
	}
	for _, share := range result.InstanceShares() {
		s.Times = append(s.Times, stats.Quantile(times, share))
	}
	return s
}
