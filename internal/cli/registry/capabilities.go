package registry

import (
	"maps"
	"slices"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/capability"
	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
	"plimsoll/internal/workload"
)

// Part is a registered part with its abilities.
type Part struct {
	Of    string   `json:"of"` // storage class, engine, workload or platform
	Name  string   `json:"name"`
	Has   []string `json:"has"`
	Lacks []string `json:"lacks"`
}

// Capabilities lists the abilities that each registered part has and lacks.
func Capabilities() (all []Part) {
	all = parts("storage class", Kinds(), func(k storage.Kind) any { return k.Capabilities() })
	all = append(all, parts("engine", Engines(), func(e app.Engine) any { return e.Capabilities() })...)
	all = append(all, parts("workload", Workloads(), func(w workload.Workload) any { return w.Capabilities() })...)
	return append(all, parts("platform", Platforms(), func(k platform.Kind) any { return k.Capabilities() })...)
}

func parts[M ~map[string]K, K any](of string, kinds M, capabilities func(K) any) (all []Part) {
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		can := capabilities(kinds[name])
		all = append(all, Part{of, name, append([]string{}, capability.Of(can)...), append([]string{}, capability.Missing(can)...)})
	}
	return all
}
