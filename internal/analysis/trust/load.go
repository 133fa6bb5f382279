package trust

import (
	"cmp"
	"math"
	"strings"

	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
)

// doubtTelemetry: without samples no bottleneck can be named.
func doubtTelemetry(_ *Evidence, t *result.Trial, _ trial.Metrics) []Warning {
	if len(t.Resources) == 0 {
		return []Warning{Warn(Telemetry, Caution, TelemetryNone).By(bound.Unbounded)}
	}
	return nil
}

// doubtLength: a short phase sees few checkpoints, flushes and bursts.
func doubtLength(_ *Evidence, t *result.Trial, _ trial.Metrics) []Warning {
	length := trial.Seconds(t)
	switch {
	case length <= 0:
		return []Warning{Warn(ShortPhase, Serious, LengthUnknown).By(bound.Unbounded)}
	case length < 10:
		return []Warning{Warn(ShortPhase, Caution, LengthShort, Seconds(length)).By(shortBy(length))}
	case length < 60:
		return []Warning{Warn(ShortPhase, Note, LengthNoCycles, Seconds(length)).By(shortBy(length))}
	}
	return nil
}

// shortAtTen is by how much phases of ten seconds are off for their length alone.
const shortAtTen = 0.05

// shortBy bounds a figure from a short phase, which sees few cycles of checkpoints and flushes: the
// fewer, the larger the part of one that it sees or misses, as it happens. It shrinks as the mean of
// cycles does.
func shortBy(seconds float64) bound.Bound {
	off := shortAtTen * math.Sqrt(10/seconds)
	return bound.RandomBy(off, off)
}

// fewest is how many units of work a rate needs: with independent arrivals it is off by a
// third of itself for ten (Poisson).
const fewest = 10

// doubtCount: a percentile needs some ten values beyond it, the 99th a thousand units of
// work. The items of a list differ from each other, and there are no more of them.
func doubtCount(_ *Evidence, t *result.Trial, _ trial.Metrics) []Warning {
	n := t.Whole().Count
	switch {
	case n == 0:
		return []Warning{Warn(FewUnits, Serious, CountNone, Name(t.Profile.Unit.Name)).By(bound.Unbounded)}
	case n < fewest:
		return []Warning{Warn(FewUnits, Serious, CountNoRate, counted(n, t)).By(trial.ByChance(t))}
	case t.Profile.Listed:
		return nil
	case n < 200:
		return []Warning{Warn(FewUnits, Caution, CountNo95, counted(n, t)).By(trial.ByChance(t))}
	case n < 1000:
		return []Warning{Warn(FewUnits, Note, CountNoFar, counted(n, t)).By(trial.ByChance(t))}
	}
	return nil
}

// doubtLoop holds the trial against the interactive response time law, X*(R+Z) = N (Denning
// and Buzen, 1978): users who are neither waiting nor thinking were lost. Optional
// operations are within the time of a unit, as the flush of a small file, or outside it, as
// the close of a large one after its blocks: any number of users between the two is right.
func doubtLoop(_ *Evidence, t *result.Trial, _ trial.Metrics) []Warning {
	o := t.Whole()
	users := stats.Ratio(t.UserSeconds(), trial.Seconds(t)) * t.Variant.Load.Share()
	if t.Scheduled() || users == 0 || o.Mean <= 0 || trial.Seconds(t) <= 0 || o.Count < 200 {
		return nil
	}
	within := float64(trial.Ended(t)) * (o.Mean + t.Variant.Load.ThinkTime.D().Seconds()) / trial.Seconds(t)
	beside := within + t.OptionalSeconds()/trial.Seconds(t)
	active := min(max(users, within), beside)
	if active > users {
		active = max(users, active-waitingOn(t, users))
	}
	off := active/users - 1
	severity := byLevel(math.Abs(off), 0.1, 0.15, 0.4)
	if severity == "" || !stats.IsFinite(off) {
		return nil
	}
	if off < 0 {
		what, rest := LoopUnits, LoopConnecting
		if t.Variant.Load.ThinkTime > 0 {
			what = LoopUnitsThink
		}
		if t.Profile.OnVolume {
			rest = LoopHeldUp
		}
		return []Warning{Warn(Loop, severity, LoopLost, Because(Loop, what, Name(t.Profile.Unit.Plural)), Share(active/users), Because(Loop, rest)).By(bound.Lacks(-off))}
	}
	return []Warning{Warn(Loop, severity, LoopMore, Name(t.Profile.Unit.Plural), Number(active), Number(users)).By(bound.TooHighBy(off / (1 + off)))}
}

