package trial

import (
	"fmt"
	"strings"

	"plimsoll/internal/campaign/progress"
	"plimsoll/internal/result"
	"plimsoll/internal/text/words"
)

// Outcome shows the watcher how a trial ended.
func Outcome(kind progress.EventKind, r *result.Trial) progress.Event {
	whole := r.Whole()
	e := progress.Event{
		Kind: kind, Trial: r.ID, Variant: r.Variant.Name, Rung: r.Rung, Alone: r.Alone,
		Failed: r.Status != result.Passed, Mean: whole.Mean, P95: whole.P95, P99: whole.P99,
	}
	e.Throughput, e.Unit = r.Throughput(), r.Profile.Unit.Throughput
	e.Text = outcome(r)
	return e
}

// outcome is one line for the terminal.
func outcome(r *result.Trial) string {
	if r.Failure != nil {
		return fmt.Sprintf("failed to %s: %s", r.Failure.Stage, r.Failure.Cause)
	}
	var texts []string
	for _, one := range r.Tile() {
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
