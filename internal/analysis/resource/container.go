package resource

import (
	"math"

	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// containerQuota is the quota of the container, service or batch job that runs Plimsoll. It
// is neither a part of the machine's CPU nor a station of its own: work uses both at once.
func containerQuota(t *result.Trial, h trial.Host, name string) (Resource, bool) {
	busy, ok := h.Mean(describe.ContainerKind, name, "cpu_utilisation")
	r := Resource{Kind: Container, Utilisation: busy}.named(h.Of(containerName(name).Behind("CPU quota of ")))
	r.Servers, _ = h.Mean(describe.ContainerKind, name, "cpu_limit")
	r.Throttled, _ = h.Mean(describe.ContainerKind, name, "throttled_periods")
	periods, _ := h.Mean(describe.ContainerKind, name, "periods")
	r.Periods = math.Round(periods * trial.Seconds(t))
	return r, ok
}

func containerMemory(h trial.Host, name string) (Resource, bool) {
	used, ok := h.Mean(describe.ContainerKind, name, "memory_utilisation")
	return Resource{Kind: Memory, Utilisation: used}.named(h.Of(containerName(name).Behind("memory limit of "))), ok
}

// containerName is how a control group over a run is called. Inside most
// containers it is the only one that can be seen.
func containerName(group string) trial.Label {
	if group == "/" {
		return trial.Called("this container")
	}
	return trial.Label{Name: "this container", Bracket: "control group " + group}
}
