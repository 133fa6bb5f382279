package resource

import (
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// rolesOf are the resources of the servers that fill the roles of the instances:
// their share of the machine's CPU, their CPU limit, and what they count themselves.
func rolesOf(m trial.Metrics, t *result.Trial, cores float64) (all []Resource) {
	for _, s := range t.Servers {
		used := roleMetrics(m, s, describe.InstanceKind, "cpu")
		if used.total == 0 {
			continue // an existing server
		}
		perUnit := stats.Ratio(used.total, trial.UnitsPerSecond(t))
		if cores > 0 {
			all = append(all, Resource{Kind: Role, Role: s.Role, Whose: roleName(s), Utilisation: used.total / cores, Servers: cores, Demand: perUnit}.named(roleName(s).Behind("CPU of ")))
		}
		if s.Limited && s.CPU > 0 && stats.Plausible(s.CPU) {
			q := quota(m, t, s, used.highest)
			q.Demand = perUnit
			all = append(all, q)
		}
		if g, ok := gauge(m, t, s); ok {
			all = append(all, g)
		}
	}
	return all
}

// roleName is how a role and its engine are called: "php (php-fpm)".
func roleName(s result.Server) trial.Label { return trial.Label{Name: s.Role, Bracket: s.Name} }

// roleMetric sums one metric over the servers of a role.
type roleMetric struct {
	total, highest float64
	known          bool
}

func roleMetrics(m trial.Metrics, s result.Server, kind, metric string) (sum roleMetric) {
	for _, name := range m.Names(kind) {
		if !s.Runs(name) {
			continue
		}
		if value, ok := m.Mean(kind, name, metric); ok {
			sum = roleMetric{sum.total + value, max(sum.highest, value), true}
		}
	}
	return sum
}

// quota is the CPU limit of a role's servers, taken from the server that comes closest to
// it.
func quota(m trial.Metrics, t *result.Trial, s result.Server, highest float64) Resource {
	name := trial.Called("CPU limit of an instance")
	if len(t.Servers) > 1 {
		name = trial.Label{Name: "CPU limit of a " + s.Role + " server", Bracket: s.Name}
	}
	r := Resource{Kind: Quota, Role: s.Role, Utilisation: highest / s.CPU, Servers: s.CPU}.named(name)
	r.Throttled = roleMetrics(m, s, describe.InstanceKind, "throttled_periods").highest
	return r
}

// gauge is what the servers of a role count of themselves, all of them together.
// What a unit of work takes of it is the time that it occupies one, whatever it
// waits for meanwhile, so that it is no demand of a queueing network.
func gauge(m trial.Metrics, t *result.Trial, s result.Server) (Resource, bool) {
	if s.Gauge == nil {
		return Resource{}, false
	}
	busy, capacity := roleMetrics(m, s, describe.GaugeKind, "busy"), roleMetrics(m, s, describe.GaugeKind, "capacity")
	if !busy.known || capacity.total <= 0 {
		return Resource{}, false
	}
	r := Resource{
		Kind: Gauge, Role: s.Role,
		Utilisation: busy.total / capacity.total, Servers: capacity.total,
		Demand: stats.Ratio(busy.total, trial.UnitsPerSecond(t)),
	}
	if waiting := roleMetrics(m, s, describe.GaugeKind, "waiting"); waiting.known {
		r.Queue = busy.total + waiting.total
	}
	return r.named(roleName(s).Behind(s.Gauge.Name + " of ")), true
}
