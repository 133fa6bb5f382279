package local

import (
	"context"

	"plimsoll/internal/doctor"
	"plimsoll/internal/machine"
)

var _ doctor.Checker = Kind{}

// Checks looks at what holds instances to their limits.
func (Kind) Checks(context.Context) []doctor.Check { return []doctor.Check{machine.Limits()} }

// Programs are none: instances are child processes.
func (Kind) Programs() []doctor.Program { return nil }
