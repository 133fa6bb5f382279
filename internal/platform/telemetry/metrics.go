package telemetry

import (
	"cmp"
	"sync"

	"plimsoll/internal/describe"
)

// Kinds of series that the sampler makes. result.Collect adds kind
// "operation" and some of kinds "driver" and "instance" from the records of
// the drivers.
const (
	kindMachine  = "machine"
	kindCPU      = "cpu"
	kindPressure = "pressure"
	kindDevice   = "device"
	kindNetwork  = "network"
	kindInstance = "instance"
	kindDriver   = "driver"
	kindNode     = "node"
	// kindContainer is a control group that the whole run is in.
	kindContainer = "container"
	kindSelf      = "self"
	kindGauge     = "gauge"
	kindDaemon    = "daemon"
	// KindMetric is what an existing Prometheus measures, under a name of the
	// study's.
	KindMetric = "metric"
)

// Units of values. A rate is over the time since the sample before.
const (
	unitShare   = "1"     // 0..1; also plain counts
	unitSeconds = "s"     //
	unitBytes   = "B"     //
	unitByteps  = "B/s"   //
	unitIOps    = "IO/s"  // requests a second
	unitPerSec  = "1/s"   //
	unitCores   = "cores" // CPU seconds a second
)

// Metric describes one quantity.
type Metric struct {
	Kind string // as in result.Series
	Name string // result.Series.Metric
	Unit string
	Text string // its meaning and its source
}

