package warning

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/text/words"
)

// Group is one warning with all the trials that it is about.
type Group struct {
	Kind     trust.Kind     `json:"kind"`                                                      // as of each of the warnings
	Severity trust.Severity `json:"severity" jsonschema:"enum=note,enum=caution,enum=serious"` // how much it may matter
	// Text is the reason in words, with the lowest and the highest of figures that differ.
	Text   string   `json:"text"`
	Trials []string `json:"trials,omitempty"` // each once, in the order of the warnings; none for the run
	// First is the first of the warnings, and Varied reports that others have other figures.
	First  trust.Warning `json:"-"`
	Varied bool          `json:"-"`
}

// Groups joins warnings over trials that say the same of the same, but for figures, and
// sorts them by severity, otherwise in the order of the analysis. Warnings of the whole run are
// joined only when equal.
func Groups(warnings []trust.Warning) []Group {
	at := map[string]int{}
	var all [][]trust.Warning
	for _, w := range warnings {
		key := groupKey(w)
		i, known := at[key]
		if !known {
			i = len(all)
			at[key], all = i, append(all, nil)
		}
		all[i] = append(all[i], w)
	}
	groups := make([]Group, len(all))
	for i, same := range all {
		groups[i] = groupOf(same)
	}
	slices.SortStableFunc(groups, func(v, w Group) int { return v.Severity.Graver(w.Severity) })
	return groups
}

func groupOf(same []trust.Warning) Group {
	g := Group{Kind: same[0].Kind, Severity: same[0].Severity, Text: same[0].Text, First: same[0]}
	for _, w := range same {
		if w.Trial != "" && !slices.Contains(g.Trials, w.Trial) {
			g.Trials = append(g.Trials, w.Trial)
		}
		g.Varied = g.Varied || Key(w) != Key(g.First)
	}
	if g.Varied {
		g.Text = ranged(same)
	}
	return g
}

// groupKey is what warnings of one group have in common.
func groupKey(w trust.Warning) string {
	if w.Trial == "" {
		return fmt.Sprintf("%s|%s", w.Severity, Key(w))
	}
	return fmt.Sprintf("%s|%s|%q|%q", w.Severity, w.Kind, stated(w.Reason()).forms, w.Names)
}

// Key is what warnings have in common that say the same with the same figures: figures
// are the same that agree in the digits that are written.
func Key(w trust.Warning) string {
	return reasonKey(w.Reason())
}

func reasonKey(r trust.Reason) string {
	key := fmt.Sprintf("%q %q", r.Kind, r.Form)
	for _, a := range r.Args {
		value := ""
		if a.Unit != "" {
			value = number(a)
		}
		key += fmt.Sprintf(" %q %q %q", value, a.Text, a.List)
		for _, within := range a.Reasons {
			key += "(" + reasonKey(within) + ")"
		}
	}
	return key
}

// ranged is the text of warnings that differ in nothing but their figures.
func ranged(same []trust.Warning) string {
	var out strings.Builder
	first, end := []rune(same[0].Text), 0
	for i, f := range same[0].Figures {
		out.WriteString(string(first[end:f.At]) + lowToHigh(same, i))
		end = f.At + f.Length
	}
	return out.String() + string(first[end:])
}

// lowToHigh is the lowest and the highest of a figure of warnings, with their unit once.
func lowToHigh(same []trust.Warning, i int) string {
	by := func(v, w trust.Warning) int { return cmp.Compare(v.Figures[i].Value, w.Figures[i].Value) }
	text := func(w trust.Warning) string {
		f := w.Figures[i]
		return string([]rune(w.Text)[f.At : f.At+f.Length])
	}
	return words.Range(text(slices.MinFunc(same, by)), text(slices.MaxFunc(same, by)))
}
