package sides

import (
	"maps"
	"slices"

	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
)

// Differing lists the settings in which the two sides of a comparison differ, in
// words: of the first common variant, of the study beyond it, and of the machine.
func Differing(p Pair, a, b *result.Run) []string {
	of := func(t *result.Trial, run *result.Run) map[string]string {
		out := map[string]string{}
		v := t.Variant
		setup.Flatten("", v.Factors, out)
		setup.Flatten("engine", v.Engine, out)
		setup.Flatten("stack", v.Stack, out)
		setup.Flatten("workload", v.Workload, out)
		setup.Flatten("load", v.Load, out)
		setup.Flatten("storage", v.Storage(), out)
		setup.Flatten("machine", machineFacts(run.Machine), out)
		if run.Plan != nil && run.Plan.Study != nil {
			setup.Flatten("", studyFacts(run.Plan.Study), out)
		}
		return out
	}
	fa, fb := of(p.A[0], a), of(p.B[0], b)
	keys := maps.Clone(fa)
	maps.Copy(keys, fb)
	out := []string{}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if fa[key] != fb[key] {
			out = append(out, say.F("%s: %s against %s", key, orNothing(fa[key]), orNothing(fb[key])))
		}
	}
	return out
}

func orNothing(value string) string {
	if value == "" {
		return say.F("nothing")
	}
	return value
}

// studyFacts are the facts that a study fixes for all of its variants.
func studyFacts(s *study.Study) map[string]any {
	var objectives []string
	for _, one := range s.Tile() {
		for _, o := range one.Objectives {
			objectives = append(objectives, o.Text)
		}
	}
	return map[string]any{"phases": s.Phases, "objectives": say.Join(objectives), "profile": s.Profile}
}

func machineFacts(m *result.Machine) map[string]any {
	if m == nil {
		return nil
	}
	return map[string]any{
		"kernel": m.Kernel, "cpu": m.CPUModel, "cores": m.Cores, "memory": unit.Bytes(m.MemoryBytes), "plimsoll": m.Plimsoll, "programs": m.Programs,
	}
}
