package metrics

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	otlp "go.opentelemetry.io/proto/slim/otlp/collector/metrics/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/slim/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/slim/otlp/resource/v1"
)

// figures are what a scrape would get at a moment, in OpenTelemetry's terms.
func (r *Run) figures(from prometheus.Gatherer, now time.Time) (*otlp.ExportMetricsServiceRequest, error) {
	families, err := from.Gather()
	if err != nil {
		return nil, err
	}
	span := span{start: uint64(r.about.Started.UnixNano()), now: uint64(now.UnixNano())}
	scope := &metrics.ScopeMetrics{Scope: &common.InstrumentationScope{Name: "plimsoll", Version: r.about.Version}}
	for _, family := range families {
		metric, err := span.metric(family)
		if err != nil {
			return nil, err
		}
		scope.Metrics = append(scope.Metrics, metric)
	}
	about := &resource.Resource{Attributes: []*common.KeyValue{attribute("service.name", "plimsoll"), attribute("service.version", r.about.Version)}}
	return &otlp.ExportMetricsServiceRequest{ResourceMetrics: []*metrics.ResourceMetrics{{Resource: about, ScopeMetrics: []*metrics.ScopeMetrics{scope}}}}, nil
}

// span is the time that counters have counted for, in nanoseconds since the epoch.
type span struct{ start, now uint64 }

func (s span) metric(family *dto.MetricFamily) (*metrics.Metric, error) {
	made := &metrics.Metric{Name: family.GetName(), Description: family.GetHelp()}
	switch family.GetType() {
	case dto.MetricType_GAUGE:
		gauge := &metrics.Gauge{}
		for _, m := range family.Metric {
			point := s.number(m, m.GetGauge().GetValue())
			point.StartTimeUnixNano = 0 // it counts nothing
			gauge.DataPoints = append(gauge.DataPoints, point)
		}
		made.Data = &metrics.Metric_Gauge{Gauge: gauge}
	case dto.MetricType_COUNTER:
		sum := &metrics.Sum{IsMonotonic: true, AggregationTemporality: metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE}
		for _, m := range family.Metric {
			sum.DataPoints = append(sum.DataPoints, s.number(m, m.GetCounter().GetValue()))
		}
		made.Data = &metrics.Metric_Sum{Sum: sum}
	case dto.MetricType_HISTOGRAM:
		histogram := &metrics.Histogram{AggregationTemporality: metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE}
		for _, m := range family.Metric {
			histogram.DataPoints = append(histogram.DataPoints, s.histogram(m))
		}
		made.Data = &metrics.Metric_Histogram{Histogram: histogram}
	default:
		return nil, fmt.Errorf("metric %s is of type %s, which is not pushed", family.GetName(), family.GetType())
	}
	return made, nil
}

func (s span) number(m *dto.Metric, v float64) *metrics.NumberDataPoint {
	return &metrics.NumberDataPoint{Attributes: attributes(m), StartTimeUnixNano: s.start, TimeUnixNano: s.now, Value: &metrics.NumberDataPoint_AsDouble{AsDouble: v}}
}

// histogram has counts of each bucket, where Prometheus has those up to its end.
func (s span) histogram(m *dto.Metric) *metrics.HistogramDataPoint {
	from := m.GetHistogram()
	sum := from.GetSampleSum()
	point := &metrics.HistogramDataPoint{Attributes: attributes(m), StartTimeUnixNano: s.start, TimeUnixNano: s.now, Count: from.GetSampleCount(), Sum: &sum}
	below := uint64(0)
	for _, b := range from.Bucket {
		point.ExplicitBounds = append(point.ExplicitBounds, b.GetUpperBound())
		point.BucketCounts = append(point.BucketCounts, b.GetCumulativeCount()-below)
		below = b.GetCumulativeCount()
	}
	point.BucketCounts = append(point.BucketCounts, from.GetSampleCount()-below)
	return point
}

func attributes(m *dto.Metric) (all []*common.KeyValue) {
	for _, l := range m.Label {
		all = append(all, attribute(l.GetName(), l.GetValue()))
	}
	return all
}

func attribute(name, value string) *common.KeyValue {
	return &common.KeyValue{Key: name, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}}
}
