package kubelet

import (
	"math"
	"path"
	"strings"
	"time"

	stats "k8s.io/kubelet/pkg/apis/stats/v1alpha1"

	"plimsoll/internal/describe"
)

// look is one reading of an object, with the context for making series of it.
type look struct {
	*recorder
	node  Node
	thing thing
	*reading
}

// at is the moment of the reading in the campaign's clock.
func (l look) moment() time.Time { return l.at.Add(-l.node.Offset) }

// rate is what a counter grew by in a second, NaN where it is not known.
func (l look) rate(metric string) float64 {
	added, seconds := l.grown(metric)
	return added / seconds
}

func (l look) grown(metric string) (added, seconds float64) {
	v, has := l.values[metric]
	if !has {
		return math.NaN(), math.NaN()
	}
	return l.since(counter{l.node.Name, l.thing, metric}, l.at, v)
}

// value is the value of a gauge, NaN if there is none.
func (l look) value(metric string) float64 {
	if v, has := l.values[metric]; has {
		return v
	}
	return math.NaN()
}

func (l look) put(kind, name, metric string, v float64) {
	l.add(topic{l.node.Name, kind, name, metric}, l.moment(), v)
}

// node makes the series of a machine.
func (r *recorder) node(n Node, found map[thing]*reading, summary stats.Summary) {
	for t, reading := range found {
		l := look{r, n, t, reading}
		switch {
		case t == thing{}:
			l.machine()
		case t.container != "" || t.pod != "":
		case strings.HasPrefix(t.part, "/dev/") && reading.values["container_fs_io_time_seconds_total"] > 0:
			l.device(path.Base(t.part))
		case !strings.Contains(t.part, "/"):
			l.network(t.part)
		}
	}
	r.summaryOfNode(n, summary)
}

func (l look) machine() {
	cores := l.rate("container_cpu_usage_seconds_total")
	l.put(describe.CPUKind, "", "busy", cores)
	if l.node.Cores > 0 {
		l.put(describe.CPUKind, "", "utilisation", min(cores/l.node.Cores, 1))
	}
	used := l.value("container_memory_working_set_bytes")
	l.put(describe.MachineKind, "", "memory_used", used)
	if l.node.Memory > 0 {
		l.put(describe.MachineKind, "", "memory_utilisation", used/float64(l.node.Memory))
	}
	l.pressure("")
}

// pressure is told of groups by their name before the resource's.
func (l look) pressure(prefix string) {
	for _, resource := range []string{"cpu", "memory", "io"} {
		l.put(describe.PressureKind, prefix+resource, "some", l.rate("container_pressure_"+resource+"_waiting_seconds_total"))
		l.put(describe.PressureKind, prefix+resource, "full", l.rate("container_pressure_"+resource+"_stalled_seconds_total"))
	}
}

// sector is the unit of the kernel's counts of data, in bytes.
const sector = 512

// fastest is quicker than any device answers, in seconds.
const fastest = 100e-9

// timeScale corrects the times of devices. cAdvisor takes the kernel's milliseconds
// for nanoseconds, which shows in requests that took no time.
func (l look) timeScale() float64 {
	took := l.value("container_fs_read_seconds_total") + l.value("container_fs_write_seconds_total")
	if took/(l.value("container_fs_reads_total")+l.value("container_fs_writes_total")) < fastest {
		return 1e6
	}
	return 1
}

// device is a block device with a file system of the node.
func (l look) device(name string) {
	scale := l.timeScale()
	reads, seconds := l.grown("container_fs_reads_total")
	writes, _ := l.grown("container_fs_writes_total")
	readTime, _ := l.grown("container_fs_read_seconds_total")
	writeTime, _ := l.grown("container_fs_write_seconds_total")
	l.put(describe.DeviceKind, name, "reads", reads/seconds)
	l.put(describe.DeviceKind, name, "writes", writes/seconds)
	l.put(describe.DeviceKind, name, "read_bytes", sector*l.rate("container_fs_sector_reads_total"))
	l.put(describe.DeviceKind, name, "write_bytes", sector*l.rate("container_fs_sector_writes_total"))
	l.put(describe.DeviceKind, name, "read_await", scale*readTime/reads)
	l.put(describe.DeviceKind, name, "write_await", scale*writeTime/writes)
	l.put(describe.DeviceKind, name, "queue", scale*l.rate("container_fs_io_time_weighted_seconds_total"))
	l.put(describe.DeviceKind, name, "utilisation", min(scale*l.rate("container_fs_io_time_seconds_total"), 1))
}

func (l look) network(name string) {
	rate := func(what string) float64 { return l.rate("container_network_" + what + "_total") }
	l.put(describe.NetworkKind, name, "receive_bytes", rate("receive_bytes"))
	l.put(describe.NetworkKind, name, "send_bytes", rate("transmit_bytes"))
	l.put(describe.NetworkKind, name, "receive_packets", rate("receive_packets"))
	l.put(describe.NetworkKind, name, "send_packets", rate("transmit_packets"))
	l.put(describe.NetworkKind, name, "errors", rate("receive_errors")+rate("transmit_errors"))
	l.put(describe.NetworkKind, name, "drops", rate("receive_packets_dropped")+rate("transmit_packets_dropped"))
}

