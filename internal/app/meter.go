package app

import (
	"context"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
)

// Meter asks servers of an engine how busy something of theirs is that a platform cannot see
// from outside.
type Meter interface {
	// Gauge describes the measured value.
	Gauge() describe.Gauge
	// Read asks a server that runs. It must answer while every part of the server
	// that serves users is busy.
	Read(ctx context.Context, e endpoint.Endpoint) (describe.Reading, error)
}
