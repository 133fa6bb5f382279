package cgroup

import "strconv"

// SetCPU changes the CPU limit of a group whose processes run, in cores; 0
// lifts it. Where limits are not enforced it does nothing.
func (g *Group) SetCPU(cores float64) error {
	if g.version == None || !g.Exists() {
		return nil
	}
	if cores > 0 {
		return g.limitCPU(cores)
	}
	if g.version == V2 {
		return g.writeIfPresent("", "cpu.max", "max "+strconv.Itoa(period))
	}
	return g.writeIfPresent("cpu", "cpu.cfs_quota_us", "-1")
}
