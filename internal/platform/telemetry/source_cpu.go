package telemetry

import (
	"bytes"
	"math"
	"math/bits"
	"os"

	"golang.org/x/sys/unix"

	"plimsoll/internal/describe"
)

// cpuMetrics are the quantities of a cpuSource.
var cpuMetrics = []Metric{
	{describe.CPUKind, "utilisation", unitShare, "share of all cores that was busy: 1 - idle - iowait (/proc/stat)"},
	{describe.CPUKind, "busy", unitCores, "the same in cores"},
	{describe.CPUKind, "core_max", unitShare, "the busiest single core: near 1, one thread may be the limit"},
	{describe.CPUKind, "user", unitShare, "share of all cores in user code, guests included"},
	{describe.CPUKind, "nice", unitShare, "share in user code of lowered priority"},
	{describe.CPUKind, "system", unitShare, "share in the kernel"},
	{describe.CPUKind, "iowait", unitShare, "share idle while a request to a device was under way"},
	{describe.CPUKind, "irq", unitShare, "share in interrupts"},
	{describe.CPUKind, "softirq", unitShare, "share in deferred interrupts, mostly network and block completion"},
	{describe.CPUKind, "steal", unitShare, "share taken by the hypervisor for other guests"},
	{describe.CPUKind, "idle", unitShare, "share idle with no I/O pending"},
	{describe.CPUKind, "user_cores", unitCores, "user in cores"},
	{describe.CPUKind, "nice_cores", unitCores, "nice in cores"},
	{describe.CPUKind, "system_cores", unitCores, "system in cores"},
	{describe.CPUKind, "iowait_cores", unitCores, "iowait in cores"},
	{describe.CPUKind, "irq_cores", unitCores, "irq in cores"},
	{describe.CPUKind, "softirq_cores", unitCores, "softirq in cores"},
	{describe.CPUKind, "steal_cores", unitCores, "steal in cores"},
	{describe.CPUKind, "idle_cores", unitCores, "idle in cores"},
	{describe.MachineKind, "run_queue", unitShare, "threads running or ready to run at the moment of the sample (/proc/stat procs_running)"},
	{describe.MachineKind, "blocked", unitShare, "threads waiting for a device at that moment (procs_blocked)"},
	{describe.MachineKind, "context_switches", unitPerSec, "context switches"},
	{describe.MachineKind, "forks", unitPerSec, "processes and threads started"},
}

// cpuModes are the columns of a cpu line of /proc/stat that are sampled, in
// their order there. The guest columns that follow are part of user and nice.
var cpuModes = [...]string{"user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"}

const (
	modeIdle   = 3
	modeIOWait = 4
)

// cpuSource samples /proc/stat: the CPUs that this process may use, and with it all
// that it starts. A cpuset or an affinity leaves the others to other programs.
type cpuSource struct {
	file *file
	// allowed are the numbers of those CPUs; nil is all.
	allowed map[uint64]bool

	before  [len(cpuModes)]uint64
	started bool
	cores   []coreTicks

	share, inCores             [len(cpuModes)]*column
	utilisation, busy, coreMax *column
	running, blocked           *column
	switches, forks            *column
	switchCount, forkCount     counter
}

type coreTicks struct{ idle, total uint64 }

func newCPUSource(b *book, f *files) source {
	s := &cpuSource{file: f.file("/proc/stat"), allowed: allowedCPUs()}
	for i, mode := range cpuModes {
		s.share[i] = b.column(describe.CPUKind, "", mode)
		s.inCores[i] = b.column(describe.CPUKind, "", mode+"_cores")
	}
	s.utilisation = b.column(describe.CPUKind, "", "utilisation")
	s.busy = b.column(describe.CPUKind, "", "busy")
	s.coreMax = b.column(describe.CPUKind, "", "core_max")
	s.running = b.column(describe.MachineKind, "", "run_queue")
	s.blocked = b.column(describe.MachineKind, "", "blocked")
	s.switches = b.column(describe.MachineKind, "", "context_switches")
	s.forks = b.column(describe.MachineKind, "", "forks")
	return s
}

