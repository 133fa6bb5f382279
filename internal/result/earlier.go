package result

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"plimsoll/internal/study"
)

// liftEvents marks the faults of a trial of an earlier version, which says only in words what
// was a fault and what ended it.
func (t *Trial) liftEvents() {
	if slices.ContainsFunc(t.Events, func(e Event) bool { return e.Fault != "" }) {
		return
	}
	slices.SortStableFunc(t.Events, func(a, b Event) int { return a.At.Compare(b.At) })
	markByText(t.Events)
}

var (
	injected = regexp.MustCompile(`^fault: (.+?)(?: \(.*\))?$`)
	answers  = regexp.MustCompile(`^(?:role (\S+) of )?(instance \d+) answers again .* s after (?:it was killed|"(.+)")$`)
	healed   = regexp.MustCompile(`^healed: full redundancy .* s after "(.+)"$`)
)

// markByText marks the faults of events that have only words, which are in order of time.
func markByText(events []Event) {
	for i := range events {
		e, before := &events[i], events[:i]
		switch {
		case injected.MatchString(e.Text):
			e.Fault = injected.FindStringSubmatch(e.Text)[1]
		case e.Text == "power cut" && (i == 0 || !strings.HasPrefix(before[i-1].Fault, study.CutPower)):
			e.Fault = study.CutPower // that ended the load
		case answers.MatchString(e.Text):
			endLast(before, answered(answers.FindStringSubmatch(e.Text)), e.At)
		case strings.HasPrefix(e.Text, "all instances answer again "):
			endLast(before, study.CutPower, e.At)
		case healed.MatchString(e.Text):
			endHealed(before, healed.FindStringSubmatch(e.Text)[1], e.At)
		}
	}
}

// answered is the fault that an instance answers again after: the one that the text names,
// or the one that killed the instance.
func answered(text []string) string {
	role, instance, named := text[1], text[2], text[3]
	if named != "" {
		return named
	}
	return strings.TrimSpace("kill " + instance + " " + role)
}

// endLast ends the latest fault of a name. Where several instances answer again after it,
// the last of them does.
func endLast(before []Event, name string, at time.Time) {
	for i := len(before) - 1; i >= 0; i-- {
		if before[i].Fault == name {
			before[i].Until = at
			return
		}
	}
}

// endHealed ends all faults of the storage. The one that its redundancy came back after
// was a repair.
func endHealed(before []Event, repair string, at time.Time) {
	for i := range before {
		e := &before[i]
		e.Repairs = e.Repairs || e.Fault == repair
		elsewhere := e.Fault == study.CutPower || strings.HasPrefix(e.Fault, study.KillInstance)
		if e.Fault != "" && !e.Repairs && !elsewhere && e.Until.IsZero() {
			e.Until = at
		}
	}
}
