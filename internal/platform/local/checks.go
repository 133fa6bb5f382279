package local

import (
	"context"
	"fmt"
	"os"

	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/host/confine"
	"plimsoll/internal/platform/machine"
	"plimsoll/internal/study"
)

// Checks looks at what holds instances to their limits, and at what sets them
// apart.
func (k Kind) Checks(ctx context.Context) []doctor.Check {
	all := []doctor.Check{machine.Limitable(), confined()}
	for _, d := range []study.Deployment{study.Container, study.VM} {
		all = append(all, k.deployment(ctx, d))
	}
	return all
}

// confined says how the programs of servers judge the settings of a study.
func confined() doctor.Check {
	c := doctor.Check{Name: "checks of settings", Status: doctor.OK, Found: "programs run " + confine.Isolation()}
	if os.Geteuid() == 0 && !confine.Apart() {
		c.Status, c.Means = doctor.Warn, "a study's settings are read by programs that see this machine's files"
		c.Fix = "give the container CAP_SYS_ADMIN (docker run --privileged), or run only studies that you trust"
	}
	return c
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
