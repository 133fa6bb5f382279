package report

import (
	"strings"

	"plimsoll/internal/analysis"
)

// labelsOf are what people call the variants of an analysis, by their names.
func labelsOf(a *analysis.Analysis) map[string]string {
	labels := map[string]string{}
	for _, v := range a.Variants {
		if v.Label != "" {
			labels[v.Name] = v.Label
		}
	}
	return labels
}

// labelled replaces the names of variants in a sentence by their labels. Labels of one word
// are marked as code, as their names were; others are quoted.
func labelled(text string, labels map[string]string) string {
	return codeMarks.ReplaceAllStringFunc(text, func(marked string) string {
		parts := codeMarks.FindStringSubmatch(marked)
		switch label, known := labels[parts[2]]; {
		case !known:
			return marked
		case strings.Contains(label, " "):
			return parts[1] + "“" + label + "”"
		default:
			return parts[1] + "`" + label + "`"
		}
	})
}

// Said is a sentence of an analysis as a terminal shows it.
func Said(a *analysis.Analysis, text string) string { return Plain(labelled(text, labelsOf(a))) }
