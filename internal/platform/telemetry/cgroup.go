package telemetry

import (
	"math"
	"path/filepath"
)

// cgroup reads what the kernel accounts for a group of processes, version 1
// or 2 (kernel documentation, admin-guide/cgroup-v1 and cgroup-v2). Files that
// are not there are nil.
type cgroup struct {
	processes *file // cgroup.procs
	usage     *file // v1: nanoseconds of CPU
	userTime  *file // v1: ticks of CPU outside the kernel (cpuacct.usage_user is wrong before Linux 5.17)
	cpuStat   *file // throttling; in v2 also the CPU in microseconds
	memory    *file // bytes
	events    *file // processes that the kernel ended for want of memory, among others
}

// openCgroup looks for files in the directories of the controllers; "" is the key of v2.
func openCgroup(f *files, dirs map[string]string) cgroup {
	var c cgroup
	for controller, dir := range dirs {
		if dir == "" {
			continue
		}
		if path := filepath.Join(dir, "cgroup.procs"); c.processes == nil && readable(path) {
			c.processes = f.freshList(path)
		}
		for name, to := range map[string]**file{"cpuacct.usage": &c.usage, "cpuacct.stat": &c.userTime, "memory.usage_in_bytes": &c.memory, "memory.current": &c.memory, "memory.events": &c.events, "memory.oom_control": &c.events} {
			if path := filepath.Join(dir, name); *to == nil && readable(path) {
				*to = f.file(path)
			}
		}
		// Every v2 group has a cpu.stat; in v1 the one of cpu counts.
		if path := filepath.Join(dir, "cpu.stat"); (controller == "" || controller == "cpu") && c.cpuStat == nil && readable(path) {
			c.cpuStat = f.file(path)
		}
	}
	return c
}

func (c cgroup) close() {
	for _, f := range []*file{c.processes, c.usage, c.userTime, c.cpuStat, c.memory, c.events} {
		if f != nil {
			f.close()
		}
	}
}

// cpuUse is what a group used so far, NaN for what the kernel does not
// account.
type cpuUse struct {
	used, user, throttled float64 // seconds; user is the part of used outside the kernel
	// periods of its limit in which it had work, and the throttled ones among them
	periods, throttledPeriods float64
}

func (c cgroup) cpu() cpuUse {
	u := cpuUse{math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	if c.cpuStat != nil {
		text := c.cpuStat.read()
		u.used, u.user = keyed(text, "usage_usec ")/1e6, keyed(text, "user_usec ")/1e6
		u.throttled = keyed(text, "throttled_usec ") / 1e6
		if math.IsNaN(u.throttled) {
			u.throttled = keyed(text, "throttled_time ") / 1e9
		}
		u.periods, u.throttledPeriods = keyed(text, "nr_periods "), keyed(text, "nr_throttled ")
	}
	if c.usage != nil {
		u.used = single(c.usage) / 1e9
	}
	if c.userTime != nil {
		u.user = keyed(c.userTime.read(), "user ") / ticksPerSecond
	}
	return u
}

// oomKills counts the processes that the kernel ended for want of memory, NaN when it
// does not say.
func (c cgroup) oomKills() float64 {
	if c.events == nil {
		return math.NaN()
	}
	return keyed(c.events.read(), "oom_kill ")
}

// memoryUsed gives the bytes charged, NaN when they are not accounted.
func (c cgroup) memoryUsed() float64 {
	if c.memory == nil {
		return math.NaN()
	}
	return single(c.memory)
}