func (s *cpuSource) close() { s.file.close() }

func (s *cpuSource) sample(elapsed float64) {
	text := s.file.read()
	var all [len(cpuModes)]uint64
	cores, busiest := 0, math.NaN()
	for len(text) > 0 {
		var l []byte
		l, text = line(text)
		switch {
		case bytes.HasPrefix(l, []byte("cpu ")): // the sum of all cores
		case bytes.HasPrefix(l, []byte("cpu")):
			id, l, _ := number(l[3:])
			if s.allowed != nil && !s.allowed[id] {
				continue
			}
			busiest = maxKnown(busiest, s.core(cores, l, &all))
			cores++
		case bytes.HasPrefix(l, []byte("ctxt ")):
			s.switches.add(s.switchCount.since(first(l[5:])) / elapsed)
		case bytes.HasPrefix(l, []byte("processes ")):
			s.forks.add(s.forkCount.since(first(l[10:])) / elapsed)
		case bytes.HasPrefix(l, []byte("procs_running ")):
			s.running.add(first(l[14:]))
		case bytes.HasPrefix(l, []byte("procs_blocked ")):
			s.blocked.add(first(l[14:]))
		}
	}
	s.coreMax.add(busiest)
	s.machine(all, float64(cores))
}

// machine takes the ticks of all cores together.
func (s *cpuSource) machine(now [len(cpuModes)]uint64, cores float64) {
	var spent [len(cpuModes)]uint64
	total := uint64(0)
	for i := range now {
		// idle and iowait are known to run backwards now and then.
		if s.started && now[i] > s.before[i] {
			spent[i] = now[i] - s.before[i]
		}
		total += spent[i]
	}
	s.before, s.started = now, true
	share := func(ticks uint64) float64 { return float64(ticks) / float64(total) } // NaN for the first sample
	for i := range spent {
		s.share[i].add(share(spent[i]))
		s.inCores[i].add(share(spent[i]) * cores)
	}
	busy := share(total - spent[modeIdle] - spent[modeIOWait])
	s.utilisation.add(busy)
	s.busy.add(busy * cores)
}

// core gives the utilisation of one core since the previous sample, and adds its ticks to
// the sum of all cores.
func (s *cpuSource) core(i int, l []byte, all *[len(cpuModes)]uint64) float64 {
	var ticks [len(cpuModes)]uint64
	numbers(l, ticks[:])
	for mode, t := range ticks {
		all[mode] += t
	}
	now := coreTicks{idle: ticks[modeIdle] + ticks[modeIOWait]}
	for _, t := range ticks {
		now.total += t
	}
	if i >= len(s.cores) {
		s.cores = append(s.cores, now)
		return math.NaN()
	}
	before := s.cores[i]
	s.cores[i] = now
	total := float64(now.total) - float64(before.total)
	idle := float64(now.idle) - float64(before.idle)
	if total <= 0 {
		return math.NaN()
	}
	return min(max(1-idle/total, 0), 1)
}

// allowedCPUs are the CPUs that this process may use, nil if they are not known.
func allowedCPUs() map[uint64]bool {
	var set unix.CPUSet
	if unix.SchedGetaffinity(os.Getpid(), &set) != nil {
		return nil
	}
	allowed := map[uint64]bool{}
	for id := range len(set) * bits.UintSize {
		if set.IsSet(id) {
			allowed[uint64(id)] = true
		}
	}
	return allowed
}

func first(text []byte) float64 {
	if v, _, ok := number(text); ok {
		return float64(v)
	}
	return math.NaN()
}

func maxKnown(a, b float64) float64 {
	if math.IsNaN(a) || b > a {
		return b
	}
	return a
}
