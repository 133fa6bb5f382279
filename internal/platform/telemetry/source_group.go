package telemetry

import (
	"maps"
	"math"

	"plimsoll/internal/describe"
)

// instanceMetrics are the quantities of a groupSource of an instance.
var instanceMetrics = []Metric{
	{describe.InstanceKind, "cpu", unitCores, "CPU of the instance's processes, from its cgroup or summed over them with the children that ended"},
	{describe.InstanceKind, "cpu_user", unitCores, "the part of cpu that was outside the kernel"},
	{describe.InstanceKind, "throttled", unitShare, "seconds per second, over all cores, throttled by its CPU limit (cgroup cpu.stat)"},
	{describe.InstanceKind, "throttled_periods", unitShare, "share of CPU limit periods in which it was throttled"},
	{describe.InstanceKind, "memory", unitBytes, "memory charged to its cgroup, page cache included; without a cgroup as rss"},
	{describe.InstanceKind, "rss", unitBytes, "memory of its processes: what each has alone plus the largest shared part"},
	{describe.InstanceKind, "read_bytes", unitByteps, "bytes its processes caused to be read from devices (/proc/PID/io)"},
	{describe.InstanceKind, "write_bytes", unitByteps, "bytes its processes caused to be written to devices"},
	{describe.InstanceKind, "read_calls", unitPerSec, "read(2) and the like that its processes called, on sockets and pipes too; not asynchronous I/O and mapped files"},
	{describe.InstanceKind, "write_calls", unitPerSec, "the same of write(2)"},
	{describe.InstanceKind, "read_by_calls", unitByteps, "bytes that these read"},
	{describe.InstanceKind, "written_by_calls", unitByteps, "bytes that these wrote"},
	{describe.InstanceKind, "processes", unitShare, "number of its processes"},
	{describe.InstanceKind, "oom_kills", unitPerSec, "processes of its control group that the kernel ended for want of memory (memory.events, memory.oom_control)"},
}

// driverMetrics are the quantities of a groupSource of a driver.
var driverMetrics = append([]Metric{
	{describe.DriverKind, "cpu", unitCores, "CPU of the driver's process, seen from outside"},
	{describe.DriverKind, "blocked", unitShare, "its threads that wait for a device (state D)"},
}, asOfInstances(describe.DriverKind)...)

// movedMetrics are the quantities of /proc/PID/io, in the order of its amounts.
var movedMetrics = [len(amounts{})]string{
	ioReadByCalls: "read_by_calls", ioWrittenByCalls: "written_by_calls", ioReadCalls: "read_calls", ioWriteCalls: "write_calls",
	ioRead: "read_bytes", ioWritten: "write_bytes",
}

// asOfInstances are the quantities that groups of another kind have in common with instances.
func asOfInstances(kind string) (all []Metric) {
	for _, m := range instanceMetrics {
		if m.Name != "cpu" {
			all = append(all, Metric{kind, m.Name, m.Unit, "as of an instance"})
		}
	}
	return all
}

// groupSource samples one instance, driver or storage server.
type groupSource struct {
	family   family
	cgroup   cgroup
	dirs     map[string]string
	cpuLimit float64
	gauge    *gaugeSource // nil without a gauge
	time     *timeSource
	outside  bool // its processes cannot be seen from here

	used, user, throttledTime, periods, throttledIn, kills counter
	movedBefore                                            [len(amounts{})]counter

	cpu, cpuUser, throttled, throttledPeriods, memory, rss, processes, oomKills *column
	moved                                                                       [len(amounts{})]*column // as /proc/PID/io has them
	blocked                                                                     *column                 // of storage servers and drivers
	limit, utilisation                                                          *column                 // of storage servers
}

func newGroupSource(b *book, f *files, kind string, w Watched) *groupSource {
	c := func(metric string) *column { return b.column(kind, w.Name, metric) }
	g := &groupSource{
		dirs: w.Cgroups, cgroup: openCgroup(f, w.Cgroups),
		cpu: c("cpu"), cpuUser: c("cpu_user"), throttled: c("throttled"), throttledPeriods: c("throttled_periods"), memory: c("memory"),
		rss: c("rss"), processes: c("processes"), oomKills: c("oom_kills"),
	}
	for i, metric := range movedMetrics {
		g.moved[i] = c(metric)
	}
	g.family = family{files: f, roots: w.PIDs, processes: g.cgroup.processes}
	if kind == describe.NodeKind || kind == describe.DriverKind {
		g.blocked = c("blocked")
	}
	if kind == describe.NodeKind {
		g.limit, g.utilisation = c("cpu_limit"), c("cpu_utilisation")
	}
	if w.Gauge != nil {
		g.gauge = newGaugeSource(b, f, w.Name, *w.Gauge)
	}
	g.time = newTimeSource(b, f, w)
	g.outside = w.PIDs == nil && len(w.Cgroups) == 0 && (w.Sessions != nil || w.Gauge != nil)
	return g
}

func (g *groupSource) close() {
	g.family.close()
	g.cgroup.close()
	g.time.close()
	if g.gauge != nil {
		g.gauge.close()
	}
}

