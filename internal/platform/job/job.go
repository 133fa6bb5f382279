// Package job is what tasks do near an instance besides driving it: find its
// programs, prepare its data set, audit it, probe its storage. Its types are the jobs, as a campaign describes them; its handlers do
// them, in a process of their own.
package job

import (
	"encoding/json"

	"plimsoll/internal/app"
	"plimsoll/internal/host/task"
	"plimsoll/internal/workload"
)

// Kinds of tasks.
const (
	PrepareKind = "prepare"
	AuditKind   = "audit"
	ReleaseKind = "release"
	ProbeKind   = "probe"
	ObserveKind = "observe"
	FindKind    = "find"
	// DurabilityKind reads settings.
	DurabilityKind = "durability"
)

// Registries are what jobs name things of.
type Registries struct {
	Workloads workload.Registry
	Engines   map[string]app.Engine
}

// Handlers does the jobs of this package.
func Handlers(r Registries) map[string]task.Handler {
	return map[string]task.Handler{PrepareKind: r.prepare, AuditKind: r.audit, ReleaseKind: r.release, ProbeKind: doProbe, ObserveKind: doObserve, FindKind: r.find, DurabilityKind: r.durability}
}

// Work names a workload and its target.
type Work struct {
	Workload   string          `json:"workload"`
	Parameters json.RawMessage `json:"parameters"`
	Seed       uint64          `json:"seed"` // of the data set
	Target     workload.Target `json:"target"`
}

// resolve finds the workload and decodes its parameters.
func (r Registries) resolve(work Work) (workload.Workload, workload.Parameters, error) {
	w, err := r.Workloads.Get(work.Workload)
	if err != nil {
		return nil, nil, err
	}
	p, err := workload.DecodeParameters(w, work.Parameters)
	return w, p, err
}
