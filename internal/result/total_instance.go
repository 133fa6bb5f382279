package result

import (
	"fmt"
	"math"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// instanceTotal adds up what the drivers saw of one instance.
type instanceTotal struct {
	final      *InstanceRecord // nil when its driver did not live to write it
	histogram  *hdr.Histogram
	units      []float64 // by second
	inMeasured int64
}

// seen counts units of work of a second.
func (i *instanceTotal) seen(second int, units int64, measured bool) {
	addAt(&i.units, second, float64(units))
	if measured {
		i.inMeasured += units
	}
}

func (i *instanceTotal) set(r *InstanceRecord) error {
	h, err := DecodeHistogram(r.Histogram)
	if err != nil {
		return fmt.Errorf("instance %d: %w", r.Instance, err)
	}
	if err := agree(r.Histogram, r.Count+r.RolledBack); err != nil {
		return fmt.Errorf("instance %d %w", r.Instance, err)
	}
	i.final, i.histogram = r, h
	return nil
}

// summary falls back on the work seen each second when the final record is
// missing; response times are then not known.
func (i *instanceTotal) summary(number int) InstanceSummary {
	if i.final == nil {
		return InstanceSummary{Instance: number, Count: i.inMeasured}
	}
	s := InstanceSummary{
		Instance:   number,
		Count:      i.final.Count,
		Bytes:      i.final.Bytes,
		RolledBack: i.final.RolledBack,
		Errors:     i.final.Errors,
	}
	s.setTimes(i.histogram)
	return s
}

// setTimes takes the response times from a histogram.
func (s *InstanceSummary) setTimes(h *hdr.Histogram) {
	if h.TotalCount() == 0 {
		return
	}
	s.Mean, s.Deviation = Mean(h), seconds(math.Round(h.StdDev()))
	s.P95, s.P99 = Quantile(h, 0.95), Quantile(h, 0.99)
	for _, share := range InstanceShares() {
		s.Times = append(s.Times, Quantile(h, share))
	}
}

// InstanceShares are the shares of an instance's units of work at which Times has their
// response times.
func InstanceShares() []float64 {
	return []float64{0.25, 0.5, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99, 0.995, 0.999}
}

func (i *instanceTotal) series(number int, c clock) Series {
	values := i.units
	if values == nil {
		return c.series("instance", InstanceName(number), "units", "1/s", nil, math.NaN())
	}
	return c.series("instance", InstanceName(number), "units", "1/s", values, 0)
}

// InstanceName is the name of an instance in telemetry and logs.
func InstanceName(number int) string { return fmt.Sprintf("instance-%03d", number) }
