package telemetry

import (
	"path/filepath"
	"time"

	"plimsoll/internal/describe"
)

// clockMetrics are the quantities of a clockSource.
var clockMetrics = []Metric{
	{describe.MachineKind, "clock_offset", unitSeconds, "drift of the wall clock against the monotonic clock since the first sample: a jump is a clock step"},
	{describe.MachineKind, "thermal_throttles", unitPerSec, "times that the processor was throttled because of heat, where the kernel counts it"},
}

// clockSource shows steps of the wall clock, and how often the processor was
// slowed down because of heat.
type clockSource struct {
	first  time.Time
	offset *column

	throttles *file // nil where the kernel does not count them
	throttled counter
	rate      *column
}

func newClockSource(b *book, f *files) source {
	s := &clockSource{offset: b.column(describe.MachineKind, "", "clock_offset"), rate: b.column(describe.MachineKind, "", "thermal_throttles")}
	if path := filepath.Join("/sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count"); readable(path) {
		s.throttles = f.file(path)
	}
	return s
}

func (s *clockSource) close() {
	if s.throttles != nil {
		s.throttles.close()
	}
}

func (s *clockSource) sample(elapsed float64) {
	now := time.Now()
	if s.first.IsZero() {
		s.first = now
	}
	monotonic := now.Sub(s.first)
	wall := now.Round(0).Sub(s.first.Round(0)) // Round drops the monotonic reading
	s.offset.add((wall - monotonic).Seconds())
	if s.throttles != nil {
		s.rate.add(s.throttled.since(single(s.throttles)) / elapsed)
	}
}