// pods makes the series of the pods that are watched, as far as they are on the node.
func (r *recorder) pods(n Node, found map[thing]*reading, summary stats.Summary, pods []Pod) {
	for _, p := range pods {
		t := thing{p.Namespace, p.Pod, p.Container, ""}
		if reading := found[t]; reading != nil {
			look{r, n, t, reading}.container(p)
			r.blockIO(n, p, found)
		}
	}
	r.summaryOfPods(n, summary, pods)
}

func (l look) container(p Pod) {
	put := func(metric string, v float64) { l.put(p.Kind, p.Name, metric, v) }
	cores := l.rate("container_cpu_usage_seconds_total")
	put("cpu", cores)
	if limit := l.value("container_spec_cpu_quota") / l.value("container_spec_cpu_period"); limit > 0 {
		put("cpu_limit", limit)
		put("cpu_utilisation", cores/limit)
	}
	periods, _ := l.grown("container_cpu_cfs_periods_total")
	throttled, _ := l.grown("container_cpu_cfs_throttled_periods_total")
	if periods == 0 {
		periods = 1 // it had nothing to do
	}
	put("throttled_periods", throttled/periods)
	put("throttled", l.rate("container_cpu_cfs_throttled_seconds_total"))
	memory := l.value("container_memory_usage_bytes")
	if math.IsNaN(memory) {
		memory = l.value("container_memory_working_set_bytes")
	}
	put("memory", memory)
	put("rss", l.value("container_memory_rss"))
	l.pressure(p.Name + "/")
}

// blockIO sums what a container reads and writes over its devices.
func (r *recorder) blockIO(n Node, p Pod, found map[thing]*reading) {
	sums := &reading{values: map[string]float64{}}
	for t, reading := range found {
		if t.namespace != p.Namespace || t.pod != p.Pod || t.container != p.Container || t.part == "" {
			continue
		}
		for metric, v := range reading.values {
			if strings.HasPrefix(metric, "container_fs_") {
				sums.at = reading.at
				sums.values[metric] += v
			}
		}
	}
	l := look{r, n, thing{p.Namespace, p.Pod, p.Container, "every device"}, sums}
	l.put(p.Kind, p.Name, "read_bytes", l.rate("container_fs_reads_bytes_total"))
	l.put(p.Kind, p.Name, "write_bytes", l.rate("container_fs_writes_bytes_total"))
}

// summaryOfNode adds what only the summary has.
func (r *recorder) summaryOfNode(n Node, s stats.Summary) {
	if fs := s.Node.Fs; fs != nil && fs.UsedBytes != nil && fs.CapacityBytes != nil && *fs.CapacityBytes > 0 {
		at := fs.Time.Add(-n.Offset)
		r.add(topic{n.Name, describe.MachineKind, "", "disk_used"}, at, float64(*fs.UsedBytes))
		r.add(topic{n.Name, describe.MachineKind, "", "disk_utilisation"}, at, float64(*fs.UsedBytes)/float64(*fs.CapacityBytes))
	}
	r.summaryOf(n, thing{}, "", s.Node.CPU, s.Node.Memory, s.Node.IO)
}

func (r *recorder) summaryOfPods(n Node, s stats.Summary, pods []Pod) {
	for _, p := range pods {
		for _, reported := range s.Pods {
			if reported.PodRef.Namespace != p.Namespace || reported.PodRef.Name != p.Pod {
				continue
			}
			for _, c := range reported.Containers {
				if c.Name == p.Container {
					r.summaryOf(n, thing{p.Namespace, p.Pod, p.Container, ""}, p.Name+"/", c.CPU, c.Memory, c.IO)
				}
			}
		}
	}
}

// summaryOf adds pressure, where the kubelet has it and cAdvisor's metrics do not.
func (r *recorder) summaryOf(n Node, t thing, prefix string, cpu *stats.CPUStats, memory *stats.MemoryStats, io *stats.IOStats) {
	if cpu != nil {
		r.psi(n, t, prefix+"cpu", cpu.Time.Time, cpu.PSI)
	}
	if memory != nil {
		r.psi(n, t, prefix+"memory", memory.Time.Time, memory.PSI)
	}
	if io != nil {
		r.psi(n, t, prefix+"io", io.Time.Time, io.PSI)
	}
}

func (r *recorder) psi(n Node, t thing, name string, at time.Time, p *stats.PSIStats) {
	_, reported := r.series[topic{n.Name, describe.PressureKind, name, "some"}]
	if _, summed := r.before[counter{n.Name, t, name + " some"}]; p == nil || reported && !summed {
		return
	}
	for metric, total := range map[string]uint64{"some": p.Some.Total, "full": p.Full.Total} {
		added, seconds := r.since(counter{n.Name, t, name + " " + metric}, at, float64(total)/1e9)
		r.add(topic{n.Name, describe.PressureKind, name, metric}, at.Add(-n.Offset), min(added/seconds, 1))
	}
}
