package report

import (
	"slices"
	"strings"

	"plimsoll/internal/analysis"
	"plimsoll/internal/words"
)

// settingText writes a setting's value, and where variants differ, each value with the
// variants that have it.
func settingText(a *analysis.Analysis, s analysis.Setting) string {
	if len(s.ByVariant) == 0 {
		return s.Value
	}
	var values []string
	having := map[string][]string{}
	for _, v := range a.Variants {
		value, has := s.ByVariant[v.Name]
		if !has {
			continue
		}
		if having[value] == nil {
			values = append(values, value)
		}
		having[value] = append(having[value], v.Name)
	}
	for i, value := range values {
		values[i] += " on " + words.Join(having[value])
	}
	return strings.Join(values, ", ")
}

// writeSettings lists all settings of the study in one paragraph: those of the
// servers first, as they decide most.
func writeSettings(l *lines, a *analysis.Analysis) {
	if len(a.Settings) == 0 {
		return
	}
	sorted := slices.Clone(a.Settings)
	slices.SortStableFunc(sorted, func(x, y analysis.Setting) int { return settingRank(x) - settingRank(y) })
	parts := make([]string, len(sorted))
	for i, s := range sorted {
		parts[i] = s.Name + " = " + settingText(a, s)
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
		m.row("`"+escape(s.Name)+"`", escape(settingText(a, s)))
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
