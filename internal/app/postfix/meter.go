package postfix

import (
	"context"
	"math"

	"plimsoll/internal/client/mailbox"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
)

// Gauge implements app.Meter: messages that were accepted and are not in their mailboxes.
func (Engine) Gauge() describe.Gauge {
	return describe.Gauge{Name: "messages", Setting: "default_destination_concurrency_limit"}
}

// Read counts the files of the queue: messages that are being delivered, those that have just
// come in, and those that wait for another try. There is room for more than there ever are.
func (Engine) Read(_ context.Context, e endpoint.Endpoint) (describe.Reading, error) {
	relay, err := mailbox.RelayOf(e)
	if err != nil {
		return describe.Reading{}, err
	}
	q, err := relay.Messages()
	return describe.Reading{Busy: float64(q.Active), Capacity: math.NaN(), Waiting: float64(q.Incoming + q.Deferred)}, err
}
