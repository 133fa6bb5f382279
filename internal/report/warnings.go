package report

import (
	"sort"
	"strings"

	"plimsoll/internal/analysis"
)

// warningGroup is one warning with all the trials it was raised for.
type warningGroup struct {
	analysis.Warning
	trials []string
}

// groupWarnings joins equal warnings of different trials and sorts them by
// severity, otherwise in the order of the analysis.
func groupWarnings(warnings []analysis.Warning) []warningGroup {
	type key struct{ kind, severity, text string }
	at := map[key]int{}
	var groups []warningGroup
	for _, w := range warnings {
		k := key{w.Kind, w.Severity, w.Text}
		i, known := at[k]
		if !known {
			i = len(groups)
			at[k] = i
			groups = append(groups, warningGroup{Warning: w})
		}
		if w.Trial != "" {
			groups[i].trials = append(groups[i].trials, w.Trial)
		}
	}
	sort.SliceStable(groups, func(i, j int) bool {
		return severityRank(groups[i].Severity) < severityRank(groups[j].Severity)
	})
	return groups
}

// severityRank orders severities, the worst first.
func severityRank(severity string) int {
	switch severity {
	case "serious":
		return 0
	case "caution":
		return 1
	default:
		return 2
	}
}

// sentence is the warning's text with the trials it concerns.
func (g warningGroup) sentence() string {
	text := plain(g.Text)
	switch n := len(g.trials); {
	case n == 0:
		return text
	case n <= 3:
		return text + " (" + strings.Join(g.trials, ", ") + ")"
	default:
		return text + " (" + plural(n, "trial") + ", first " + g.trials[0] + ")"
	}
}
