package kubelet

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	stats "k8s.io/kubelet/pkg/apis/stats/v1alpha1"
)

// thing is what a kubelet has figures of: a container, or the node where it names
// none; or one device or interface of either.
type thing struct{ namespace, pod, container, part string }

// reading holds the values of an object at one moment, by the metric's name.
type reading struct {
	at     time.Time
	values map[string]float64
}

// wanted are the metrics that are used. The node metrics of the resource endpoint go by the
// names of cAdvisor's root container here.
func wanted() []string {
	return []string{
		"container_cpu_usage_seconds_total", "container_cpu_cfs_periods_total", "container_cpu_cfs_throttled_periods_total", "container_cpu_cfs_throttled_seconds_total",
		"container_spec_cpu_quota", "container_spec_cpu_period",
		"container_memory_working_set_bytes", "container_memory_usage_bytes", "container_memory_rss",
		"container_network_receive_bytes_total", "container_network_transmit_bytes_total", "container_network_receive_packets_total", "container_network_transmit_packets_total",
		"container_network_receive_errors_total", "container_network_transmit_errors_total", "container_network_receive_packets_dropped_total", "container_network_transmit_packets_dropped_total",
		"container_fs_reads_total", "container_fs_writes_total", "container_fs_reads_bytes_total", "container_fs_writes_bytes_total",
		"container_fs_io_time_seconds_total", "container_fs_io_time_weighted_seconds_total", "container_fs_read_seconds_total", "container_fs_write_seconds_total",
		"container_fs_sector_reads_total", "container_fs_sector_writes_total",
		"container_pressure_cpu_waiting_seconds_total", "container_pressure_cpu_stalled_seconds_total",
		"container_pressure_memory_waiting_seconds_total", "container_pressure_memory_stalled_seconds_total",
		"container_pressure_io_waiting_seconds_total", "container_pressure_io_stalled_seconds_total",
		"node_cpu_usage_seconds_total", "node_memory_working_set_bytes",
	}
}

// exposition asks for metrics in the text format of Prometheus.
func (s *Sampler) exposition(ctx context.Context, node, path string) (map[thing]*reading, error) {
	body, err := s.config.Get(ctx, node, path)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	found, err := parse(body, time.Now())
	if err != nil {
		return nil, fmt.Errorf("read %s of node %s: %w", path, node, err)
	}
	return found, nil
}

// parse reads the metrics that are wanted. What has no time of its own has that at
// which it was read.
func parse(text io.Reader, now time.Time) (map[thing]*reading, error) {
	lines, err := onlyWanted(text)
	if err != nil {
		return nil, err
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(lines))
	if err != nil {
		return nil, err
	}
	found := map[thing]*reading{}
	for name, family := range families {
		for _, m := range family.GetMetric() {
			add(found, strings.Replace(name, "node_", "container_", 1), m)
		}
	}
	for _, r := range found {
		if r.at.IsZero() {
			r.at = now
		}
	}
	return found, nil
}

func add(found map[thing]*reading, name string, m *dto.Metric) {
	labels := map[string]string{}
	for _, l := range m.GetLabel() {
		labels[l.GetName()] = l.GetValue()
	}
	if labels["container"] == "" && labels["id"] != "/" && labels["id"] != "" {
		return // a group of cgroups, or a pod's own
	}
	t := thing{labels["namespace"], labels["pod"], labels["container"], labels["device"] + labels["interface"]}
	r := found[t]
	if r == nil {
		r = &reading{values: map[string]float64{}}
		found[t] = r
	}
	if ms := m.GetTimestampMs(); ms > 0 {
		r.at = time.UnixMilli(ms)
	}
	r.values[name] += m.GetUntyped().GetValue() + m.GetCounter().GetValue() + m.GetGauge().GetValue() // it is one of them
}

// longestLine bounds a line of metrics, which holds what people called their
// containers and images.
const longestLine = 1 << 20

// onlyWanted drops the lines of all other metrics, which are most of the text.
func onlyWanted(text io.Reader) ([]byte, error) {
	names := wanted()
	slices.Sort(names)
	var kept bytes.Buffer
	lines := bufio.NewScanner(text)
	lines.Buffer(make([]byte, 64<<10), longestLine)
	for lines.Scan() {
		line := lines.Bytes()
		end := bytes.IndexAny(line, "{ ")
		if end < 0 {
			continue
		}
		if _, ok := slices.BinarySearch(names, string(line[:end])); ok {
			kept.Write(line)
			kept.WriteByte('\n')
		}
	}
	return kept.Bytes(), lines.Err()
}

// summary asks for the kubelet's own summary: file systems and, where the kubelet
// offers it, pressure.
func (s *Sampler) summary(ctx context.Context, node string) (stats.Summary, error) {
	var sum stats.Summary
	body, err := s.config.Get(ctx, node, "stats/summary")
	if err != nil {
		return sum, err
	}
	defer body.Close()
	if err := json.NewDecoder(body).Decode(&sum); err != nil {
		return sum, fmt.Errorf("read stats/summary of node %s: %w", node, err)
	}
	return sum, nil
}
