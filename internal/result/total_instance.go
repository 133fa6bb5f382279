package result

import (
	"fmt"
	"math"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"plimsoll/internal/describe"
)

// instanceTotal adds up what the drivers saw of one instance.
type instanceTotal struct {
	final      *InstanceSummary // nil when its driver did not live to write it
	units      []float64        // by second
	inMeasured int64
}

// seen counts units of work of a second.
func (i *instanceTotal) seen(second int, units int64, measured bool) {
	addAt(&i.units, second, float64(units))
	if measured {
		i.inMeasured += units
	}
}

// set takes the final record. Of its histograms only the figures stay, as there may be
// thousands of instances.
func (i *instanceTotal) set(r *InstanceRecord) error {
	h, err := decodeSparse(r.Histogram)
	if err != nil {
		return fmt.Errorf("instance %d: %w", r.Instance, err)
	}
	if err := holds(h, r.Histogram, r.Count+r.RolledBack); err != nil {
		return fmt.Errorf("instance %d %w", r.Instance, err)
	}
	s := &InstanceSummary{Count: r.Count, Bytes: r.Bytes, RolledBack: r.RolledBack, Errors: r.Errors}
	s.setTimes(h)
	if len(r.Operations) > 0 {
		s.Operations = map[string]InstancePart{}
	}
	for name, p := range r.Operations {
		if s.Operations[name], err = partOf(p); err != nil {
			return fmt.Errorf("operation %q of instance %d: %w", name, r.Instance, err)
		}
	}
	i.final = s
	return nil
}

// summary falls back on the work seen each second when the final record is
// missing; response times are then not known. Operations of the only instance of all are
// left out.
func (i *instanceTotal) summary(number int, only bool) InstanceSummary {
	if i.final == nil {
		return InstanceSummary{Instance: number, Count: i.inMeasured}
	}
	s := *i.final
	s.Instance = number
	if only {
		s.Operations = nil
	}
	return s
}

func partOf(r PartRecord) (InstancePart, error) {
	h, err := decodeSparse(r.Histogram)
	if err == nil {
		err = holds(h, r.Histogram, r.Count+r.RolledBack)
	}
	if err != nil {
		return InstancePart{}, err
	}
	var times InstanceSummary
	times.setTimes(h)
	return InstancePart{
		Count: r.Count, RolledBack: r.RolledBack, Errors: r.Errors,
		Mean: times.Mean, Deviation: times.Deviation, Times: times.Times, Max: times.Max,
	}, nil
}

// setTimes takes the response times from a histogram.
func (s *InstanceSummary) setTimes(h *hdr.PackedHistogram) {
	if h.TotalCount() == 0 {
		return
	}
	s.Mean, s.Deviation = Mean(h), seconds(math.Round(h.StdDev()))
	s.P95, s.P99, s.Max = Quantile(h, 0.95), Quantile(h, 0.99), seconds(float64(h.Max()))
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
		return c.series(describe.InstanceKind, InstanceName(number), "units", "1/s", nil, math.NaN())
	}
	return c.series(describe.InstanceKind, InstanceName(number), "units", "1/s", values, 0)
}

// InstanceName is the name of an instance in telemetry and logs.
func InstanceName(number int) string { return fmt.Sprintf("instance-%03d", number) }
