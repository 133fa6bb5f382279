package analysistest

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// Crowd describes made-up trials of instances, each with response times of its own.
type Crowd struct {
	Instances int
	Orders    int // of each
	// Carried is the correlation of an order's time with that of the order before,
	// in logarithms.
	Carried float64
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

// Trial makes the trial of a seed, of two minutes.
func (c Crowd) Trial(seed uint64) *result.Trial {
	random := rand.New(rand.NewPCG(seed, 0xc407d))
	begun := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	t := &result.Trial{
		ID: "made-up", Rung: c.Instances, Repetition: 1, Profile: Orders(), Servers: Database(), Status: result.Passed,
		Variant: study.Variant{Name: "made-up", Load: study.Load{Users: Users, ThinkTime: study.Duration(ThinkTime)}},
		Begun:   begun, Start: begun, MeasureStart: begun, MeasureEnd: begun.Add(Measure),
		Storage: describe.Storage{Class: "directory", Durable: true}, Audit: &result.AuditSummary{Passed: true},
	}
	var all []float64
	for i := range c.Instances {
		slower, orders := 1.0, c.Orders
		if i == c.Instances-1 && c.Slower > 0 {
			slower, orders = c.Slower, max(1, int(float64(c.Orders)/c.Slower))
		}
		times := make([]float64, orders)
		z := random.NormFloat64()
		for n := range times {
			times[n] = typical * slower * math.Exp(spread*z)
			z = c.Carried*z + math.Sqrt(1-c.Carried*c.Carried)*random.NormFloat64()
		}
		t.Instances = append(t.Instances, instanceOf(i, times))
		all = append(all, times...)
	}
	slices.Sort(all)
	o := result.OperationSummary{Count: int64(len(all)), Mean: stats.Mean(all)}
	o.P50, o.P90, o.P95, o.P99 = stats.Quantile(all, 0.5), stats.Quantile(all, 0.9), stats.Quantile(all, 0.95), stats.Quantile(all, 0.99)
	o.P999, o.Max = stats.Quantile(all, 0.999), all[len(all)-1]
	t.Operations = map[string]result.OperationSummary{"order": o}
	return t
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
		P95: stats.Quantile(times, 0.95), P99: stats.Quantile(times, 0.99),
	}
	for _, share := range result.InstanceShares() {
		s.Times = append(s.Times, stats.Quantile(times, share))
	}
	return s
}
