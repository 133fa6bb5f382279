package metrics

import (
	"strings"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// quantity is one of those that telemetry samples, and its metric here.
type quantity struct {
	kind, metric string // as in result.Series
	name         string
	label        string // of the thing that it is of: device, interface; empty for the machine itself
	mode         string // value of the label mode; empty for none
	rate         bool   // a rate a second, whose sum over time is a counter
	help         string
}

// quantities are the exported metrics of machines.
var quantities = []quantity{
	{describe.CPUKind, "user_cores", "plimsoll_machine_cpu_seconds_total", "", "user", true, cpuHelp},
	{describe.CPUKind, "system_cores", "plimsoll_machine_cpu_seconds_total", "", "system", true, cpuHelp},
	{describe.CPUKind, "iowait_cores", "plimsoll_machine_cpu_seconds_total", "", "iowait", true, cpuHelp},
	{describe.CPUKind, "irq_cores", "plimsoll_machine_cpu_seconds_total", "", "irq", true, cpuHelp},
	{describe.CPUKind, "softirq_cores", "plimsoll_machine_cpu_seconds_total", "", "softirq", true, cpuHelp},
	{describe.CPUKind, "steal_cores", "plimsoll_machine_cpu_seconds_total", "", "steal", true, cpuHelp},
	{describe.CPUKind, "utilisation", "plimsoll_machine_cpu_utilization_ratio", "", "", false, "Share of all cores that was busy."},
	{describe.MachineKind, "memory_used", "plimsoll_machine_memory_used_bytes", "", "", false, "Memory that cannot be reclaimed without swapping."},
	{describe.MachineKind, "memory_dirty", "plimsoll_machine_memory_dirty_bytes", "", "", false, "Pages waiting to be written."},
	{describe.DeviceKind, "reads", "plimsoll_device_reads_total", "device", "", true, "Read requests completed."},
	{describe.DeviceKind, "writes", "plimsoll_device_writes_total", "device", "", true, "Write requests completed."},
	{describe.DeviceKind, "flushes", "plimsoll_device_flushes_total", "device", "", true, "Flush requests completed."},
	{describe.DeviceKind, "read_bytes", "plimsoll_device_read_bytes_total", "device", "", true, "Bytes read."},
	{describe.DeviceKind, "write_bytes", "plimsoll_device_written_bytes_total", "device", "", true, "Bytes written."},
	{describe.DeviceKind, "utilisation", "plimsoll_device_utilization_ratio", "device", "", false, "Share of time with at least one request under way."},
	{describe.DeviceKind, "queue", "plimsoll_device_queue_requests", "device", "", false, "Mean number of requests waiting or in service."},
	{describe.NetworkKind, "receive_bytes", "plimsoll_network_receive_bytes_total", "interface", "", true, "Bytes received."},
	{describe.NetworkKind, "send_bytes", "plimsoll_network_transmit_bytes_total", "interface", "", true, "Bytes sent."},
	{describe.NetworkKind, "drops", "plimsoll_network_dropped_packets_total", "interface", "", true, "Packets dropped, both ways."},
}

const cpuHelp = "Seconds of CPU, over all cores, while trials were observed."

// mostSamples bounds the series of machines: a host with hundreds of virtual interfaces
// must not fill an existing Prometheus.
const mostSamples = 2000

// machines are the latest values and running sums of what was sampled.
type machines struct {
	known   map[[2]string]quantity
	values  map[seriesKey]*value
	dropped int
}

type seriesKey struct {
	quantity      quantity
	machine, name string
}

type value struct {
	v     float64
	since int64 // ms of the sample before, by its trial's clock; negative when there is none
	shown bool
}

func newMachines() machines {
	m := machines{known: map[[2]string]quantity{}, values: map[seriesKey]*value{}}
	for _, q := range quantities {
		m.known[[2]string{q.kind, q.metric}] = q
	}
	return m
}

func (m *machines) take(s result.Series) {
	q, ok := m.known[[2]string{s.Kind, s.Metric}]
	if !ok || len(s.Values) == 0 {
		return
	}
	key := seriesKey{quantity: q, machine: s.Machine}
	if q.label != "" {
		key.name = strings.ToValidUTF8(s.Name, "?")
	}
	v := m.values[key]
	if v == nil {
		if len(m.values) >= mostSamples {
			m.dropped++
			return
		}
		v = &value{since: -1}
		m.values[key] = v
	}
	for n, at := range s.Times {
		v.take(s.Start+at, s.Values[n], q.rate)
	}
}

// take adds a rate to its sum, over the time that it covers: that since the sample
// before.
func (v *value) take(at int64, sample float64, rate bool) {
	switch {
	case at <= v.since: // another source told it already
		return
	case !rate:
		v.v = sample
	case v.since >= 0:
		v.v += max(0, sample) * float64(at-v.since) / 1000
	}
	v.since, v.shown = at, true
}

// pause ends the sampling of a trial: what was a value of the moment is not known any
// more, and the time until the next trial belongs to no sample.
func (m *machines) pause() {
	for key, v := range m.values {
		v.since = -1
		v.shown = key.quantity.rate
	}
}