func (g *groupSource) sample(elapsed float64) {
	if g.outside {
		nan := math.NaN()
		g.time.sample(elapsed, threadStates{}, nan, nan)
		if g.gauge != nil {
			g.gauge.sample()
		}
		return
	}
	g.family.refresh()
	g.sampleCPU(elapsed)
	g.sampleIO(elapsed)
	g.sampleMemory()
	g.oomKills.add(g.kills.since(g.cgroup.oomKills()) / elapsed)
	g.processes.add(float64(len(g.family.members)))
	if g.gauge != nil {
		g.gauge.sample()
	}
}

func (g *groupSource) sampleCPU(elapsed float64) {
	use := g.cgroup.cpu()
	if math.IsNaN(use.used) || math.IsNaN(use.user) {
		sum := g.family.total(cpuOf)
		use.used, use.user = known(use.used, sum[cpuAll]), known(use.user, sum[cpuUser])
	}
	cores, throttled := g.used.since(use.used)/elapsed, g.throttledTime.since(use.throttled)/elapsed
	g.cpu.add(cores)
	g.cpuUser.add(g.user.since(use.user) / elapsed)
	g.throttled.add(throttled)
	g.addThrottledPeriods(use)
	states := g.states()
	if g.blocked != nil {
		g.blocked.add(float64(states.blocked))
	}
	g.time.sample(elapsed, states, cores, throttled)
	if g.limit != nil {
		g.addLimit(cores)
	}
}

// addThrottledPeriods adds the share of periods; a group without a limit has
// had none, and no share.
func (g *groupSource) addThrottledPeriods(use cpuUse) {
	held, all := g.throttledIn.since(use.throttledPeriods), g.periods.since(use.periods)
	switch {
	case use.periods == 0:
		held = math.NaN()
	case all > 0:
		held /= all
	}
	g.throttledPeriods.add(held)
}

// Amounts of /proc/PID/stat.
const (
	cpuAll  = iota // seconds of CPU
	cpuUser        // those outside the kernel
)

func cpuOf(p *process) (a amounts, there bool) {
	a[cpuAll], a[cpuUser], there = parseCPU(p.stat.read())
	return a, there
}

// known is a figure or, where that is NaN, another.
func known(figure, other float64) float64 {
	if math.IsNaN(figure) {
		return other
	}
	return figure
}

// states looks at the threads of the group. Where the server lists its sessions, only threads that
// work for sessions count, as far as they are known, and states are not read, which would cost more.
func (g *groupSource) states() (s threadStates) {
	only := g.time.workers()
	s.chosen = len(only) > 0
	for _, p := range g.family.members {
		p.addStates(g.family.files, &s, only, g.blocked != nil || g.time.sessions == nil)
	}
	return s
}

func (g *groupSource) addLimit(cores float64) {
	if g.cpuLimit > 0 {
		g.limit.add(g.cpuLimit)
		g.utilisation.add(cores / g.cpuLimit)
	}
}

func (g *groupSource) sampleIO(elapsed float64) {
	for i, sum := range g.family.total((*process).moved) {
		g.moved[i].add(g.movedBefore[i].since(sum) / elapsed)
	}
}

// sampleMemory counts shared memory once, as large as the largest part that
// any process shares: exact for a database whose processes share one segment,
// and cheap, where the kernel's own proportional count is dear.
func (g *groupSource) sampleMemory() {
	own, shared := 0.0, 0.0
	for _, p := range g.family.members {
		o, s := p.memory()
		own += o
		shared = max(shared, s)
	}
	rss := own + shared
	if len(g.family.members) == 0 {
		rss = math.NaN()
	}
	g.rss.add(rss)
	charged := g.cgroup.memoryUsed()
	if math.IsNaN(charged) {
		charged = rss
	}
	g.memory.add(charged)
}

// groupsSource follows a list of groups that may change while it samples.
type groupsSource struct {
	book   *book
	files  *files
	kind   string
	list   func() []Watched
	groups map[string]*groupSource
}

func newGroupsSource(b *book, f *files, kind string, list func() []Watched) source {
	return &groupsSource{book: b, files: f, kind: kind, list: list, groups: map[string]*groupSource{}}
}

func (s *groupsSource) close() {
	for _, g := range s.groups {
		g.close()
	}
}

func (s *groupsSource) sample(elapsed float64) {
	gone := maps.Clone(s.groups)
	for _, w := range s.list() {
		delete(gone, w.Name)
		g, ok := s.groups[w.Name]
		if !ok || !maps.Equal(g.dirs, w.Cgroups) {
			if ok {
				g.close()
			}
			g = newGroupSource(s.book, s.files, s.kind, w)
			s.groups[w.Name] = g
		}
		g.family.roots = w.PIDs
		if g.gauge != nil && w.Gauge != nil {
			g.gauge.gauge = *w.Gauge // the process may have been replaced
		}
		g.sample(elapsed)
		g.time.follow(w, g.family.members, len(s.groups))
	}
	for name, g := range gone {
		g.close()
		delete(s.groups, name)
	}
}
