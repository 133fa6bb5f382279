package telemetry

import "plimsoll/internal/describe"

// memoryMetrics are the quantities of a memorySource.
var memoryMetrics = []Metric{
	{describe.MachineKind, "memory_used", unitBytes, "memory in use that cannot be reclaimed without swapping: total - available (/proc/meminfo)"},
	{describe.MachineKind, "memory_utilisation", unitShare, "the same as a share of the total"},
	{describe.MachineKind, "memory_available", unitBytes, "memory available without swapping (MemAvailable)"},
	{describe.MachineKind, "memory_cached", unitBytes, "page cache (Cached + Buffers)"},
	{describe.MachineKind, "memory_dirty", unitBytes, "pages waiting to be written"},
	{describe.MachineKind, "memory_writeback", unitBytes, "pages being written"},
	{describe.MachineKind, "swap_used", unitBytes, "swap in use"},
}

// memorySource samples /proc/meminfo.
type memorySource struct {
	file                                                 *file
	used, utilisation, available, cached, dirty, writing *column
	swap                                                 *column
}

func newMemorySource(b *book, f *files) source {
	c := func(metric string) *column { return b.column(describe.MachineKind, "", metric) }
	return &memorySource{
		file: f.file("/proc/meminfo"),
		used: c("memory_used"), utilisation: c("memory_utilisation"), available: c("memory_available"),
		cached: c("memory_cached"), dirty: c("memory_dirty"), writing: c("memory_writeback"),
		swap: c("swap_used"),
	}
}

func (s *memorySource) close() { s.file.close() }

func (s *memorySource) sample(float64) {
	text := s.file.read()
	kib := func(key string) float64 { return keyed(text, key) * 1024 }
	total, available := kib("MemTotal:"), kib("MemAvailable:")
	s.used.add(total - available)
	s.utilisation.add((total - available) / total)
	s.available.add(available)
	s.cached.add(kib("Cached:") + kib("Buffers:"))
	s.dirty.add(kib("Dirty:"))
	s.writing.add(kib("Writeback:"))
	s.swap.add(kib("SwapTotal:") - kib("SwapFree:"))
}
