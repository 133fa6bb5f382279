package analysis

import (
	"fmt"
	"math"
	"strings"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
	"plimsoll/internal/words"
)

// rolesOf are the resources of the servers that fill the roles of the instances:
// their share of the machine's CPU, their CPU limit, and what they count themselves.
func rolesOf(m trial.Metrics, t *result.Trial, cores float64) (all []Resource) {
	for _, s := range t.Servers {
		used := roleMetrics(m, s, "instance", "cpu")
		if used.total == 0 {
			continue // an existing server
		}
		perUnit := stats.Ratio(used.total, trial.UnitsPerSecond(t))
		if cores > 0 {
			all = append(all, Resource{Name: "CPU of " + roleName(s), Kind: "role", Role: s.Role, Utilisation: used.total / cores, Servers: cores, Demand: perUnit})
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
func roleName(s result.Server) string {
	if s.Name == "" {
		return s.Role
	}
	return fmt.Sprintf("%s (%s)", s.Role, s.Name)
}

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

// quota is the CPU limit of a role's servers, as that of them fares which comes
// closest to it.
func quota(m trial.Metrics, t *result.Trial, s result.Server, highest float64) Resource {
	r := Resource{Name: "CPU limit of an instance", Kind: "quota", Role: s.Role, Utilisation: highest / s.CPU, Servers: s.CPU}
	r.Throttled = roleMetrics(m, s, "instance", "throttled_periods").highest
	if len(t.Servers) > 1 {
		r.Name = "CPU limit of a " + s.Role + " server"
		if s.Name != "" {
			r.Name += " (" + s.Name + ")"
		}
	}
	return r
}

// gauge is what the servers of a role count of themselves, all of them together.
// What a unit of work takes of it is the time that it occupies one, whatever it
// waits for meanwhile, so that it is no demand of a queueing network.
func gauge(m trial.Metrics, t *result.Trial, s result.Server) (Resource, bool) {
	if s.Gauge == nil {
		return Resource{}, false
	}
	busy, capacity := roleMetrics(m, s, "gauge", "busy"), roleMetrics(m, s, "gauge", "capacity")
	if !busy.known || capacity.total <= 0 {
		return Resource{}, false
	}
	r := Resource{
		Name: s.Gauge.Name + " of " + roleName(s), Kind: "gauge", Role: s.Role,
		Utilisation: busy.total / capacity.total, Servers: capacity.total,
		Demand: stats.Ratio(busy.total, trial.UnitsPerSecond(t)),
	}
	if waiting := roleMetrics(m, s, "gauge", "waiting"); waiting.known {
		r.Queue = busy.total + waiting.total
	}
	return r, true
}

// waitsForOne is the share of the time that requests spend in a server from which
// waiting to be let in is a limit. Users who never pause keep as many workers
// busy as there are users, which delays nobody while there are as many workers.
const waitsForOne = 0.1

// turnsAway says that requests wait although the machine may have room: everything
// that a server has for them is occupied.
func (r Resource) turnsAway() bool {
	if r.Kind != "gauge" || r.Utilisation < saturated {
		return false
	}
	return r.Queue == 0 || r.waiting() >= waitsForOne*r.Utilisation*r.Servers // the queue may not be known
}

// waiting is how many requests wait for one of what a gauge counts.
func (r Resource) waiting() float64 { return max(0, r.Queue-r.Utilisation*r.Servers) }

// waitingText says how many wait: "12 requests waiting on average"; empty where
// that is not known.
func (r Resource) waitingText() string {
	if r.Kind != "gauge" || r.Queue == 0 {
		return ""
	}
	return fmt.Sprintf("%s waiting on average", words.CountOf(int(math.Round(r.waiting())), "request", "requests"))
}

// sharers are the roles that share the machine's CPU, the largest first; none
// where there is but one.
func sharers(r *Rung) (roles []Resource) {
	for _, part := range r.Resources { // sorted by utilisation
		if part.Kind == "role" {
			roles = append(roles, part)
		}
	}
	if len(roles) < 2 {
		return nil
	}
	return roles
}

// sharesText says how much of the machine's CPU each role takes:
// "php takes most of it, 18 ms per order; db takes 3 ms and web 1 ms".
func sharesText(r *Rung, unit string) string {
	roles := sharers(r)
	if len(roles) == 0 || roles[0].Demand <= 0 {
		return ""
	}
	var rest []string
	for _, part := range roles[1:] {
		rest = append(rest, fmt.Sprintf("%s %s", shortName(part), words.Seconds(part.Demand)))
	}
	return fmt.Sprintf("%s takes most of it (%s of the machine's CPU, %s per %s; %s)", strings.TrimPrefix(roles[0].Name, "CPU of "),
		words.Percent(roles[0].Utilisation), words.Seconds(roles[0].Demand), unit, words.Join(rest))
}

// shortName is the name of whoever takes a part of the machine's CPU.
func shortName(r Resource) string { return strings.TrimPrefix(plainName(r), "CPU of ") }