// waitingOn is how many users, on average, may wait for a unit of work that was under way when
// their burst ended: each for one, about as long as one takes, and not into the next burst.
// They are not among the users at work.
func waitingOn(t *result.Trial, users float64) float64 {
	b := t.Variant.Load.Bursts
	if b == nil {
		return 0
	}
	every, on := b.Every.D().Seconds(), b.On.D().Seconds()
	return stats.Ratio(users, t.Variant.Load.Share()) * stats.Ratio(min(t.Whole().Mean, every-on), every)
}

// doubtFinished: of fixed work that the phase cut off nobody knows how long it takes.
func doubtFinished(_ *Evidence, t *result.Trial, _ trial.Metrics) []Warning {
	if t.Unfinished <= 0 {
		return nil
	}
	users := float64(t.Variant.Load.Users * t.Ran())
	return []Warning{Warn(CutOff, Caution, CutOffUsers, Count(t.Unfinished), Seconds(trial.Seconds(t))).By(bound.TooHighBy(stats.Ratio(float64(t.Unfinished), users)))}
}

// fasterAtFirst is the least ratio at which the throughput until the first user finished
// differs from the whole run's.
const fasterAtFirst = 1.5

// doubtStonewall: when the first user has finished, the others' writes may still be in
// caches. If the work is small compared with the caches, the storage looks faster than it
// is. Or some users are served later. Figures cover the whole run, which includes all
// writes, but not all users are at work to its end.
func doubtStonewall(_ *Evidence, t *result.Trial, _ trial.Metrics) []Warning {
	first, whole := t.StonewalledThroughput(), t.Throughput()
	if stats.Ratio(first, whole) < fasterAtFirst {
		return nil
	}
	return warn(Stonewall, Note, StonewallFaster, Number(first), Name(t.Profile.Unit.Throughput), Name(cmp.Or(t.Profile.User, "user")), Number(whole))
}

// doubtLateness: a user who wakes too late adds to the think time and, in a
// closed loop, hides waiting. Users who keep several units under way and never
// sleep do neither.
func doubtLateness(_ *Evidence, t *result.Trial, _ trial.Metrics) []Warning {
	if t.Profile.NeverSleeps() && t.Variant.Load.ThinkTime == 0 && t.Variant.Load.Rate == 0 {
		return nil
	}
	late := trial.MeanLateness(t)
	cycle := t.Whole().Mean + t.Variant.Load.ThinkTime.D().Seconds()
	if cycle <= 0 {
		return nil
	}
	share := stats.Ratio(late, cycle)
	severity := byLevel(share, 0.02, 0.05, 0.2)
	if severity == "" {
		return nil
	}
	w := Warn(DriverLate, severity, LateUsers, Seconds(late), Share(share), Name(t.Profile.Unit.Name), Because(DriverLate, whyLate(t)))
	return []Warning{w.By(trial.OffByLateness(t, share))}
}

// whyLate explains why users woke late.
func whyLate(t *result.Trial) Form {
	switch {
	case t.Scheduled() || t.Profile.NeverSleeps():
		return LateSchedule
	case t.Variant.Load.ThinkTime == 0:
		return LateNoThinkTime
	}
	return LateThinkTime
}

// doubtAudit: a figure whose work was not asked for again is only a claim, unless
// the workload says what else it rests on.
func doubtAudit(_ *Evidence, t *result.Trial, _ trial.Metrics) []Warning {
	switch {
	case t.Audit == nil && t.Profile.Correctness != "":
		return nil
	case t.Audit == nil && t.Unaudited != "":
		return warn(Audit, Note, AuditNoneBecause, Name(t.Unaudited), Name(t.Profile.Unit.Name))
	case t.Audit == nil:
		return warn(Audit, Note, AuditNone, Name(t.Profile.Unit.Name))
	case t.Audit.Failed():
		return []Warning{Warn(Audit, Serious, AuditFailed, Name(strings.TrimSuffix(t.Audit.Text, "."))).By(bound.Unbounded)}
	case !t.Audit.Passed:
		return []Warning{Warn(Audit, Serious, AuditImpossible, Name(strings.TrimSuffix(t.Audit.Text, "."))).By(bound.Unbounded)}
	}
	return nil
}
