package analysis

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/words"
)

// differing lists the settings in which the two sides of a comparison differ, in
// words: of the first common variant, of the study beyond it, and of the machine.
func differing(p pair, a, b *result.Run) []string {
	of := func(t *result.Trial, run *result.Run) map[string]string {
		out := map[string]string{}
		v := t.Variant
		flatten("", v.Factors, out)
		flatten("engine", v.Engine, out)
		flatten("workload", v.Workload, out)
		flatten("load", v.Load, out)
		flatten("storage", v.Storage, out)
		flatten("machine", machineFacts(run.Machine), out)
		if run.Plan != nil && run.Plan.Study != nil {
			flatten("", studyFacts(run.Plan.Study), out)
		}
		return out
	}
	fa, fb := of(p.a[0], a), of(p.b[0], b)
	keys := maps.Clone(fa)
	maps.Copy(keys, fb)
	out := []string{}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if fa[key] != fb[key] {
			out = append(out, fmt.Sprintf("%s: %s against %s", key, orNothing(fa[key]), orNothing(fb[key])))
		}
	}
	return out
}

func orNothing(value string) string {
	if value == "" {
		return "nothing"
	}
	return value
}

// studyFacts are what a study fixes for all of its variants.
func studyFacts(s *study.Study) map[string]any {
	objectives := make([]string, len(s.Objectives))
	for i, o := range s.Objectives {
		objectives[i] = o.Text
	}
	return map[string]any{"phases": s.Phases, "objectives": words.Join(objectives), "profile": s.Profile}
}

func machineFacts(m *result.Machine) map[string]any {
	if m == nil {
		return nil
	}
	return map[string]any{
		"kernel": m.Kernel, "cpu": m.CPUModel, "cores": m.Cores, "memory": study.Bytes(m.MemoryBytes), "plimsoll": m.Plimsoll, "programs": m.Programs,
	}
}

// flatten writes the settings of a value under dotted paths.
func flatten(path string, value any, out map[string]string) {
	data, err := json.Marshal(value)
	var plain any
	if err != nil || json.Unmarshal(data, &plain) != nil {
		return // nothing that a run holds fails here
	}
	flattenPlain(path, plain, out)
}

func flattenPlain(path string, value any, out map[string]string) {
	fields, ok := value.(map[string]any)
	if !ok {
		if value != nil {
			out[path] = settingText(value)
		}
		return
	}
	for key, v := range fields {
		below := key
		if path != "" {
			below = path + "." + key
		}
		flattenPlain(below, v, out)
	}
}

// settingText writes a setting as a study would.
func settingText(value any) string {
	if n, ok := value.(float64); ok {
		return words.Exact(n)
	}
	return fmt.Sprint(value)
}
