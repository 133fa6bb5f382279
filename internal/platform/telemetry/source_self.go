package telemetry

import (
	"math"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/describe"
)

// selfMetrics are the quantities of a selfSource.
var selfMetrics = []Metric{
	{describe.SelfKind, "cpu", unitCores, "CPU of Plimsoll itself, without its drivers"},
	{describe.SelfKind, "cpu_user", unitCores, "the part of cpu that was outside the kernel"},
	{describe.SelfKind, "sampling_cpu", unitCores, "CPU of the sampler alone"},
	{describe.SelfKind, "sampling_time", unitSeconds, "how long taking the sample lasted"},
	{describe.SelfKind, "late", unitSeconds, "lateness of the sample"},
	{describe.SelfKind, "rss", unitBytes, "memory of Plimsoll itself"},
}

// selfSource says what Plimsoll itself and its sampler cost.
type selfSource struct {
	process *process
	late    time.Duration // set before each sample
	took    time.Duration

	whole, user, sampler                              counter
	cpu, cpuUser, samplingCPU, samplingTime, lateness *column
	rss                                               *column
}

func newSelfSource(b *book, f *files) *selfSource {
	c := func(metric string) *column { return b.column(describe.SelfKind, "", metric) }
	return &selfSource{
		process: newProcess(f, unix.Getpid()),
		cpu:     c("cpu"), cpuUser: c("cpu_user"), samplingCPU: c("sampling_cpu"), samplingTime: c("sampling_time"), lateness: c("late"), rss: c("rss"),
	}
}

func (s *selfSource) close() { s.process.close() }

func (s *selfSource) sample(elapsed float64) {
	all, user := cpuTime(unix.RUSAGE_SELF)
	s.cpu.add(s.whole.since(all) / elapsed)
	s.cpuUser.add(s.user.since(user) / elapsed)
	sampler, _ := cpuTime(unix.RUSAGE_THREAD)
	s.samplingCPU.add(s.sampler.since(sampler) / elapsed)
	s.samplingTime.add(s.took.Seconds())
	s.lateness.add(max(s.late.Seconds(), 0))
	own, shared := s.process.memory()
	s.rss.add(own + shared)
}

// cpuTime gives the CPU seconds of this process or thread so far, in all and outside the kernel.
func cpuTime(who int) (all, user float64) {
	var u unix.Rusage
	if unix.Getrusage(who, &u) != nil {
		return math.NaN(), math.NaN()
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds(), time.Duration(u.Utime.Nano()).Seconds()
}
