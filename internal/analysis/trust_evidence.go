package analysis

import (
	"fmt"
	"math"

	"plimsoll/internal/result"
	"plimsoll/internal/words"
)

// doubtRecords: records that could not be used are orders that nobody counted.
func doubtRecords(_ *subject, t *result.Trial, _ metrics) []Warning {
	n := len(t.Damage)
	switch n {
	case 0:
		return nil
	case 1:
		return warn("records", Serious, "some of the driver's records could not be used: %s", t.Damage[0])
	}
	return warn("records", Serious, "some of the drivers' records could not be used: %s; and %s", t.Damage[0], words.Count(n-1, "more problem"))
}

// longestWait is from which age on an order that waits at the end of the phase
// is a stall, in seconds, though other orders are as slow.
const longestWait = 1

// doubtWaiting: where most users still wait at the end, far longer than orders
// take, storage had stopped answering, and in a closed loop hardly any figure
// shows it.
func doubtWaiting(_ *subject, t *result.Trial, _ metrics) []Warning {
	o := t.Operations["order"]
	users := int64(t.Variant.Load.Users) * int64(t.Rung)
	if o.Overdue == 0 || o.Oldest < longestWait || users > 0 && 2*o.Overdue < users {
		return nil
	}
	severity := byLevel(o.Oldest/measured(t), 0, 0.01, 0.05)
	return warn("stall", severity, "when the measured phase ended, %s had been waiting for up to %s, longer than 99 %% of orders took; how they ended was not measured, so measure longer",
		words.Count(int(o.Overdue), "order"), words.Seconds(o.Oldest))
}

// leastOffered is the share of what an open loop offers that must be completed.
const leastOffered = 0.98

// shortfall says in a clause that the rung fell behind the rate that its open
// loop offered, empty where it kept up: whatever response times the completed
// orders have, those that wait grow without end.
func shortfall(passed []*result.Trial) string {
	offered, ended, waiting := 0.0, 0.0, 0.0
	for _, t := range passed {
		due := offeredOrders(t)
		if due == 0 {
			continue
		}
		o := t.Operations["order"]
		offered += due
		ended += float64(o.Count + o.RolledBack + sumErrors(o.Errors))
		waiting += float64(o.Waiting)
	}
	behind := offered - ended
	// In a steady state the number under way comes and goes by about its root.
	if offered == 0 || behind <= (1-leastOffered)*offered || behind <= 3*math.Sqrt(2*(waiting+1)) {
		return ""
	}
	text := fmt.Sprintf("%s of the offered rate was achieved", words.Percent(ended/offered))
	if waiting > 0 {
		text += fmt.Sprintf(", and %s were waiting at the end", words.Count(int(waiting), "order"))
	}
	return text
}

// offeredOrders is how many orders were due in the measured phase of a trial; 0
// in a closed loop.
func offeredOrders(t *result.Trial) float64 {
	if n := t.Operations["order"].Offered; n > 0 {
		return float64(n)
	}
	if !t.OpenLoop || t.Variant.Load.Rate <= 0 {
		return 0
	}
	return t.Variant.Load.Rate * float64(t.Rung) * measured(t)
}

// mostFailed is the share of failed orders from which on a trial counts as a
// failed one.
const mostFailed = 0.5

// doubtErrors: response times are those of the orders that succeeded, and a
// failed one may have spared storage its work. Where the study limits errors, it
// has said how many it allows.
func doubtErrors(s *subject, t *result.Trial, _ metrics) []Warning {
	share := errorShare(t)
	if s.limitsErrors() && share < manyErrors {
		return nil
	}
	severity := byLevel(share, 0.001, 0.01, manyErrors)
	if severity == "" {
		return nil
	}
	text := "%s of orders failed, and response times cover only the rest"
	if !s.limitsErrors() {
		text += "; the study sets no objective on errors: add one, such as \"errors <= 0.1%%\""
	}
	return warn("errors", severity, text, words.Percent(share))
}

func (s *subject) limitsErrors() bool {
	for _, o := range s.study.Objectives {
		if o.Metric == "errors" && isOrder(o.Operation) {
			return true
		}
	}
	return false
}

// alone finds the trials that are the only ones of their rung, by trial: how far
// such a figure would lie off the next time nobody knows.
func (s *subject) alone() map[string][]Warning {
	out := map[string][]Warning{}
	for _, g := range s.repetitions() {
		if len(g) == 1 {
			w := warn("repetition", Caution, "the only repetition of its rung: how much the figures vary is unknown")
			w[0].Trial = g[0].ID
			out[g[0].ID] = w
		}
	}
	return out
}
