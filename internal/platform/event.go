package platform

import (
	"context"

	"plimsoll/internal/describe/event"
)

// Actor does the events of a platform to the servers of instances.
type Actor interface {
	// Victims returns the servers that an event ends.
	Victims(ctx context.Context, e event.Event, running []Server) ([]Server, error)
	// Do does an event that ends these victims, and returns when they have ended. Who
	// started them starts them again; that fails for as long as the fault lasts where it
	// leaves no place for them.
	Do(ctx context.Context, e event.Event, victims []Server) error
	// Repair undoes lasting effects of faults and reports its repairs, if any.
	Repair(ctx context.Context) (done []string, err error)
	// Healthy reports that no fault lasts.
	Healthy(ctx context.Context) (bool, error)
}

// Server is a running server of an instance.
type Server struct {
	Member   string // whose instance it is; empty in studies without members
	Instance int
	Role     string
	Process  Process
}
