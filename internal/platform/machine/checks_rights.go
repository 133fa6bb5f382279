package machine

import (
	"fmt"

	"plimsoll/internal/describe/doctor"
)

func (g general) root() doctor.Check {
	return doctor.Root("studies use what their storage names as `otherwise`, if it does")
}

// Limitable checks whether instances on this machine can be held to limits.
func Limitable() doctor.Check {
	cpu, memory, obstacle := limitable()
	c := doctor.Check{
		Name: "limits", Status: doctor.Wanted(cpu && memory, doctor.Warn),
		Found: "CPU and memory limits by cgroup " + cgroupVersion(),
		Means: "instance limits are not enforced, which is noted in the results",
		Fix:   "run as root, or delegate a cgroup: systemd-run --user --scope -p Delegate=yes plimsoll ...",
	}
	if obstacle != "" {
		c.Found = fmt.Sprintf("CPU limits %s, memory limits %s: %s", yesNo(cpu), yesNo(memory), obstacle)
	}
	return c
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
