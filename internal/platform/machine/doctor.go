package machine

import (
	"context"

	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/host/cgroup"
)

// DoctorOptions say what to look at.
type DoctorOptions struct {
	// Work is the directory that volumes would live in.
	Work string
	// Checkers are the checkers of the engines, storage classes and platforms that need something
	// of the machine.
	Checkers []doctor.Checker
}

// Doctor looks at everything that studies need: what all of them need, what
// each kind needs, and what makes measurements noisy.
func Doctor(ctx context.Context, o DoctorOptions) []doctor.Check {
	g := general{o, cgroup.Bounds()}
	all := g.before()
	for _, c := range o.Checkers {
		all = append(all, c.Checks(ctx)...)
	}
	return doctor.Merge(append(all, g.after()...))
}
