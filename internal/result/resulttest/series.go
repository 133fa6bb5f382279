package resulttest

import (
	"plimsoll/internal/result"
)

// series makes up the telemetry of the trial: a value a second, from the
// common start, growing over the warm-up.
func (s *trialMaker) series() []result.Series {
	var all []result.Series
	times := s.times()
	add := func(kind, name, metric, unit string, level float64) {
		all = append(all, result.Series{
			Kind: kind, Name: name, Metric: metric, Unit: unit,
			Start: s.start.UnixMilli(), Times: times, Values: s.values(level, len(times)),
		})
	}
	s.machineSeries(add)
	s.deviceSeries(add)
	for i := range s.planned.Rung {
		s.instanceSeries(add, i)
	}
	s.operationSeries(add)
	return all
}

func (s *trialMaker) times() []int64 {
	times := make([]int64, s.seconds+int(warmup.Seconds()))
	for i := range times {
		times[i] = int64(i+1) * 1000
	}
	return times
}

func (s *trialMaker) values(level float64, n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = level * s.noise(0.05) * min(1, 0.5+float64(i)/20)
	}
	return values
}

type adder func(kind, name, metric, unit string, level float64)

func (s *trialMaker) machineSeries(add adder) {
	add("cpu", "", "utilisation", "1", s.cpu)
	add("cpu", "", "busy", "cores", s.cpu*cores)
	add("cpu", "", "user", "1", s.cpu*0.7)
	add("cpu", "", "system", "1", s.cpu*0.25)
	add("cpu", "", "softirq", "1", s.cpu*0.05)
	add("cpu", "", "iowait", "1", (1-s.cpu)*s.disk)
	add("cpu", "", "steal", "1", 0)
	add("cpu", "", "core_max", "1", min(s.cpu*1.2, 1))
	add("machine", "", "run_queue", "1", 1+s.cpu*cores)
	add("machine", "", "blocked", "1", s.queue)
	add("machine", "", "context_switches", "1/s", s.throughput*40)
	add("machine", "", "memory_used", "B", s.memoryUsed())
	add("machine", "", "memory_utilisation", "1", s.memoryUsed()/memory)
	add("machine", "", "memory_dirty", "B", s.throughput*1e5)
	add("network", "lo", "receive_bytes", "B/s", s.throughput*20000)
	add("network", "lo", "send_bytes", "B/s", s.throughput*20000)
	for _, resource := range []string{"cpu", "io", "memory"} {
		add("pressure", resource, "some", "1", 0.3*s.cpu)
		add("pressure", resource, "full", "1", 0.05*s.cpu)
	}
	add("driver", "driver-0", "cpu", "cores", 0.0003*s.throughput)
	add("driver", "driver-0", "busy", "cores", 0.0003*s.throughput)
	add("driver", "driver-0", "late", "s", 0.0005)
	add("driver", "driver-0", "users", "1", float64(s.planned.Rung*usersPerInstance))
	add("self", "", "cpu", "cores", 0.01)
}

func (s *trialMaker) memoryUsed() float64 { return min(float64(s.planned.Rung)*(300<<20), memory*0.9) }

func (s *trialMaker) deviceSeries(add adder) {
	device := func(metric, unit string, level float64) { add("device", s.device, metric, unit, level) }
	device("utilisation", "1", s.disk)
	device("queue", "1", s.queue)
	device("reads", "IO/s", s.throughput*0.5)
	device("writes", "IO/s", s.throughput*4)
	device("flushes", "IO/s", s.throughput)
	device("read_merges", "IO/s", 0)
	device("write_merges", "IO/s", s.throughput*2)
	device("read_bytes", "B/s", s.throughput*4096)
	device("write_bytes", "B/s", s.throughput*40000)
	device("write_await", "s", s.queue/max(s.throughput*5, 1e-9))
}

func (s *trialMaker) instanceSeries(add adder, number int) {
	rung := float64(s.planned.Rung)
	instance := func(metric, unit string, level float64) {
		add("instance", result.InstanceName(number), metric, unit, level)
	}
	instance("cpu", "cores", s.cpu*cores*0.9/rung)
	instance("throttled", "1", 0)
	instance("memory", "B", 300<<20)
	instance("rss", "B", 120<<20)
	instance("read_bytes", "B/s", s.throughput*4096/rung)
	instance("write_bytes", "B/s", s.throughput*40000/rung)
	instance("processes", "1", 15)
	instance("units", "1/s", s.throughput/rung)
}

func (s *trialMaker) operationSeries(add adder) {
	for i, name := range s.profile.Operations {
		operation := func(metric, unit string, level float64) { add("operation", name, metric, unit, level) }
		response := s.response * shares[i]
		operation("count", "1/s", s.throughput)
		operation("rolled_back", "1/s", s.throughput/50)
		operation("errors", "1/s", 0)
		operation("mean", "s", response)
		operation("p50", "s", response*0.88)
		operation("p95", "s", response*2.0)
		operation("p99", "s", response*2.8)
	}
}
