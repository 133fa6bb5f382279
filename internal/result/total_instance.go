package result

import (
	"fmt"
	"math"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// instanceTotal adds up what the drivers saw of one instance.
type instanceTotal struct {
	final      *InstanceRecord // nil when its driver did not live to write it
	histogram  *hdr.Histogram
	orders     []float64 // by second
	inMeasured int64
}

// seen counts orders of a second.
func (i *instanceTotal) seen(second int, orders int64, measured bool) {
	addAt(&i.orders, second, float64(orders))
	if measured {
		i.inMeasured += orders
	}
}

func (i *instanceTotal) set(r *InstanceRecord) error {
	h, err := DecodeHistogram(r.Histogram)
	if err != nil {
		return fmt.Errorf("instance %d: %w", r.Instance, err)
	}
	if err := agree(r.Histogram, r.Orders+r.RolledBack); err != nil {
		return fmt.Errorf("instance %d %w", r.Instance, err)
	}
	i.final, i.histogram = r, h
	return nil
}

// summary falls back on the orders seen each second when the final record is
// missing; response times are then not known.
func (i *instanceTotal) summary(number int, measure time.Duration) InstanceSummary {
	if i.final == nil {
		return InstanceSummary{Instance: number, OPM: float64(i.inMeasured) / measure.Minutes()}
	}
	s := InstanceSummary{
		Instance:   number,
		OPM:        float64(i.final.Orders) / measure.Minutes(),
		RolledBack: i.final.RolledBack,
		Errors:     i.final.Errors,
	}
	if i.histogram.TotalCount() > 0 {
		s.Mean = seconds(i.histogram.Mean())
		s.P95, s.P99 = Quantile(i.histogram, 0.95), Quantile(i.histogram, 0.99)
	}
	return s
}

func (i *instanceTotal) series(number int, c clock) Series {
	values := i.orders
	if values == nil {
		return c.series("instance", InstanceName(number), "orders", "1/s", nil, math.NaN())
	}
	return c.series("instance", InstanceName(number), "orders", "1/s", values, 0)
}

// InstanceName is the name of an instance in telemetry and logs.
func InstanceName(number int) string { return fmt.Sprintf("db-%03d", number) }
