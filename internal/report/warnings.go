package report

import (
	"strings"

	"plimsoll/internal/analysis/say/warning"
	"plimsoll/internal/text/words"
)

// warningText is the text of the first warning of a group, with the trials that it concerns.
func warningText(g warning.Group, labels map[string]string) string {
	text := Plain(labelled(g.First.Text, labels))
	switch n := len(g.Trials); {
	case n == 0:
		return text
	case g.Varied:
		return text + " (" + g.Trials[0] + "; likewise, with other figures, in " + words.Count(n-1, "more trial") + ")"
	case n <= 3:
		return text + " (" + strings.Join(g.Trials, ", ") + ")"
	default:
		return text + " (" + words.Count(n, "trial") + ", first " + g.Trials[0] + ")"
	}
}
