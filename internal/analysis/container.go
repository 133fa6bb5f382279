package analysis

import (
	"fmt"
	"math"

	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
	"plimsoll/internal/words"
)

// containerKind is the Kind of a CPU quota over everything that runs on a
// machine for a trial: that of the container, service or batch job which Plimsoll
// was started in.
const containerKind = "container"

// containerQuota is such a quota. It is no part of the machine's CPU and no
// station beside it: work uses both at once.
func containerQuota(t *result.Trial, h trial.Host, name string) (Resource, bool) {
	busy, ok := h.Mean("container", name, "cpu_utilisation")
	r := Resource{Name: h.Of("CPU quota of " + containerName(name)), Kind: containerKind, Utilisation: busy}
	r.Servers, _ = h.Mean("container", name, "cpu_limit")
	r.Throttled, _ = h.Mean("container", name, "throttled_periods")
	periods, _ := h.Mean("container", name, "periods")
	r.Periods = math.Round(periods * trial.Seconds(t))
	return r, ok
}

func containerMemory(h trial.Host, name string) (Resource, bool) {
	used, ok := h.Mean("container", name, "memory_utilisation")
	return Resource{Name: h.Of("memory limit of " + containerName(name)), Kind: "memory", Utilisation: used}, ok
}

// boundByContainer says that such a quota holds a rung back.
func boundByContainer(r *Rung) bool {
	top := busiest(r.Resources)
	return top != nil && top.Kind == containerKind && top.limits()
}

// containerName is how a control group over a run is called. Inside most
// containers it is the only one that can be seen.
func containerName(group string) string {
	if group == "/" {
		return "this container"
	}
	return "this container (control group " + group + ")"
}

// quotaText says how large a container's quota is and how often it held the run
// back: "0.6 cores, throttled in 149 of 208 periods"; empty for other resources.
func (r Resource) quotaText() string {
	if r.Kind != containerKind {
		return ""
	}
	text := words.Exact(r.Servers) + " cores"
	if r.Servers == 1 {
		text = "1 core"
	}
	if r.Periods > 0 {
		text += fmt.Sprintf(", throttled in %.0f of %.0f periods", r.Throttled*r.Periods, r.Periods)
	}
	return text
}

// raiseContainer: no key of the study changes what Plimsoll was started in.
func (s *subject) raiseContainer(e experiment, top Resource) (experiment, bool) {
	e.words = fmt.Sprintf("Run without this quota, or with %s cores (docker run --cpus, resources.limits.cpu of a pod, CPUQuota= of a service), and measure this rung again.", words.Exact(2*top.Servers))
	return e, true
}
