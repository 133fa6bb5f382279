package platform

import (
	"context"

	"plimsoll/internal/storage"
	"plimsoll/internal/study"
)

// FaultChecker is a Kind whose platforms are Faulters. It owns the grammar of their
// faults: studies ask it before anything runs.
type FaultChecker interface {
	storage.FaultChecker
	// ParseFault reads an action that begins with a verb of the platform, such as
	// "delete pod 0 db", even when the rest makes no sense; of any other it gives no
	// Verb. With a Part it is about that, else about the servers of an instance.
	ParseFault(action string) study.Action
}

// Faulter is a platform into which faults can be injected. Its Kind is a
// FaultChecker.
type Faulter interface {
	// Effect says what an action that CheckFault accepts means.
	Effect(action string) storage.Effect
	// Victims returns the servers that an action ends.
	Victims(ctx context.Context, action string, running []Server) ([]Server, error)
	// Inject does an action that ends these victims, and returns when they have
	// ended. Who started them starts them again; that fails for as long as the
	// fault lasts where it leaves no place for them.
	Inject(ctx context.Context, action string, victims []Server) error
	// Repair undoes lasting effects of faults and reports its repairs, if any.
	Repair(ctx context.Context) (done []string, err error)
	// Healthy reports that no fault lasts.
	Healthy(ctx context.Context) (bool, error)
}

// Server is one of an instance that runs.
type Server struct {
	Instance int
	Role     string
	Process  Process
}
