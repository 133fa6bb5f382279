package setup

import (
	"strings"

	"plimsoll/internal/analysis/model"
)

// Level is what a variant has as a setting of the servers of a role, by its path in studies:
// stack.ROLE.settings.NAME, or engine.settings.NAME where there is one server; empty where it
// has none.
func (s *Subject) Level(v *model.Variant, path string) string {
	for _, t := range s.Run.Trials {
		if t.Variant.Name != v.Name {
			continue
		}
		if name, ok := strings.CutPrefix(path, "engine.settings."); ok {
			return t.Variant.Engine.Settings[name]
		}
		role, name, _ := strings.Cut(strings.TrimPrefix(path, "stack."), ".settings.")
		return t.Variant.Stack[role].Settings[name]
	}
	return ""
}
