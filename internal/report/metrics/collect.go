package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
)

var trialLabels = []string{"variant", "rung", "repetition"}

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

func ofTrial(name, help string, labels ...string) *prometheus.Desc {
	return desc(name, help, append(append([]string{}, trialLabels...), labels...)...)
}

var (
	runInfo     = desc("plimsoll_run_info", "The run that goes on; always 1.", "run", "study", "version")
	runStart    = desc("plimsoll_run_start_time_seconds", "When the run, or what continues it, began, since the epoch.")
	runProgress = desc("plimsoll_run_progress_ratio", "Share of the run's estimated time that has gone by.")
	runLeft     = desc("plimsoll_run_remaining_seconds", "Estimated time left of the run.")
	runPhase    = desc("plimsoll_run_phase", "1 for what the run is doing, 0 for the other phases.", "phase")
	trialsAll   = desc("plimsoll_run_trials", "Trials of the run, as far as they are planned.")
	trialsEnded = desc("plimsoll_trials_ended_total", "Trials that ended, those that a continued run holds already among them.", "outcome")
	dropped     = desc("plimsoll_export_dropped_samples_total", "Samples of machines that are not exported because there are too many series.")

	trialInfo  = ofTrial("plimsoll_trial_info", "The latest trial; always 1.", "trial", "workload", "unit", "throughput_unit")
	throughput = ofTrial("plimsoll_trial_throughput", "Throughput of the last seconds, in the workload's own unit.", "unit")
	instances  = ofTrial("plimsoll_instances", "Instances of the trial that users can reach (ready), and others.", "state")
	units      = ofTrial("plimsoll_units_total", "Units of work done.", "phase", "unit")
	operations = ofTrial("plimsoll_operations_total", "Operations that ended without an error.", "phase", "operation", "outcome")
	failures   = ofTrial("plimsoll_operation_errors_total", "Operations that failed.", "phase", "operation", "class")
	payload    = ofTrial("plimsoll_operation_payload_bytes_total", "Payload that operations moved.", "phase", "operation")
	durations  = ofTrial("plimsoll_operation_duration_seconds", "Response times without think time, merged from all drivers.", "phase", "operation")
	users      = ofTrial("plimsoll_driver_users", "Users connected.", "driver")
	backlog    = ofTrial("plimsoll_driver_backlog", "Open loop: units of work that are due and not begun.", "driver")
	late       = ofTrial("plimsoll_driver_late_seconds", "The most by which a user woke too late in the last 15 s.", "driver")
	driverCPU  = ofTrial("plimsoll_driver_cpu_seconds_total", "Seconds of CPU of the driver, as measured by itself.", "driver")
)

// Describe implements prometheus.Collector. It names no metrics, because they depend on the
// workload.
func (r *Run) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (r *Run) Collect(to chan<- prometheus.Metric) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.collectRun(to)
	if r.trial != nil {
		r.collectTrial(to)
		r.trial.collect(to)
	}
	r.machines.collect(to)
}

func gauge(to chan<- prometheus.Metric, d *prometheus.Desc, v float64, labels ...string) {
	to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
}

func counter(to chan<- prometheus.Metric, d *prometheus.Desc, v float64, labels ...string) {
	to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
}

func (r *Run) collectRun(to chan<- prometheus.Metric) {
	gauge(to, runInfo, 1, r.about.Run, r.about.Study, r.about.Version)
	gauge(to, runStart, float64(r.about.Started.UnixMilli())/1000)
	gauge(to, runProgress, r.now.Done)
	gauge(to, runLeft, r.now.Left.Seconds())
	gauge(to, trialsAll, float64(r.now.Of))
	for _, phase := range phases {
		v := 0.0
		if phase == r.phase {
			v = 1
		}
		gauge(to, runPhase, v, phase)
	}
	for _, outcome := range []string{"passed", "failed"} {
		counter(to, trialsEnded, float64(r.finished[outcome]), outcome)
	}
	counter(to, dropped, float64(r.machines.dropped))
}

func (r *Run) collectTrial(to chan<- prometheus.Metric) {
	about, labels := r.trial.profile, r.trial.labels
	unit := about.Unit
	gauge(to, trialInfo, 1, append(labels[:3:3], r.trial.id, about.Workload, unit.Name, unit.Throughput)...)
	now := 0.0
	if r.phase == "ramp" || r.phase == "warmup" || r.phase == "measure" {
		now = r.now.Throughput
	}
	gauge(to, throughput, now, append(labels[:3:3], unit.Throughput)...)
	gauge(to, instances, float64(r.now.Ready), append(labels[:3:3], "ready")...)
	gauge(to, instances, float64(max(0, r.now.Instances-r.now.Ready)), append(labels[:3:3], "not_ready")...)
}

func (t *trial) collect(to chan<- prometheus.Metric) {
	for key, c := range t.counts {
		phase, operation := key[0], key[1]
		labels := append(t.labels[:3:3], phase, operation)
		counter(to, operations, float64(c.done), append(labels[:5:5], "done")...)
		counter(to, operations, float64(c.rolledBack), append(labels[:5:5], "rolled_back")...)
		counter(to, payload, float64(c.bytes), labels...)
		for class, n := range c.errors {
			counter(to, failures, float64(n), append(labels[:5:5], class)...)
		}
		if unit, whole := t.units[operation]; whole {
			counter(to, units, float64(c.done), append(t.labels[:3:3], phase, unit.Name)...)
		}
		n, buckets := c.cumulative()
		to <- prometheus.MustNewConstHistogram(durations, n, c.sum, buckets, labels...)
	}
	for name, d := range t.drivers {
		labels := append(t.labels[:3:3], name)
		gauge(to, users, float64(d.users), labels...)
		gauge(to, backlog, float64(d.backlog), labels...)
		gauge(to, late, d.latest(), labels...)
	}
	for name, seconds := range t.seconds {
		counter(to, driverCPU, seconds, append(t.labels[:3:3], name)...)
	}
}

// cumulative gives the number of response times in all, and up to each bound.
func (c *count) cumulative() (n uint64, buckets map[float64]uint64) {
	buckets = make(map[float64]uint64, len(bounds))
	for at, bound := range bounds {
		n += c.buckets[at]
		buckets[bound] = n
	}
	return n + c.buckets[len(bounds)], buckets
}

func (m *machines) collect(to chan<- prometheus.Metric) {
	for key, v := range m.values {
		if !v.shown {
			continue
		}
		q := key.quantity
		names, labels := []string{"machine"}, []string{key.machine}
		if q.label != "" {
			names, labels = append(names, q.label), append(labels, key.name)
		}
		if q.mode != "" {
			names, labels = append(names, "mode"), append(labels, q.mode)
		}
		emit := gauge
		if q.rate {
			emit = counter
		}
		emit(to, desc(q.name, q.help, names...), v.v, labels...)
	}
}
