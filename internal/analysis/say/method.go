package say

import (
	"slices"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
	"plimsoll/internal/text/words"
)

// Method says how the figures came about, a sentence each.
//
// Needs: “throughput is committed work …, percentiles are read from …, users act in a closed loop, …”:
// what of it applies to the run. “the search for the load line had … from the start of the run: …”: a
// search with a time, from the study or the command line.
func Method(s *setup.Subject, variants []model.Variant) []string {
	m := []string{
		F("Throughput is committed work in %s over the measured phase, summed over all instances; warm-up and ramp are left out.", Join(throughputs(s))),
		F("A rung's figure is the median of its repetitions; its interval is that of Student's t on the logarithms of the repetitions at 95 %%, with the noise estimated from all rungs of the variant. With one repetition at every rung there is no interval."),
		F("Percentiles are read from the merged histograms of all drivers and repetitions; they are never averaged."),
		F("The load line is the largest count below the first rung that missed an objective. Between the last rung that met them, a, and the next, b, the metric is assumed to be a power of the count: n = a·(b/a)^(ln(L/va)/ln(vb/va)) for the limit L. That is an estimate: its 95 %% interval extends from the last rung that clearly meets the objectives to the first that clearly does not, because nothing is known about what happens between two rungs."),
		F("Service demand is D = U·m/X: utilisation times servers over units of work per second (Denning and Buzen, 1978)."),
	}
	if p := s.Run.Plan; p != nil && p.Within > 0 {
		m = append(m, F("The search for the load line had %s from the start of the run: no trial was begun that would not have ended in it, and the bracket is what was found by then.", words.Span(p.Within)))
	}
	if s.Any(trial.Published) {
		m = append(m, F("The figures are published means: percentiles, individual repetitions and telemetry were not published, so they cannot be shown."))
	}
	if s.Any(func(t *result.Trial) bool { return t.OpenLoop }) {
		m = append(m, F("Users act in an open loop: response times count from the intended start."))
	} else {
		m = append(m, F("Users act in a closed loop: response times are service times as a waiting user sees them."))
	}
	work := trial.ProfileOf(s.Run.Trials)
	if work.Fixed {
		m = append(m, F("The work is fixed: throughput, response times and resources are those of the whole run, until the last user finished; the stonewalled throughput is what was done until the first one had, while all of them were at work."))
	}
	if len(work.Optional) > 0 {
		m = append(m, F("Throughput includes the time of %s. Without: the time that users spent in them is left out.", Join(work.Optional)))
	}
	if c := work.Correctness; c != "" {
		m = append(m, F("Correctness: %s.", c))
	}
	if s.Any(func(t *result.Trial) bool { return t.Storage().Simulated }) {
		m = append(m, F("Some media are simulated on this machine: drivers, servers and the simulated disks share its CPU."))
	}
	if timeUncounted(s, variants) {
		m = append(m, timeNotCounted())
	}
	return append(m, provisioned(s)...)
}

// timeNotCounted is said of a run without time profiles, such as one of an earlier version.
func timeNotCounted() string {
	return F("What the response time is spent on is not known: no trial of this run counted what servers and users were doing, as earlier versions did not. Causes rest on how busy resources were and on how many requests waited for disks.")
}

// timeUncounted reports whether variants were measured and none has a time profile of states of
// threads.
func timeUncounted(s *setup.Subject, variants []model.Variant) bool {
	measured := s.Any(func(t *result.Trial) bool { return !trial.Published(t) && t.Failure == nil })
	counted := func(r rung.Rung) bool { return r.TimeCounted() }
	return measured && !slices.ContainsFunc(variants, func(v model.Variant) bool { return slices.ContainsFunc(v.Rungs, counted) })
}

// throughputs are the units that the variants' throughput is in: one, unless they
// run different work.
func throughputs(s *setup.Subject) []string {
	var out []string
	for _, t := range s.Run.Trials {
		if name := t.Profile.Unit.Throughput; name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
