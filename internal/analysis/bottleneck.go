package analysis

import (
	"fmt"
	"strconv"
	"strings"
)

// saturated is the mean utilisation from which a resource is taken to limit.
// A single server answers ten times slower at 90 % than when idle (M/M/1,
// R = S/(1-U); Kleinrock, "Queueing Systems", 1975); servers in parallel can be
// driven further, which only makes the threshold cautious.
const saturated = 0.9

// heldBack is the share of the periods of a CPU limit from which the limit is
// taken to bound, though on average it is not used up: time that is left over
// in one period is lost, and who waits for several such servers waits for the
// slowest (kernel documentation, scheduler/sched-bwc). Kubernetes' usual alert
// on throttling goes off at a quarter.
const heldBack = 0.5

// limits says that the resource holds throughput back.
func (r Resource) limits() bool { return r.own() >= saturated || r.throttles() }

// throttles says that it does so by its CPU limit, though on average it is not
// used up.
func (r Resource) throttles() bool { return r.own() < saturated && r.Throttled >= heldBack }

// setBottlenecks names, at each rung, the resource that limits, if any that
// was measured does.
func setBottlenecks(rungs []Rung) {
	for i := range rungs {
		if top := busiest(rungs[i].Resources); top != nil && top.limits() {
			rungs[i].Bottleneck = top.Name
		}
	}
}

// busiest is the resource that the trial uses most, or, where none is used up,
// the one that its CPU limit holds back most. Throughput is bounded
// by the largest demand per server, 1/max(D/m), and at one throughput that is
// the resource with the highest utilisation. Memory is space, not time; and
// the CPU of drivers and processes is a part of the machine's, which stands for
// all.
func busiest(resources []Resource) *Resource {
	var top *Resource
	for i := range resources {
		r := &resources[i]
		if r.Kind == "memory" || (r.partOfCPU() && hasKind(resources, "cpu")) {
			continue
		}
		if top == nil || r.exceeds(*top) {
			top = r
		}
	}
	return top
}

func (r Resource) exceeds(other Resource) bool {
	if r.own() >= saturated || other.own() >= saturated || max(r.Throttled, other.Throttled) < heldBack {
		return r.own() > other.own()
	}
	return r.Throttled > other.Throttled
}

func hasKind(resources []Resource, kind string) bool { return ofKind(resources, kind) != nil }

func ofKind(resources []Resource, kind string) *Resource {
	for i := range resources {
		if resources[i].Kind == kind {
			return &resources[i]
		}
	}
	return nil
}

// limitingRung is where to look for the bottleneck: the first rung that broke
// an objective, or else the largest one with a measurement.
func limitingRung(v *Variant) *Rung {
	if r := v.rung(v.LoadLine.Next); r != nil && r.Repetitions > 0 {
		return r
	}
	for i := len(v.Rungs) - 1; i >= 0; i-- {
		if v.Rungs[i].Repetitions > 0 {
			return &v.Rungs[i]
		}
	}
	return nil
}

// givesOut says in a clause which resource is closest to saturation where the
// line ends; empty without telemetry.
func givesOut(v *Variant, noun string) string {
	r := limitingRung(v)
	if r == nil {
		return ""
	}
	top := busiest(r.Resources)
	if top == nil {
		return ""
	}
	if other := neighbour(r); other != "" && !top.limits() {
		return other
	}
	if !top.limits() {
		return fmt.Sprintf("nothing measured is saturated (%s %s)", plainName(*top), busyText(r, top, noun))
	}
	return fmt.Sprintf("%s gives out first (%s)", plainName(*top), busyText(r, top, noun))
}

// neighbour says that the machine was busy with something that is not the
// trial's; empty when it was not.
func neighbour(r *Rung) string {
	cpu := ofKind(r.Resources, "cpu")
	if cpu == nil || cpu.Utilisation < saturated || cpu.Other == 0 {
		return ""
	}
	return fmt.Sprintf("the machine was busy with something else (%s of its CPU at %s)", percent(cpu.Other), strconv.Itoa(r.Instances))
}

// busyText writes "96 % busy at 12 instances, 20 % by the driver".
func busyText(r *Rung, top *Resource, noun string) string {
	text := fmt.Sprintf("%s busy at %s", percent(top.Utilisation), count(r.Instances, noun))
	if share := shares(r, top); share != "" {
		text += ", " + share
	}
	if top.throttles() {
		text += fmt.Sprintf(", held back by its limit in %s of periods", percent(top.Throttled))
	}
	return text
}

// partOfCPU says that the resource is counted in the machine's CPU too.
func (r Resource) partOfCPU() bool { return r.Kind == "driver" || r.Kind == "process" }

// shares says how much of a busy CPU neighbours, the load itself and simulated
// media take, where that is enough to matter.
func shares(r *Rung, top *Resource) string {
	if top.Kind != "cpu" {
		return ""
	}
	var parts []string
	if top.Other > 0 {
		parts = append(parts, percent(top.Other)+" by something else")
	}
	for _, part := range r.Resources {
		if !part.partOfCPU() || part.Utilisation < 0.1*top.Utilisation {
			continue
		}
		name := "the driver"
		if part.Kind == "process" {
			name = strings.TrimPrefix(part.Name, "CPU of ")
		}
		parts = append(parts, percent(part.Utilisation)+" by "+name)
	}
	return join(parts)
}

