package report

import (
	"slices"
	"strings"

	"plimsoll/internal/analysis"
)

// settingText writes a setting's value, and where variants differ, each value with those
// that have it.
func settingText(s analysis.Setting) string {
	if len(s.Values) == 0 {
		return s.Value
	}
	values := make([]string, len(s.Values))
	for i, v := range s.Values {
		values[i] = v.Value
		if v.For != "" {
			values[i] += " for " + v.For
		}
	}
	return strings.Join(values, ", ")
}

// writeSettings lists all settings of the study in one paragraph, starting with the
// servers', which matter most.
func writeSettings(l *lines, a *analysis.Analysis) {
	if len(a.Settings) == 0 {
		return
	}
	sorted := slices.Clone(a.Settings)
	slices.SortStableFunc(sorted, func(x, y analysis.Setting) int { return settingRank(x) - settingRank(y) })
	parts := make([]string, len(sorted))
	for i, s := range sorted {
		parts[i] = s.Name + " = " + settingText(s)
	}
	l.heading("Settings")
	l.paragraph(dim, strings.Join(parts, "; ")+".")
}

func settingRank(s analysis.Setting) int {
	if strings.HasPrefix(s.Name, "engine.settings.") {
		return 0
	}
	return 1
}

func (m *markdown) settings(a *analysis.Analysis) {
	if len(a.Settings) == 0 {
		return
	}
	m.heading("Settings")
	m.table(settingsGrid(a))
}

func settingsGrid(a *analysis.Analysis) grid {
	g := newGrid("ll", "setting", "value")
	g.title = "Settings of the study"
	for _, s := range a.Settings {
		g.rows = append(g.rows, []cell{{text: s.Name, as: code, kind: CodeCell}, {text: settingText(s)}})
	}
	return g
}
