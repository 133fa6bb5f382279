package trust

import (
	"math"

	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/steadiness"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// doubtRecords: records that could not be used are work that nobody counted.
func doubtRecords(_ *Evidence, t *result.Trial, _ trial.Metrics) []Warning {
	switch n := len(t.Damage); n {
	case 0:
		return nil
	case 1:
		return []Warning{Warn(Records, Serious, RecordsOne, Name(t.Damage[0])).By(bound.Unbounded)}
	default:
		return []Warning{Warn(Records, Serious, RecordsSeveral, Name(t.Damage[0]), Count(n-1)).By(bound.Unbounded)}
	}
}

// longestWait is from which age on work that waits at the end of the phase is a
// stall, in seconds, though other work is as slow.
const longestWait = 1

// doubtWaiting: where most users still wait at the end, far longer than their work
// takes, storage had stopped answering, and in a closed loop hardly any figure
// shows it.
func doubtWaiting(_ *Evidence, t *result.Trial, _ trial.Metrics) []Warning {
	o := t.Whole()
	users := int64(t.Variant.Load.Users) * int64(t.Ran()) * int64(t.Profile.Together())
	if o.Overdue == 0 || o.Oldest < longestWait || users > 0 && 2*o.Overdue < users {
		return nil
	}
	u := steadiness.CutOff(trial.Seconds(t), o.Oldest, o.Overdue)
	return unsteady(u, byLevel(u.Influence, 0, 0.01, 0.05), StallAtEnd, counted(o.Overdue, t), Seconds(o.Oldest), Name(t.Profile.Unit.Plural))
}

// counted is so many units of a trial's work: 12 files.
func counted(n int64, t *result.Trial) Arg {
	return CountOf(n, t.Profile.Unit.Name, t.Profile.Unit.Plural)
}

// Shares of failed units of work: from mostFailed on a trial counts as a failed
// one, and from ManyErrors on a rung's speed is not the question any more,
// whatever the objectives say.
const (
	mostFailed = 0.5
	ManyErrors = 0.05
)

// doubtErrors: response times describe the work that succeeded, and failed work may have
// spared the storage load. A study that limits errors has said how many it allows.
func doubtErrors(e *Evidence, t *result.Trial, _ trial.Metrics) []Warning {
	share := trial.ErrorShare(t)
	limited := e.limitsErrors(t.Profile)
	if limited && share < ManyErrors {
		return nil
	}
	severity := byLevel(share, 0.001, 0.01, ManyErrors)
	if severity == "" {
		return nil
	}
	form := ErrorsLimited
	if !limited {
		form = ErrorsUnlimited
	}
	off := bound.Either(share)
	if share >= mostFailed {
		off = bound.Unbounded
	}
	return []Warning{Warn(Errors, severity, form, Share(share), Name(t.Profile.Unit.Plural)).By(off)}
}

// doubtExhausted: however few units of work failed for it, what came after was not
// what the study is about.
func doubtExhausted(_ *Evidence, t *result.Trial, _ trial.Metrics) (all []Warning) {
	for _, x := range trial.Exhausted(t) {
		all = append(all, Warn(Exhausted, Serious, ExhaustedUnits, Name(x.Says), counted(x.Units, t)).By(bound.Unbounded))
	}
	return all
}

func (e *Evidence) limitsErrors(p describe.Profile) bool {
	for _, o := range e.Study.Objectives {
		if o.Metric == "errors" && trial.IsWhole(p, o.Operation) {
			return true
		}
	}
	return false
}

// NotRepeated is how far a single trial may be from the mean of many: nine in ten repetitions of recorded runs were
// within 3 to 21 % of the mean of their rung.
const NotRepeated = 0.20

// RateNoise expects NotRepeated of a single trial, with few degrees of freedom, because workloads differ.
var RateNoise = stats.PriorOf(-math.Log1p(-NotRepeated), bound.Confidence, 2)

// alone finds the trials that are the only ones of their rung, by trial.
func (e *Evidence) alone() map[string][]Warning {
	out := map[string][]Warning{}
	for _, g := range trial.Repetitions(e.Run.Trials) {
		if len(g) == 1 {
			out[g[0].ID] = []Warning{Warn(OneRepetition, Caution, RepetitionOnly).By(bound.RandomBy(NotRepeated/(1-NotRepeated), NotRepeated)).Of(g[0].ID)}
		}
	}
	return out
}