// bottleneckFinding is the finding behind the clause, with the numbers at the
// rung that broke and at the largest that kept.
func (s *subject) bottleneckFinding(v *Variant) (Finding, bool) {
	r := limitingRung(v)
	if r == nil || busiest(r.Resources) == nil {
		return Finding{}, false
	}
	top := *busiest(r.Resources)
	f := Finding{
		ID: "bottleneck-" + v.Name, Kind: "bottleneck", Variant: v.Name, Rung: r.Instances, Trials: r.Trials,
		Numbers: resourceNumbers(r, top),
	}
	parts := []string{s.bottleneckHead(v, r, top)}
	if below := v.rung(v.LoadLine.Rung); below != nil && below != r {
		parts = append(parts, s.belowText(below, top))
	}
	parts = append(parts, s.boundText(r, top), s.trendText(v, r, top), s.agreementText(v, r, &f))
	f.Text = strings.Join(nonEmpty(parts), " ")
	s.setNextExperiment(&f, v, r)
	return f, true
}

func resourceNumbers(r *Rung, top Resource) map[string]float64 {
	n := map[string]float64{"utilisation": top.Utilisation, "demand": top.Demand, "servers": top.Servers}
	if top.Queue > 0 {
		n["queue"] = top.Queue
	}
	if top.Throttled > 0 {
		n["throttled"] = top.Throttled
	}
	if d := ofKind(r.Resources, "driver"); d != nil {
		n["driver_utilisation"] = d.Utilisation
	}
	return n
}

func (s *subject) bottleneckHead(v *Variant, r *Rung, top Resource) string {
	at := count(r.Instances, s.noun)
	switch d := diagnose(v, r); d.kind {
	case limitedByUsers:
		return fmt.Sprintf("Nothing resists on `%s` up to %s: the busiest is %s at %s, and response time hardly grew. The users and their think time set the throughput.",
			v.Name, at, top.Name, percent(top.Utilisation))
	case limitedFromTheStart:
		return fmt.Sprintf("`%s` breaks an objective at %s, the fewest that were tried, with nothing saturated: the busiest is %s at %s. Whether that is waiting, or the time that the storage takes for an order alone, fewer would show.",
			v.Name, at, top.Name, percent(top.Utilisation))
	case limitedByNeighbour:
		cpu := ofKind(r.Resources, "cpu")
		return fmt.Sprintf("The machine's CPU was %s busy at %s, %s of it with something that is not `%s`, its driver or its storage: what it carries on a quiet machine was not measured.",
			percent(cpu.Utilisation), at, percent(cpu.Other), v.Name)
	case limitedBySoftware:
		return fmt.Sprintf("Nothing that was measured is saturated on `%s` at %s: the busiest is %s at %s, yet response time grew %s times. What remains are waits that use no resource: locks, flushes in turn, limits of the software.",
			v.Name, at, top.Name, percent(top.Utilisation), figures(d.growth))
	}
	text := fmt.Sprintf("%s bounds `%s`: %s busy at %s", capital(top.Name), v.Name, percent(top.Utilisation), at)
	if top.Demand > 0 {
		text += fmt.Sprintf(", %s of it for each order", seconds(top.Demand))
	}
	if top.throttles() {
		text += fmt.Sprintf("; in %s of the periods in which it had work its limit held it back, though on average it is not used up", percent(top.Throttled))
	}
	if share := shares(r, &top); share != "" {
		text += fmt.Sprintf("; %s, which machines of their own would give back", share)
	}
	if other := neighbour(r); other != "" && top.Kind != "cpu" {
		text += "; besides, " + other
	}
	return text + "."
}

// belowText says how far the resource was at the largest rung that kept the
// objectives.
func (s *subject) belowText(below *Rung, top Resource) string {
	for _, r := range below.Resources {
		if r.Name == top.Name {
			return fmt.Sprintf("At %s, the largest rung that kept the objectives, it was %s busy.", count(below.Instances, s.noun), percent(r.Utilisation))
		}
	}
	return ""
}

// boundText gives the throughput at which the resource would be fully busy,
// m/D (Denning and Buzen, 1978).
func (s *subject) boundText(r *Rung, top Resource) string {
	if top.Demand <= 0 || top.own() < 0.2 || top.limits() || s.unit.scale > 0 || neighbour(r) != "" {
		return ""
	}
	bound := r.Throughput.Value / top.own()
	return fmt.Sprintf("At its demand %s would be fully busy at %s %s; %s were measured.", plainName(top), figures(bound), s.unit.name, figures(r.Throughput.Value))
}

func nonEmpty(parts []string) []string {
	out := parts[:0]
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return out
}

// capital writes a sentence's first letter large; names such as CPU stay.
func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
