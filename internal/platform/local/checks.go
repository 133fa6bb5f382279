package local

import (
	"context"
	"fmt"

	"plimsoll/internal/doctor"
	"plimsoll/internal/machine"
	"plimsoll/internal/study"
)

var _ doctor.Checker = Kind{}

// Checks looks at what holds instances to their limits, and at what sets them
// apart.
func (k Kind) Checks(ctx context.Context) []doctor.Check {
	all := []doctor.Check{machine.Limits()}
	for _, d := range []study.Deployment{study.Container, study.VM} {
		all = append(all, k.deployment(ctx, d))
	}
	return all
}

func (k Kind) deployment(ctx context.Context, d study.Deployment) doctor.Check {
	c := doctor.Check{Name: "deployment " + string(d), Status: doctor.OK, Found: "instances can be deployed so"}
	if err := k.Deploys(ctx, d); err != nil {
		c.Status, c.Found = doctor.Warn, err.Error()
		c.Means = fmt.Sprintf("studies with deployment: %s are refused", d)
	}
	return c
}

// Programs are none: instances are child processes.
func (Kind) Programs() []doctor.Program { return nil }
