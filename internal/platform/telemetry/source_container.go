package telemetry

import (
	"math"
	"os"
	"path/filepath"

	"plimsoll/internal/describe"
)

// containerMetrics are the quantities of a containerSource.
var containerMetrics = []Metric{
	{describe.ContainerKind, "cpu", unitCores, "CPU used by the control group that Plimsoll runs in, or one above it, where that has a CPU quota; where no cgroup counts it, that of Plimsoll and all that it started"},
	{describe.ContainerKind, "cpu_limit", unitCores, "that quota: what it may use in each period"},
	{describe.ContainerKind, "cpu_utilisation", unitShare, "cpu as a share of the quota"},
	{describe.ContainerKind, "throttled", unitShare, "seconds per second, over all cores, throttled by the quota (cgroup cpu.stat)"},
	{describe.ContainerKind, "periods", unitPerSec, "periods of the quota in which the group had work (nr_periods)"},
	{describe.ContainerKind, "throttled_periods", unitShare, "share of them in which it was throttled (nr_throttled)"},
	{describe.ContainerKind, "memory", unitBytes, "memory charged to such a group with a memory limit, without the page cache that can be given back"},
	{describe.ContainerKind, "memory_limit", unitBytes, "that limit"},
	{describe.ContainerKind, "memory_utilisation", unitShare, "memory as a share of the limit"},
	{describe.ContainerKind, "oom_kills", unitPerSec, "processes that the kernel ended because of it (memory.events, memory.oom_control)"},
	{describe.ContainerKind, "tasks", unitShare, "processes and threads of such a group with a limit of them (pids.current)"},
	{describe.ContainerKind, "tasks_limit", unitShare, "that limit (pids.max)"},
}

// Container is a control group that the whole run is in, with the limits that it
// sets over everything of the run.
type Container struct {
	Name   string  // the group's path: "/docker/4f2"; "/" is all that can be seen
	CPU    float64 // quota in cores, 0 for none
	Memory float64 // limit in bytes, 0 for none
	Tasks  float64 // limit of processes and threads, 0 for none
	// Cgroups maps a controller (or "" for v2) to the directory that counts it.
	Cgroups map[string]string
}

// containerSource samples such a group's use of its limits. Version 1 may count CPU time in
// a different group from the one that limits it; then the CPU time of the processes in the
// group and below it is summed.
type containerSource struct {
	limits Container
	cgroup cgroup
	family family

	memoryStat, tasks *file // nil where there is none

	used, throttledTime, periods, throttledIn, kills                      counter
	cpu, cpuLimit, cpuUtilisation, throttled, throttledPeriods, periodsIn *column
	memory, memoryLimit, memoryUtilisation, oomKills                      *column
	processes, processesLimit                                             *column
}

func newContainerSource(b *book, f *files, limits Container) source {
	c := func(metric string) *column { return b.column(describe.ContainerKind, limits.Name, metric) }
	return &containerSource{
		limits: limits, cgroup: openCgroup(f, limits.Cgroups),
		family:     family{files: f},
		memoryStat: oneOf(f, limits.Cgroups, "memory.stat"),
		tasks:      oneOf(f, limits.Cgroups, "pids.current"),
		cpu:        c("cpu"), cpuLimit: c("cpu_limit"), cpuUtilisation: c("cpu_utilisation"), throttled: c("throttled"),
		throttledPeriods: c("throttled_periods"), periodsIn: c("periods"),
		memory: c("memory"), memoryLimit: c("memory_limit"), memoryUtilisation: c("memory_utilisation"), oomKills: c("oom_kills"),
		processes: c("tasks"), processesLimit: c("tasks_limit"),
	}
}

// oneOf opens the first file of a name that is there.
func oneOf(f *files, dirs map[string]string, names ...string) *file {
	for _, dir := range dirs {
		for _, name := range names {
			if path := filepath.Join(dir, name); readable(path) {
				return f.file(path)
			}
		}
	}
	return nil
}

func (s *containerSource) close() {
	s.cgroup.close()
	s.family.close()
	for _, f := range []*file{s.memoryStat, s.tasks} {
		if f != nil {
			f.close()
		}
	}
}

func (s *containerSource) sample(elapsed float64) {
	if s.limits.CPU > 0 {
		s.sampleCPU(elapsed)
	}
	if s.limits.Memory > 0 {
		s.sampleMemory(elapsed)
	}
	if s.limits.Tasks > 0 && s.tasks != nil {
		s.processes.add(single(s.tasks))
		s.processesLimit.add(s.limits.Tasks)
	}
}

func (s *containerSource) sampleCPU(elapsed float64) {
	use := s.cgroup.cpu()
	if math.IsNaN(use.used) {
		s.family.set(processesBelow(s.limits.Cgroups["cpu"]))
		use.used = s.family.total(cpuOf)[cpuAll]
	}
	cores := s.used.since(use.used) / elapsed
	s.cpu.add(cores)
	s.cpuLimit.add(s.limits.CPU)
	s.cpuUtilisation.add(cores / s.limits.CPU)
	s.throttled.add(s.throttledTime.since(use.throttled) / elapsed)
	held, all := s.throttledIn.since(use.throttledPeriods), s.periods.since(use.periods)
	s.periodsIn.add(all / elapsed)
	if all > 0 {
		held /= all
	}
	s.throttledPeriods.add(held)
}

// processesBelow are the processes of a group and of the groups below it. Groups that
// disappear meanwhile have none.
func processesBelow(dir string) (pids []int) {
	text, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	if err != nil {
		return nil
	}
	pids = pidsIn(text)
	below, err := os.ReadDir(dir)
	if err != nil {
		return pids
	}
	for _, e := range below {
		if e.IsDir() {
			pids = append(pids, processesBelow(filepath.Join(dir, e.Name()))...)
		}
	}
	return pids
}

// sampleMemory leaves out the page cache that the kernel gives back before it
// ends anybody: with it a group that reads files is always full.
func (s *containerSource) sampleMemory(elapsed float64) {
	used := s.cgroup.memoryUsed()
	if s.memoryStat != nil {
		used -= reclaimable(s.memoryStat.read())
	}
	s.memory.add(used)
	s.memoryLimit.add(s.limits.Memory)
	s.memoryUtilisation.add(used / s.limits.Memory)
	s.oomKills.add(s.kills.since(s.cgroup.oomKills()) / elapsed)
}

// reclaimable is the page cache in memory.stat; in version 1, total_* includes the groups
// below.
func reclaimable(stat []byte) float64 {
	for _, prefix := range []string{"total_", ""} {
		if inactive := keyed(stat, prefix+"inactive_file "); !math.IsNaN(inactive) {
			return inactive + keyed(stat, prefix+"active_file ")
		}
	}
	return 0
}
