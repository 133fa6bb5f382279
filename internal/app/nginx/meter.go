package nginx

import (
	"context"
	"fmt"
	"math"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
)

// Gauge implements app.Meter.
func (Engine) Gauge() describe.Gauge { return describe.Gauge{Name: "connections"} }

// Read counts the connections of users with a request in progress, leaving out its own.
// There is room for far more than there are users, and nginx does not report how much.
func (Engine) Read(ctx context.Context, e endpoint.Endpoint) (describe.Reading, error) {
	text, err := status(ctx, e)
	if err != nil {
		return describe.Reading{}, err
	}
	var active, idle, ignored float64
	if _, err := fmt.Sscanf(text, "Active connections: %f\nserver accepts handled requests\n %f %f %f\nReading: %f Writing: %f Waiting: %f",
		&active, &ignored, &ignored, &ignored, &ignored, &ignored, &idle); err != nil {
		return describe.Reading{}, fmt.Errorf("read the status of nginx %q: %w", text, err)
	}
	return describe.Reading{Busy: max(0, active-idle-1), Capacity: math.NaN(), Waiting: math.NaN()}, nil
}
