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
	m.head(2, "setting", "value")
	for _, s := range a.Settings {
		m.row(code(s.Name), plain(settingText(s)))
	}
}

// settingRows are the rows of TableSettings: one for a setting that all variants
// share, with an empty variant, or one for each variant.
func settingRows(a *analysis.Analysis) [][]string {
	rows := [][]string{{"study", "setting", "variant", "value"}}
	for _, s := range a.Settings {
		if len(s.ByVariant) == 0 {
			rows = append(rows, []string{a.Study.Name, s.Name, "", s.Value})
			continue
		}
		for _, v := range a.Variants {
			if value, has := s.ByVariant[v.Name]; has {
				rows = append(rows, []string{a.Study.Name, s.Name, v.Name, value})
			}
		}
	}
	return rows
}
