package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plimsoll/bench/stand"
	"plimsoll/internal/result"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload/driver"
)

// spent is the resources that a load generator used, and its work.
type spent struct {
	cpu        float64 // s, user and system
	orders     int64   // of the measured phase, or transactions
	statements float64
	seconds    float64
	memory     []int64 // bytes by second of the measured phase
	p50, p95   float64 // ms that an order took
}

func (s spent) perThousand() float64  { return 1000 * s.cpu / float64(s.orders) }
func (s spent) perStatement() float64 { return 1e6 * s.cpu / s.statements }

// drive runs the driver and sums its records.
func drive(ctx context.Context, server *stand.Stand, job driver.Job) (s spent, err error) {
	_, err = server.Drive(ctx, job, func(r result.Record) error {
		return s.add(r)
	})
	return s, err
}

func (s *spent) add(r result.Record) error {
	if r.Kind == result.KindInstance {
		return s.times(r.Instance)
	}
	if r.Phase != result.Measure {
		return nil
	}
	switch r.Kind {
	case result.KindDriver:
		s.cpu += r.CPUUser + r.CPUSystem
		s.seconds++
		s.memory = append(s.memory, r.RSS)
	case result.KindOperation:
		if r.Operation == "order" {
			s.orders += r.Count + r.RolledBack
		}
	}
	return nil
}

func (s *spent) times(r *result.InstanceRecord) error {
	h, err := result.DecodeHistogram(r.Histogram)
	if err != nil {
		return err
	}
	s.p50, s.p95 = 1000*result.Quantile(h, 0.5), 1000*result.Quantile(h, 0.95)
	return nil
}

// measureMemory shows that memory does not grow with time.
func measureMemory(ctx context.Context, s settings, server *stand.Stand) error {
	s1, err := drive(ctx, server, driver.Job{
		Users: s.memoryUsers, ThinkTime: unit.Duration(5 * time.Second), RampRate: 100,
		Ramp:    unit.Duration(time.Duration(s.memoryUsers/100+1) * time.Second),
		Measure: unit.Duration(s.memoryDuration),
	})
	if err != nil {
		return err
	}
	if len(s1.memory) == 0 {
		return errors.New("the driver recorded no second of the measured phase")
	}
	fmt.Printf("memory with %d users, think time 5s: %.1f MB when all had connected, %.1f MB halfway, %.1f MB at the end (%v), %.2f cores\n",
		s.memoryUsers, megabytes(s1.memory[0]), megabytes(s1.memory[len(s1.memory)/2]), megabytes(s1.memory[len(s1.memory)-1]), s.memoryDuration, s1.cpu/s1.seconds)
	return nil
}

func megabytes(bytes int64) float64 { return float64(bytes) / 1e6 }
