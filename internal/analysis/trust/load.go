package trust

import (
	"cmp"
	"math"
	"strings"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
	"plimsoll/internal/text/words"
)

// doubtTelemetry: without samples no bottleneck can be named.
func doubtTelemetry(_ *Evidence, t *result.Trial, _ trial.Metrics) []Warning {
	if len(t.Resources) == 0 {
		return warn("telemetry", Caution, "no telemetry: the machine's activity is unknown, so neither a bottleneck nor outside interference would show")
	}
	return nil
}

// doubtLength: a short phase sees few checkpoints, flushes and bursts.
func doubtLength(_ *Evidence, t *result.Trial, _ trial.Metrics) []Warning {
	length := trial.Seconds(t)
	switch {
	case length <= 0:
		return warn(ShortPhase, Serious, "the length of the measured phase is unknown, so there is no throughput")
	case length < 10:
		return warn(ShortPhase, Caution, "only %s were measured: one slow second more or less would change the figure", seconds(length))
	case length < 60:
		return warn(ShortPhase, Note, "%s were measured, too short to include slow cycles of servers and drives", seconds(length))
	}
	return nil
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
		return warn(FewUnits, Serious, "no %s was completed in the measured phase", t.Profile.Unit.Name)
	case n < fewest:
		return warn(FewUnits, Serious, "%s %s measured: so few may be half as many or twice as many by chance, and tell neither a rate nor a percentile", counted(n, t), were(n))
	case t.Profile.Listed:
		return nil
	case n < 200:
		return warn(FewUnits, Caution, "%s %s measured: even the 95th percentile is based on ten of them or fewer", counted(n, t), were(n))
	case n < 1000:
		return warn(FewUnits, Note, "%s were measured: percentiles above the 95th are based on fewer than ten", counted(n, t))
	}
	return nil
}

func were(n int64) string {
	if n == 1 {
		return "was"
	}
	return "were"
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
		what := t.Profile.Unit.Plural
		if t.Variant.Load.ThinkTime > 0 {
			what += " and think time"
		}
		rest := "connecting, reconnecting or held up in the driver"
		if t.Profile.OnVolume {
			rest = "held up in the driver, as by checks of what they read, or busy with other operations"
		}
		return warn("loop", severity, "%s account for %s of the users' time (X·(R+Z)): in the rest they were %s", what, percent(active/users), rest)
	}
	return warn("loop", severity, "the %s and response times account for %s users (X·(R+Z)), but there were %s", t.Profile.Unit.Plural, figures(active), figures(users))
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
	return warn("cut-off", Caution, "%s had not finished their work when the measured phase ended after %s: how long all of it takes is unknown; raise phases.measure",
		countOf(t.Unfinished, "user", "users"), seconds(trial.Seconds(t)))
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
	return warn("stonewall", Note, "%s %s until the first %s had finished, but %s over the whole run, which is what counts here: much of what the others had written by then was still in caches, or they were served later; give each more work",
		figures(first), t.Profile.Unit.Throughput, cmp.Or(t.Profile.User, "user"), figures(whole))
}

// doubtLateness: a user who wakes too late adds to the think time and, in a
// closed loop, hides waiting. Users who keep several units under way and never
// sleep do neither.
func doubtLateness(_ *Evidence, t *result.Trial, _ trial.Metrics) []Warning {
	if t.Profile.NeverSleeps() && t.Variant.Load.ThinkTime == 0 && t.Variant.Load.Rate == 0 {
		return nil
	}
	late := meanLateness(t)
	cycle := t.Whole().Mean + t.Variant.Load.ThinkTime.D().Seconds()
	if cycle <= 0 {
		return nil
	}
	severity := byLevel(late/cycle, 0.02, 0.05, 0.2)
	if severity == "" {
		return nil
	}
	w := Warn("driver-late", severity, "users woke %s late on average, %s of %s's time: %s",
		seconds(late), percent(late/cycle), words.A(t.Profile.Unit.Name), whyLate(t))
	if t.Scheduled() { // what users were late by is within their response times
		w.Without = &DoubtBound{Seconds: late * float64(trial.Ended(t)), Shown: true}
	}
	return []Warning{w}
}

// meanLateness is how late users woke on average, in seconds: of all drivers, each as often as
// it had users.
func meanLateness(t *result.Trial) float64 {
	sum, users := 0.0, 0.0
	for _, d := range t.Drivers {
		n := float64(max(1, d.Users)) // not known in old files
		sum, users = sum+n*stats.Finite(d.LateMean), users+n
	}
	return stats.Ratio(sum, users)
}

// whyLate explains why users woke late.
func whyLate(t *result.Trial) string {
	switch {
	case t.Scheduled() || t.Profile.NeverSleeps():
		return "the driver could not keep up with its schedule"
	case t.Variant.Load.ThinkTime == 0:
		return "the driver's machine had no CPU for them in time, so less load was offered than users without think time offer"
	}
	return "the driver's machine had no CPU for them in time, so less load was offered than the think time says"
}

// doubtAudit: a figure whose work was not asked for again is only a claim, unless
// the workload says what else it rests on.
func doubtAudit(_ *Evidence, t *result.Trial, _ trial.Metrics) []Warning {
	switch {
	case t.Audit == nil && t.Profile.Correctness != "":
		return nil
	case t.Audit == nil && t.Unaudited != "":
		return warn("audit", Note, "no audit: %s: whether every acknowledged %s was stored was not checked", t.Unaudited, t.Profile.Unit.Name)
	case t.Audit == nil:
		return warn("audit", Note, "no audit: whether every acknowledged %s was stored was not checked", t.Profile.Unit.Name)
	case t.Audit.Failed():
		return warn("audit", Serious, "the audit failed: %s", strings.TrimSuffix(t.Audit.Text, "."))
	case !t.Audit.Passed:
		return warn("audit", Serious, "the audit could not be made: %s", strings.TrimSuffix(t.Audit.Text, "."))
	}
	return nil
}
