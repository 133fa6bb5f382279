package report

import (
	"slices"
	"strings"

	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/text/words"
)

// warningGroup is one warning with all the trials it was raised for.
type warningGroup struct {
	trust.Warning
	trials []string
	// varied reports that the other trials' texts have other figures.
	varied bool
}

// groupWarnings joins warnings over trials that say the same of the same, but for figures, the
// text of the first standing for all, and sorts them by severity, otherwise in the order of
// the analysis. Warnings of the whole run are joined only when equal.
func groupWarnings(warnings []trust.Warning) []warningGroup {
	type key struct {
		kind, form, rest string
		severity         trust.Severity
	}
	keyOf := func(w trust.Warning) key {
		if w.Trial != "" {
			return key{w.Kind, w.Form, strings.Join(w.Names, "\n"), w.Severity}
		}
		return key{w.Kind, w.Form, w.Text, w.Severity}
	}
	at := map[key]int{}
	var groups []warningGroup
	for _, w := range warnings {
		k := keyOf(w)
		i, known := at[k]
		if !known {
			i = len(groups)
			at[k] = i
			groups = append(groups, warningGroup{Warning: w})
		}
		if w.Trial != "" {
			groups[i].trials = append(groups[i].trials, w.Trial)
			groups[i].varied = groups[i].varied || w.Text != groups[i].Text
		}
	}
	slices.SortStableFunc(groups, func(v, w warningGroup) int { return v.Severity.Graver(w.Severity) })
	return groups
}

// sentence is the warning's text with the trials it concerns.
func (g warningGroup) sentence(labels map[string]string) string {
	text := Plain(labelled(g.Text, labels))
	switch n := len(g.trials); {
	case n == 0:
		return text
	case g.varied:
		return text + " (" + g.trials[0] + "; likewise, with other figures, in " + words.Count(n-1, "more trial") + ")"
	case n <= 3:
		return text + " (" + strings.Join(g.trials, ", ") + ")"
	default:
		return text + " (" + words.Count(n, "trial") + ", first " + g.trials[0] + ")"
	}
}
