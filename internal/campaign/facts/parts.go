package facts

import (
	"fmt"
	"maps"
	"slices"

	"plimsoll/internal/app"
	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
	"plimsoll/internal/workload"
)

// Parts are the implementations that a campaign chooses from.
type Parts struct {
	Workloads workload.Registry
	Kinds     storage.Registry
	Engines   map[string]app.Engine
	// Platforms are those that a study may name, and Platform is the one that was
	// chosen; see On.
	Platforms map[string]platform.Kind
	Platform  platform.Kind
	// References are the published results that a study may name.
	References []string
	// Untested are the engines that a plan may use although nobody ever tried them.
	Untested []string
}

// Workload gives the workload of a variant and its typed parameters.
func (p Parts) Workload(v study.Variant) (workload.Workload, workload.Parameters, error) {
	w, err := p.Workloads.Get(v.Workload.Name)
	if err != nil {
		return nil, nil, err
	}
	params, ok := v.Workload.Parameters.(workload.Parameters)
	if !ok {
		return nil, nil, fmt.Errorf("the parameters of workload %s have type %T", v.Workload.Name, v.Workload.Parameters)
	}
	return w, params, nil
}

// On chooses the platform that a study names; without a name, this machine.
func (p Parts) On(chosen study.Platform) (Parts, error) {
	name := chosen.Name
	if name == "" {
		name = DefaultPlatform
	}
	kind, ok := p.Platforms[name]
	if !ok {
		return p, fmt.Errorf("unknown platform %q; known: %v", name, slices.Sorted(maps.Keys(p.Platforms)))
	}
	p.Platform = kind.Bind(chosen.Parameters)
	return p, nil
}

// DefaultPlatform is the platform of a study that names none.
const DefaultPlatform = "local"

// VolumeKinds lists what volumes of a storage are.
func (p Parts) VolumeKinds(s study.Storage) []string {
	if k, ok := p.Kinds[s.Class]; ok {
		return k.VolumeKinds(s.Parameters)
	}
	return nil
}
