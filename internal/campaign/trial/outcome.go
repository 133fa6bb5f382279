package trial

import (
	"fmt"
	"strings"

	"plimsoll/internal/campaign/progress"
	"plimsoll/internal/result"
	"plimsoll/internal/text/words"
)

// Outcome shows the watcher how a trial of some members ended; figures are those of an
// only member.
func Outcome(kind progress.EventKind, members []*result.Trial) progress.Event {
	r := members[0].Tile()
	e := progress.Event{
		Kind: kind, Trial: r.ID, Variant: r.Variant.Name, Rung: r.Rung, Alone: r.Alone,
		Failed: r.Status != result.Passed, Text: outcome(members),
	}
	if len(members) == 1 {
		only := members[0]
		whole := only.Whole()
		e.Mean, e.P95, e.P99 = whole.Mean, whole.P95, whole.P99
		e.Throughput, e.Unit = only.Throughput(), only.Profile.Unit.Throughput
	}
	return e
}

// outcome is one line for the terminal.
func outcome(members []*result.Trial) string {
	if f := members[0].Failure; f != nil {
		return fmt.Sprintf("failed to %s: %s", f.Stage, f.Cause)
	}
	var texts []string
	for _, one := range members {
		text := measured(one)
		if name := one.Variant.Member; name != "" {
			text = name + ": " + text
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

// measured is what one application did, in a line.
func measured(r *result.Trial) string {
	whole := r.Whole()
	text := fmt.Sprintf("%s %s, %s", words.Figures(r.Throughput()), r.Profile.Unit.Throughput, words.ResponseTimes(whole.Mean, whole.P95, whole.P99))
	if r.Unfinished > 0 {
		text += fmt.Sprintf(", %d users had not finished", r.Unfinished)
	}
	if r.Audit != nil {
		text += ", audit: " + r.Audit.Text
	}
	return text
}