// Metrics lists every quantity that a trial's telemetry can hold.
func Metrics() []Metric {
	return []Metric{
		{kindCPU, "utilisation", unitShare, "share of all cores that was busy: 1 - idle - iowait (/proc/stat)"},
		{kindCPU, "busy", unitCores, "the same in cores"},
		{kindCPU, "core_max", unitShare, "the busiest single core: near 1, one thread may be the limit"},
		{kindCPU, "user", unitShare, "share of all cores in user code, guests included"},
		{kindCPU, "nice", unitShare, "share in user code of lowered priority"},
		{kindCPU, "system", unitShare, "share in the kernel"},
		{kindCPU, "iowait", unitShare, "share idle while a request to a device was under way"},
		{kindCPU, "irq", unitShare, "share in interrupts"},
		{kindCPU, "softirq", unitShare, "share in deferred interrupts, mostly network and block completion"},
		{kindCPU, "steal", unitShare, "share taken by the hypervisor for other guests"},
		{kindCPU, "idle", unitShare, "share idle with no I/O pending"},
		{kindCPU, "user_cores", unitCores, "user in cores"},
		{kindCPU, "nice_cores", unitCores, "nice in cores"},
		{kindCPU, "system_cores", unitCores, "system in cores"},
		{kindCPU, "iowait_cores", unitCores, "iowait in cores"},
		{kindCPU, "irq_cores", unitCores, "irq in cores"},
		{kindCPU, "softirq_cores", unitCores, "softirq in cores"},
		{kindCPU, "steal_cores", unitCores, "steal in cores"},
		{kindCPU, "idle_cores", unitCores, "idle in cores"},

		{kindMachine, "run_queue", unitShare, "threads running or ready to run at the moment of the sample (/proc/stat procs_running)"},
		{kindMachine, "blocked", unitShare, "threads waiting for a device at that moment (procs_blocked)"},
		{kindMachine, "load", unitShare, "load average over one minute: threads running, ready to run or waiting for a device (/proc/loadavg)"},
		{kindMachine, "context_switches", unitPerSec, "context switches"},
		{kindMachine, "forks", unitPerSec, "processes and threads started"},
		{kindMachine, "memory_used", unitBytes, "memory in use that cannot be reclaimed without swapping: total - available (/proc/meminfo)"},
		{kindMachine, "memory_utilisation", unitShare, "the same as a share of the total"},
		{kindMachine, "memory_available", unitBytes, "memory available without swapping (MemAvailable)"},
		{kindMachine, "memory_cached", unitBytes, "page cache (Cached + Buffers)"},
		{kindMachine, "memory_dirty", unitBytes, "pages waiting to be written"},
		{kindMachine, "memory_writeback", unitBytes, "pages being written"},
		{kindMachine, "swap_used", unitBytes, "swap in use"},
		{kindMachine, "disk_used", unitBytes, "space used of the file system that a node's kubelet keeps its data on"},
		{kindMachine, "disk_utilisation", unitShare, "the same as a share of its size"},
		{kindMachine, "clock_offset", unitSeconds, "drift of the wall clock against the monotonic clock since the first sample: a jump is a clock step"},
		{kindMachine, "thermal_throttles", unitPerSec, "times that the processor was throttled because of heat, where the kernel counts it"},

		{kindPressure, "some", unitShare, "share of time in which some task waited for cpu, io or memory (/proc/pressure); that of a pod is named db-000/memory"},
		{kindPressure, "full", unitShare, "share of time in which all tasks waited at once"},

		{kindDevice, "reads", unitIOps, "read requests completed (/sys/class/block/*/stat)"},
		{kindDevice, "writes", unitIOps, "write requests completed"},
		{kindDevice, "flushes", unitIOps, "flush requests completed"},
		{kindDevice, "read_bytes", unitByteps, "bytes read"},
		{kindDevice, "write_bytes", unitByteps, "bytes written"},
		{kindDevice, "read_await", unitSeconds, "mean time of a read, waiting included; unknown without reads"},
		{kindDevice, "write_await", unitSeconds, "mean time of a write"},
		{kindDevice, "flush_await", unitSeconds, "mean time of a flush"},
		{kindDevice, "queue", unitShare, "mean number of requests waiting or in service"},
		{kindDevice, "utilisation", unitShare, "share of time with at least one request under way"},

		{kindNetwork, "receive_bytes", unitByteps, "bytes received (/proc/net/dev); interfaces of a storage server are named server/interface"},
		{kindNetwork, "send_bytes", unitByteps, "bytes sent"},
		{kindNetwork, "receive_packets", unitPerSec, "packets received"},
		{kindNetwork, "send_packets", unitPerSec, "packets sent"},
		{kindNetwork, "errors", unitPerSec, "packets that failed, both ways"},
		{kindNetwork, "drops", unitPerSec, "packets dropped, both ways"},
		{kindNetwork, "utilisation", unitShare, "the busier direction as a share of the link's speed, where the link is physical and says its speed"},

		{kindInstance, "cpu", unitCores, "CPU of the instance's processes, from its cgroup or summed over them with the children that ended"},
		{kindInstance, "cpu_limit", unitCores, "CPU limit of its container, on Kubernetes"},
		{kindInstance, "cpu_utilisation", unitShare, "cpu as a share of that limit"},
		{kindInstance, "throttled", unitShare, "seconds per second, over all cores, throttled by its CPU limit (cgroup cpu.stat)"},
		{kindInstance, "throttled_periods", unitShare, "share of CPU limit periods in which it was throttled"},
		{kindInstance, "memory", unitBytes, "memory charged to its cgroup, page cache included; without a cgroup as rss"},
		{kindInstance, "rss", unitBytes, "memory of its processes: what each has alone plus the largest shared part"},
		{kindInstance, "read_bytes", unitByteps, "bytes its processes caused to be read from devices (/proc/PID/io)"},
		{kindInstance, "write_bytes", unitByteps, "bytes its processes caused to be written to devices"},
		{kindInstance, "processes", unitShare, "number of its processes"},
		{kindInstance, "oom_kills", unitPerSec, "processes of its control group that the kernel ended for want of memory (memory.events, memory.oom_control)"},
		{kindInstance, "units", unitPerSec, "units of work that ended, as counted by the driver"},

		{kindGauge, "busy", unitShare, "how many of the things that requests occupy in a server are in use, as the server says itself: php-000/workers; an answer is that of a moment since the sample before"},
		{kindGauge, "capacity", unitShare, "how many of them there are"},
		{kindGauge, "waiting", unitShare, "requests that wait for one"},
		{kindGauge, "requests", unitPerSec, "requests that a server passed on to one behind it: balancer-000/gateway-1"},
		{kindGauge, "bytes", unitByteps, "bytes of these and of their answers"},

		{kindDaemon, "reads", unitPerSec, "reads of clients that a storage daemon has answered, as it says itself: osd.0; an answer is that of a moment since the sample before"},
		{kindDaemon, "writes", unitPerSec, "writes of clients that it has answered"},
		{kindDaemon, "replica_writes", unitPerSec, "writes that it has done for another daemon"},
		{kindDaemon, "read_latency", unitSeconds, "mean time of a read in it, waiting included; unknown without reads"},
		{kindDaemon, "write_latency", unitSeconds, "mean time of a write in it, with those of the other copies"},
		{kindDaemon, "replica_write_latency", unitSeconds, "mean time of a write for another daemon"},
		{kindDaemon, "queue", unitShare, "requests of clients in it at the moment of the answer"},
		{kindDaemon, "queue_latency", unitSeconds, "mean time that a request waited for one of its threads"},
		{kindDaemon, "commit_latency", unitSeconds, "mean time until a transaction of its store was on the medium"},
		{kindDaemon, "log_commit_latency", unitSeconds, "mean time in which its store's database was flushed"},
		{kindDaemon, "recoveries", unitPerSec, "objects whose copying to where they belong began"},
		{kindDaemon, "recovery_bytes", unitByteps, "bytes of that"},
		{kindDaemon, "scrubs", unitShare, "checks of its copies that it leads at that moment"},
		{kindDaemon, "degraded", unitShare, "objects of the cluster with fewer copies than there should be; only asked while not all is well"},
		{kindDaemon, "misplaced", unitShare, "objects of the cluster that lie elsewhere than they should"},
		{kindDaemon, "unclean", unitShare, "placement groups of the cluster that are not active and clean"},

		{KindMetric, "utilisation", unitShare, "value of a Prometheus query of the study as a share of the capacity that the study gives; the values themselves are under the query's name"},

		{describe.TimeKind, string(describe.Running), unitShare, "threads of a group that ran on a CPU, on average over the second; where a server lists its sessions, sessions at work"},
		{describe.TimeKind, string(describe.CPUWait), unitShare, "the same that were ready and waited for a CPU (/proc/PID/schedstat)"},
		{describe.TimeKind, string(describe.QuotaWait), unitShare, "the same that were held back by a CPU quota (schedstat and cpu.stat)"},
		{describe.TimeKind, string(describe.DeviceWait), unitShare, "the same that waited for a device or a file system (state D, or as the server lists them)"},
		{describe.TimeKind, string(describe.LockWait), unitShare, "sessions that waited for a lock"},
		{describe.TimeKind, string(describe.NetworkWait), unitShare, "sessions that waited for the network"},
		{describe.TimeKind, string(describe.PeerWait), unitShare, "sessions that waited for another server"},
		{describe.TimeKind, string(describe.OtherWait), unitShare, "sessions that waited for something that the server does not name"},
		{describe.TimeKind, describe.SessionsMetric, unitShare, "sessions at work: a client waits for them"},

		{describe.WaitKind, string(describe.DeviceWait), unitShare, "sessions by the name of what they waited for: db-000/WAL flush"},
		{describe.WaitKind, string(describe.LockWait), unitShare, "the same of locks"},
		{describe.WaitKind, string(describe.NetworkWait), unitShare, "the same of the network"},
		{describe.WaitKind, string(describe.PeerWait), unitShare, "the same of other servers"},
		{describe.WaitKind, string(describe.OtherWait), unitShare, "the same of anything else"},

		{kindDriver, "cpu", unitCores, "CPU of the driver's process, seen from outside"},
		{kindDriver, "cpu_limit", unitCores, "as of an instance"},
		{kindDriver, "cpu_utilisation", unitShare, "as of an instance"},
		{kindDriver, "throttled", unitShare, "as of an instance"},
		{kindDriver, "throttled_periods", unitShare, "as of an instance"},
		{kindDriver, "memory", unitBytes, "as of an instance"},
		{kindDriver, "rss", unitBytes, "as of an instance"},
		{kindDriver, "read_bytes", unitByteps, "as of an instance"},
		{kindDriver, "write_bytes", unitByteps, "as of an instance"},
		{kindDriver, "processes", unitShare, "as of an instance"},
		{kindDriver, "oom_kills", unitPerSec, "as of an instance"},
		{kindDriver, "blocked", unitShare, "its threads that wait for a device (state D)"},
		{kindDriver, "busy", unitCores, "CPU of the driver, as measured by itself"},
		{kindDriver, "late", unitSeconds, "maximum lateness of a user waking up"},
		{kindDriver, "late_mean", unitSeconds, "mean lateness of a user waking up"},
		{kindDriver, "users", unitShare, "users connected"},
		{kindDriver, "backlog", unitShare, "open loop: units of work intended and not yet begun"},

		{kindNode, "cpu", unitCores, "CPU of a storage server's daemons"},
		{kindNode, "cpu_limit", unitCores, "its limit, where it has one"},
		{kindNode, "cpu_utilisation", unitShare, "cpu as a share of the limit"},
		{kindNode, "throttled", unitShare, "as of an instance"},
		{kindNode, "throttled_periods", unitShare, "as of an instance"},
		{kindNode, "memory", unitBytes, "as of an instance"},
		{kindNode, "rss", unitBytes, "as of an instance"},
		{kindNode, "read_bytes", unitByteps, "as of an instance"},
		{kindNode, "write_bytes", unitByteps, "as of an instance"},
		{kindNode, "processes", unitShare, "as of an instance"},
		{kindNode, "oom_kills", unitPerSec, "as of an instance"},
		{kindNode, "blocked", unitShare, "its threads that wait for a device (state D)"},

		{kindContainer, "cpu", unitCores, "CPU used by the control group that Plimsoll runs in, or one above it, where that has a CPU quota; where no cgroup counts it, that of Plimsoll and all that it started"},
		{kindContainer, "cpu_limit", unitCores, "that quota: what it may use in each period"},
		{kindContainer, "cpu_utilisation", unitShare, "cpu as a share of the quota"},
		{kindContainer, "throttled", unitShare, "seconds per second, over all cores, throttled by the quota (cgroup cpu.stat)"},
		{kindContainer, "periods", unitPerSec, "periods of the quota in which the group had work (nr_periods)"},
		{kindContainer, "throttled_periods", unitShare, "share of them in which it was throttled (nr_throttled)"},
		{kindContainer, "memory", unitBytes, "memory charged to such a group with a memory limit, without the page cache that can be given back"},
		{kindContainer, "memory_limit", unitBytes, "that limit"},
		{kindContainer, "memory_utilisation", unitShare, "memory as a share of the limit"},
		{kindContainer, "oom_kills", unitPerSec, "processes that the kernel ended because of it (memory.events, memory.oom_control)"},
		{kindContainer, "tasks", unitShare, "processes and threads of such a group with a limit of them (pids.current)"},
		{kindContainer, "tasks_limit", unitShare, "that limit (pids.max)"},

		{kindSelf, "cpu", unitCores, "CPU of Plimsoll itself, without its drivers"},
		{kindSelf, "sampling_cpu", unitCores, "CPU of the sampler alone"},
		{kindSelf, "sampling_time", unitSeconds, "how long taking the sample lasted"},
		{kindSelf, "late", unitSeconds, "lateness of the sample"},
		{kindSelf, "rss", unitBytes, "memory of Plimsoll itself"},

		{"operation", "count", unitPerSec, "operations done; this and those below come from the records of the drivers"},
		{"operation", "rolled_back", unitPerSec, "operations that the application rolled back"},
		{"operation", "errors", unitPerSec, "operations that failed"},
		{"operation", "mean", unitSeconds, "mean response time in that second; unknown if no operation ended"},
		{"operation", "p50", unitSeconds, "its median"},
		{"operation", "p95", unitSeconds, "its 95th percentile"},
		{"operation", "p99", unitSeconds, "its 99th percentile"},
	}
}

// quantity is a metric of a kind.
type quantity struct{ kind, metric string }

// units are the units of all quantities that Metrics lists.
var units = sync.OnceValue(func() map[quantity]string {
	all := map[quantity]string{}
	for _, m := range Metrics() {
		all[quantity{m.Kind, m.Name}] = m.Unit
	}
	return all
})

// Unit is the unit of a quantity that Metrics lists; for any other it is the unit of a
// share.
func Unit(kind, metric string) string {
	return cmp.Or(units()[quantity{kind, metric}], unitShare)
}

// Listed reports whether Metrics lists a quantity.
func Listed(kind, metric string) bool {
	_, ok := units()[quantity{kind, metric}]
	return ok
}
