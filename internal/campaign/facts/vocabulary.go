package facts

import (
	"slices"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/describe/event"
	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
	"plimsoll/internal/workload"
)

// Vocabulary gives the study package the available workloads, engines, storage and platforms.
func Vocabulary(parts Parts) study.Vocabulary {
	v := study.Vocabulary{Workloads: map[string]study.VocabularyEntry{}, Classes: map[string]study.VocabularyEntry{}, Platforms: map[string]study.VocabularyEntry{}, References: parts.References}
	for name, w := range parts.Workloads {
		v.Workloads[name] = parts.typedWorkload(w)
	}
	for name, k := range parts.Kinds {
		v.Classes[name] = typedKind(k)
	}
	for name, k := range parts.Platforms {
		v.Platforms[name] = typedPlatform(k)
	}
	v.EngineEvents = map[string]event.Declaration{}
	for name, e := range parts.Engines {
		v.Engines = append(v.Engines, name)
		if actor := e.Capabilities().Actor; actor != nil {
			v.EngineEvents[name] = actor.Events()
		}
	}
	return v
}

func (parts Parts) typedWorkload(w workload.Workload) study.VocabularyEntry {
	return study.VocabularyEntry{
		Roles:      func(p any) []study.Role { return parts.rolesOf(w, p.(workload.Parameters)) },
		Defaults:   func() any { return w.Defaults() },
		Operations: func(p any) []string { return w.Describe(p.(workload.Parameters)).Operations },
		Metrics:    func(p any) []describe.Metric { return w.Describe(p.(workload.Parameters)).Metrics },
		UserRate:   func(p any) float64 { return w.Describe(p.(workload.Parameters)).UserRate },
		Validate:   func(p any) []describe.Problem { return p.(workload.Parameters).Validate() },
	}
}

// rolesOf says which engines and kinds of volumes can fill the roles of a
// workload: a kind of endpoint is one of volumes where a storage class hands it out.
func (parts Parts) rolesOf(w workload.Workload, p workload.Parameters) (all []study.Role) {
	volumes := map[string]bool{}
	for _, k := range parts.Kinds {
		for _, kind := range k.VolumeKinds(nil) {
			volumes[kind] = true
		}
	}
	for _, role := range w.Roles(p) {
		r := study.Role{Name: role.Name, Site: slices.Contains(role.Kinds, endpoint.Site)}
		for _, kind := range role.Kinds {
			if volumes[kind] {
				r.Volumes = append(r.Volumes, kind)
			}
		}
		for _, m := range role.Mounts {
			r.Mounts = append(r.Mounts, describe.Mount{Name: m.Name, Kinds: m.Kinds})
		}
		for name, e := range parts.Engines {
			if slices.Contains(role.Kinds, e.Kind()) {
				r.Engines = append(r.Engines, name)
			}
		}
		slices.Sort(r.Engines)
		all = append(all, r)
	}
	return all
}

func typedKind(k storage.Kind) study.VocabularyEntry {
	t := study.VocabularyEntry{
		Defaults: k.Defaults,
		Validate: k.Validate,
		Volumes:  k.VolumeKinds,
	}
	t.Events = k.Capabilities().Events
	return t
}

func typedPlatform(k platform.Kind) study.VocabularyEntry {
	t := study.VocabularyEntry{Defaults: k.Defaults, Validate: k.Validate}
	t.Events = k.Capabilities().Events
	return t
}
