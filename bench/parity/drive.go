package main

import (
	"context"
	"encoding/json"
	"time"

	"plimsoll/bench/stand"
	"plimsoll/internal/result"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload/driver"
	"plimsoll/internal/workload/oltp"
)

// driven runs one turn of the driver. Times and throughput cover the measured phase; CPU and
// statements cover the whole process.
func driven(ctx context.Context, server *stand.Stand, p *oltp.Parameters, users int, length time.Duration) (s sample, err error) {
	parameters, err := json.Marshal(p)
	if err != nil {
		return s, err
	}
	statements := int64(0)
	job := driver.Job{Parameters: parameters, Users: users, Warmup: unit.Duration(warmup), Measure: unit.Duration(length)}
	cpu, err := server.Drive(ctx, job, func(r result.Record) error {
		switch {
		case r.Kind == result.KindInstance:
			return s.times(r.Instance, length)
		case r.Kind == result.KindOperation && r.Operation != "transaction" && r.Operation != "statement":
			statements += r.Count
		}
		return nil
	})
	s.cpu = cpu.Seconds() / float64(statements)
	return s, err
}

func (s *sample) times(r *result.InstanceRecord, length time.Duration) error {
	h, err := result.DecodeHistogram(r.Histogram)
	if err != nil {
		return err
	}
	s.throughput = float64(r.Count) / length.Seconds()
	s.p50, s.p95, s.p99 = result.Quantile(h, 0.5), result.Quantile(h, 0.95), result.Quantile(h, 0.99)
	return nil
}
