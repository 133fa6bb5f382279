// This file says which instances of a trial failed by themselves and were set aside, and
// how much that weighs.

package trust

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/result"
	"plimsoll/internal/text/words"
)

// Weights, as shares of a trial's instances, from which a doubt is a caution and serious.
const (
	setAsideCaution = 0.01
	setAsideSerious = 0.05
)

// SetAsideWeight is the share that was set aside. Where one failed while users were at work it is
// Caution at least: the load may be why.
func SetAsideWeight(t *result.Trial) float64 {
	share := stats.Ratio(float64(len(t.SetAside)), float64(t.Rung))
	if slices.ContainsFunc(t.SetAside, func(a result.Exclusion) bool { return a.Stage == result.StageDrive }) {
		return max(share, setAsideCaution)
	}
	return share
}

// mostNamed is how many instances the text names.
const mostNamed = 3

// Said says how many failed, and names the first.
func setAsideText(t *result.Trial) words.Phrase {
	were := "were"
	if len(t.SetAside) == 1 {
		were = "was"
	}
	return words.Say("%s of %s instances failed and %s set aside, as the study tolerates; the figures are those of the other %s, and what failed was not audited: %s",
		thousands(len(t.SetAside)), thousands(t.Rung), were, thousands(t.Ran()), namedSetAside(t.SetAside))
}

func namedSetAside(all []result.Exclusion) string {
	var texts []string
	for _, a := range all[:min(len(all), mostNamed)] {
		where := ""
		if a.Node != "" {
			where = " on " + a.Node
		}
		texts = append(texts, fmt.Sprintf("%s%s %s (%s)", a.Whose(), where, a.When(), a.Briefly()))
	}
	if more := len(all) - len(texts); more > 0 {
		texts = append(texts, "and "+words.Whole(more)+" more")
	}
	return strings.Join(texts, "; ")
}

func thousands(n int) words.Amount {
	return words.Amount{Value: float64(n), Text: words.Whole(n)}
}
