package analysis

import (
	"fmt"
	"strconv"
	"strings"

	"plimsoll/internal/result"
	"plimsoll/internal/words"
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
func (r Resource) limits() bool {
	if r.Kind == "gauge" {
		return r.turnsAway()
	}
	return !r.Uncertain && (r.own() >= saturated || r.throttles())
}

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
// the CPU of drivers, processes and roles is a part of the machine's, which stands
// for all. How busy an uncertain device is nobody knows.
//
// Workers are occupied, too, while they wait for any of these. They limit where
// nothing that they could wait for does.
func busiest(resources []Resource) *Resource {
	var top, full *Resource
	for i := range resources {
		r := &resources[i]
		switch {
		case r.Kind == "memory" || r.Uncertain || (r.partOfCPU() && hasKind(resources, "cpu")):
		case r.Kind == "gauge":
			if r.turnsAway() && (full == nil || r.Utilisation > full.Utilisation) {
				full = r
			}
		case top == nil || r.exceeds(*top):
			top = r
		}
	}
	if full != nil && (top == nil || !top.limits()) {
		return full
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

// LimitedBy is the kind of the resource that gave out where the line ends, empty
// where none was saturated or nothing was sampled.
func (v *Variant) LimitedBy() string {
	r := limitingRung(v)
	if r == nil {
		return ""
	}
	if top := busiest(r.Resources); top != nil && top.limits() {
		return top.Kind
	}
	return ""
}

// givesOut says in a clause which resource is closest to saturation where the
// line ends; empty without telemetry.
func givesOut(v *Variant, noun string) string {
	r := limitingRung(v)
	if r == nil || len(r.Resources) == 0 && !failing(r) {
		return "" // nothing was sampled, which is said once, elsewhere
	}
	d := diagnose(v, r)
	switch d.kind {
	case limitedByResource:
		text := fmt.Sprintf("%s %s the bottleneck (%s)", plainName(*d.top), d.top.is(), busyText(r, d.top, noun))
		if others := saturatedToo(r, d.top); others != "" {
			text += ", and " + others
		}
		return text
	case limitedByNeighbour:
		return neighbour(r)
	case limitedByErrors:
		if r.Instances == v.LoadLine.Next && len(brokenObjectives(r)) > 0 {
			return "" // said where the line breaks
		}
		return fmt.Sprintf("%s at %s", errorsText(v, r), words.Count(r.Instances, noun))
	case limitedByUnknown:
		return "the bottleneck is unknown: " + unmeasured(r) + " not measured"
	case limitedByUncertain:
		why := "its parallelism is only assumed"
		if uncertainDevice(r).contradicts() {
			why = "its busy time and its queue contradict each other"
		}
		return fmt.Sprintf("whether %s is the bottleneck is unknown: %s", plainName(*uncertainDevice(r)), why)
	}
	return fmt.Sprintf("nothing measured is saturated (%s %s)", plainName(*d.top), busyText(r, d.top, noun))
}

// unmeasured names what a bottleneck could hide in because nothing measured it:
// "the machine's CPU and the storage's devices were"; empty when both were.
func unmeasured(r *Rung) string {
	cpu := hasKind(r.Resources, "cpu")
	storage := hasKind(r.Resources, "device") || hasKind(r.Resources, "node") || hasKind(r.Resources, "network")
	switch {
	case !cpu && !storage:
		return "the machine's CPU and the storage's devices were"
	case !cpu:
		return "the machine's CPU was"
	case !storage:
		return "the storage's devices were"
	}
	return ""
}

// uncertainDevice is a device that is busy only by assumption, nil when there is
// none.
func uncertainDevice(r *Rung) *Resource {
	for i := range r.Resources {
		if r.Resources[i].Uncertain {
			return &r.Resources[i]
		}
	}
	return nil
}

// neighbour says that the machine was busy with something that is not the
// trial's; empty when it was not.
func neighbour(r *Rung) string {
	cpu := shared(r)
	if cpu == nil {
		return ""
	}
	return fmt.Sprintf("processes outside the trial used %s (%s of its CPU at %s)", cpu.machine(), words.Percent(cpu.Other), strconv.Itoa(r.Instances))
}

// shared is the busiest CPU that something which is not the trial's helped to
// saturate, nil when there is none.
func shared(r *Rung) *Resource {
	for i := range r.Resources { // sorted by utilisation
		if cpu := &r.Resources[i]; cpu.Kind == "cpu" && cpu.Utilisation >= saturated && cpu.Other > 0 {
			return cpu
		}
	}
	return nil
}

// saturatedToo names what else is used up beside the resource that is used most:
// "disk sdb is saturated as well (93 % busy)"; empty where nothing is.
func saturatedToo(r *Rung, top *Resource) string {
	var names []string
	for i := range r.Resources {
		o := &r.Resources[i]
		if o.Name == top.Name || !o.limits() || o.Kind == "memory" || o.Kind == "gauge" || o.isThreads() || o.partOfCPU() {
			continue
		}
		names = append(names, fmt.Sprintf("%s (%s)", plainName(*o), o.load()))
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0] + " is saturated as well"
	}
	return words.Join(names) + " are saturated as well"
}

// busyText writes "96 % busy at 12 instances, 20 % by the driver".
func busyText(r *Rung, top *Resource, noun string) string {
	text := fmt.Sprintf("%s at %s", top.load(), words.Count(r.Instances, noun))
	if share := words.Join(append(roleShares(r, top), shares(r, top)...)); share != "" {
		text += ", " + share
	}
	if waiting := top.waitingText(); waiting != "" {
		text += ", " + waiting
	}
	switch held := top.quotaText(); {
	case held != "":
		text += ", " + held
	case top.throttles():
		text += fmt.Sprintf(", throttled by its limit in %s of periods", words.Percent(top.Throttled))
	}
	return text
}

// machine is what running text calls the one that the resource belongs to.
func (r Resource) machine() string {
	if r.Machine == "" {
		return "the machine"
	}
	return "node " + r.Machine
}

// drives says that the resource belongs to the load generator alone.
func (r Resource) drives() bool {
	return r.Kind == "driver-quota" || r.isThreads() || r.only(result.DriverRole)
}

// isThreads says that the resource is the part of a machine that users can use.
func (r Resource) isThreads() bool { return r.Kind == "driver-threads" || r.Kind == "user-threads" }

// only says that its machine is there for one role.
func (r Resource) only(role string) bool {
	return r.Machine != "" && result.Host{Roles: r.MachineRoles}.Only(role)
}

// partOfCPU says that the resource is counted in the machine's CPU too.
func (r Resource) partOfCPU() bool {
	return r.Kind == "driver" || r.Kind == "process" || r.Kind == "role"
}

// is agrees with the number of the resource's name.
func (r Resource) is() string {
	if r.Kind == "gauge" {
		return "are"
	}
	return "is"
}

// shares says how much of a busy CPU neighbours, the load itself and simulated
// media take, where that is enough to matter.
func shares(r *Rung, top *Resource) (parts []string) {
	if top.Kind != "cpu" {
		return nil
	}
	if top.Other > 0 {
		parts = append(parts, words.Percent(top.Other)+" by processes outside the trial")
	}
	for _, part := range r.Resources {
		if !part.partOfCPU() || part.Kind == "role" || part.Machine != top.Machine || part.Utilisation < 0.1*top.Utilisation {
			continue
		}
		name := "the driver"
		if part.Kind == "process" {
			name = strings.TrimPrefix(part.Name, "CPU of ")
		}
		parts = append(parts, words.Percent(part.Utilisation)+" by "+name)
	}
	return parts
}

// roleShares says how much of a busy CPU the roles that share it take. How much of
// one of several machines they take is not known.
func roleShares(r *Rung, top *Resource) (parts []string) {
	if top.Kind != "cpu" || top.Machine != "" {
		return nil
	}
	for _, part := range sharers(r) {
		if part.Utilisation >= 0.1*top.Utilisation {
			parts = append(parts, words.Percent(part.Utilisation)+" by "+shortName(part))
		}
	}
	return parts
}

// bottleneckFinding is the finding behind the clause, with the numbers at the
// rung that broke and at the largest that kept.
func (s *subject) bottleneckFinding(v *Variant) (Finding, bool) {
	r := limitingRung(v)
	if r == nil || len(r.Resources) == 0 && !failing(r) {
		return Finding{}, false
	}
	d := diagnose(v, r)
	if d.kind == limitedByUnknown || d.kind == limitedByErrors {
		return s.unknownFinding(v, r, d)
	}
	top := *d.top
	f := Finding{
		ID: "bottleneck-" + v.Name, Kind: "bottleneck", Variant: v.Name, Rung: r.Instances, Trials: r.Trials,
		Numbers: resourceNumbers(r, top),
	}
	parts := []string{s.bottleneckHead(v, r, d)}
	if below := v.rung(v.LoadLine.Rung); below != nil && below != r {
		parts = append(parts, s.belowText(below, top))
	}
	parts = append(parts, deviceEvidence(r, top), s.boundText(v, r, top), s.trendText(v, r, top), s.agreementText(v, r, &f))
	f.Text = strings.Join(nonEmpty(parts), " ")
	s.setNextExperiment(&f, v, r)
	return f, true
}

// unknownFinding is for a rung where what could limit was not measured, or is
// not what matters.
func (s *subject) unknownFinding(v *Variant, r *Rung, d diagnosis) (Finding, bool) {
	f := Finding{
		ID: "bottleneck-" + v.Name, Kind: "bottleneck", Variant: v.Name, Rung: r.Instances, Trials: r.Trials,
		Text: s.bottleneckHead(v, r, d),
	}
	s.setNextExperiment(&f, v, r)
	return f, true
}

// deviceEvidence is what the requests' times tell of the devices that matter:
// the one that limits, or those whose limit is not settled.
func deviceEvidence(r *Rung, top Resource) string {
	if top.limits() {
		return aboutDevice(top)
	}
	if d := uncertainDevice(r); d != nil {
		return aboutDevice(*d)
	}
	return ""
}

func aboutDevice(r Resource) string {
	if r.Evidence == "" {
		return ""
	}
	return "Of " + plainName(r) + ": " + words.Lower(r.Evidence)
}

func resourceNumbers(r *Rung, top Resource) map[string]float64 {
	n := map[string]float64{"utilisation": top.Utilisation, "demand": top.Demand, "servers": top.Servers}
	if top.Queue > 0 {
		n["queue"] = top.Queue
	}
	for _, part := range sharers(r) {
		n["demand_"+part.Role] = part.Demand
	}
	if top.Throttled > 0 {
		n["throttled"] = top.Throttled
	}
	if d := ofKind(r.Resources, "driver"); d != nil {
		n["driver_utilisation"] = d.Utilisation
	}
	return n
}

func (s *subject) bottleneckHead(v *Variant, r *Rung, d diagnosis) string {
	at := words.Count(r.Instances, s.noun)
	if d.kind == limitedByUnknown {
		return fmt.Sprintf("The bottleneck of `%s` at %s is unknown: %s not measured.", v.Name, at, unmeasured(r))
	}
	if d.kind == limitedByErrors {
		return fmt.Sprintf("On `%s` at %s the problem is failing %s, not slow ones: %s.", v.Name, at, v.Work.Unit.Plural, errorsText(v, r))
	}
	top := *d.top
	switch d.kind {
	case limitedByUncertain:
		if d := uncertainDevice(r); d.contradicts() {
			return fmt.Sprintf("The bottleneck of `%s` at %s is unknown: nothing else is saturated (the busiest is %s at %s), and of %s what the kernel counts is contradictory.", v.Name, at, top.Name, top.share(), plainName(*d))
		}
		return fmt.Sprintf("The bottleneck of `%s` at %s is unknown: nothing else is saturated (the busiest is %s at %s), and %s had requests in flight for %s of the time, which is normal for a device that serves several requests in parallel.",
			v.Name, at, top.Name, top.share(), plainName(*uncertainDevice(r)), words.Percent(uncertainDevice(r).Busy))
	case limitedByUsers:
		if firstMeasured(v) == r {
			return fmt.Sprintf("Nothing measured is saturated on `%s` at %s: the busiest is %s at %s. A single rung cannot show whether response time grows.",
				v.Name, at, top.Name, top.share())
		}
		return fmt.Sprintf("No resource is saturated on `%s` up to %s: the busiest is %s at %s, and response time hardly grew. The users and their think time set the throughput.",
			v.Name, at, top.Name, top.share())
	case limitedFromTheStart:
		return fmt.Sprintf("`%s` misses an objective at %s, the smallest rung tried, with nothing saturated: the busiest is %s at %s. A smaller rung would show whether the time is queueing or the storage's service time for a single %s.",
			v.Name, at, top.Name, top.share(), v.Work.Unit.Name)
	case limitedByNeighbour:
		cpu := shared(r)
		return fmt.Sprintf("%s was %s busy at %s, %s of it used by processes other than `%s`, its driver and its storage, so this run does not show what it carries on an idle machine.",
			"The "+cpu.Name, words.Percent(cpu.Utilisation), at, words.Percent(cpu.Other), v.Name)
	case limitedBySoftware:
		return s.softwareText(v, r, d)
	}
	if top.Kind == "gauge" {
		return gaugeHead(v, r, top, at)
	}
	text := fmt.Sprintf("%s is the bottleneck of `%s`: %s at %s", words.Capital(top.Name), v.Name, top.load(), at)
	if top.Demand > 0 {
		text += fmt.Sprintf(", with a demand of %s per %s", words.Seconds(top.Demand), v.Work.Unit.Name)
	}
	switch held := top.quotaText(); {
	case held != "":
		text += "; the quota is " + held
	case top.throttles():
		text += fmt.Sprintf("; its limit throttled it in %s of the periods in which it had work, although its average use is below the limit", words.Percent(top.Throttled))
	}
	if busy := top.kernelBusy(); busy != "" {
		text += "; " + busy
	}
	if top.Kind == "cpu" && top.Machine == "" {
		if share := sharesText(r, v.Work.Unit.Name); share != "" {
			text += "; " + share
		}
	}
	if top.Kind == "user-threads" {
		text += "; a user does one thing after the other, so none is faster than one core of the machine that runs the driver"
	} else if top.drives() {
		text += "; it runs the drivers, so the load generator is the limit, not what it measures"
	} else if share := words.Join(shares(r, &top)); share != "" {
		text += fmt.Sprintf("; %s, which separate machines would free up", share)
	}
	if others := saturatedToo(r, &top); others != "" {
		text += "; " + others + ", so relief of one alone may not help"
	}
	if other := neighbour(r); other != "" && top.Kind != "cpu" {
		text += "; also, " + other
	}
	return text + "."
}

// gaugeHead names the servers that have no room for more requests, and that
// nothing else is to blame.
func gaugeHead(v *Variant, r *Rung, top Resource, at string) string {
	text := fmt.Sprintf("%s are the bottleneck of `%s`: the %s were %s busy at %s", words.Capital(top.Name), v.Name, words.Figures(top.Servers), words.Percent(top.Utilisation), at)
	if waiting := top.waitingText(); waiting != "" {
		text += ", with " + waiting
	}
	if top.Demand > 0 {
		text += fmt.Sprintf("; %s occupies one for %s", words.A(v.Work.Unit.Name), words.Seconds(top.Demand))
	}
	var others []Resource
	for _, o := range r.Resources {
		if o.Kind != "gauge" {
			others = append(others, o)
		}
	}
	if next := busiest(others); next != nil {
		text += fmt.Sprintf("; of everything else the busiest is %s, at %s", next.Name, next.share())
	}
	return text + "."
}

// belowText says how far the resource was at the largest rung that kept the
// objectives.
func (s *subject) belowText(below *Rung, top Resource) string {
	for _, r := range below.Resources {
		if r.Name == top.Name {
			it := map[string]string{"is": "it was", "are": "they were"}[r.is()]
			return fmt.Sprintf("At %s, the largest rung that met the objectives, %s %s.", words.Count(below.Instances, s.noun), it, r.load())
		}
	}
	return ""
}

// boundText gives the throughput at which the resource would be fully busy,
// m/D (Denning and Buzen, 1978).
func (s *subject) boundText(v *Variant, r *Rung, top Resource) string {
	if top.Demand <= 0 || top.Kind == "gauge" || top.own() < 0.2 || top.limits() || v.Work.Unit.Bytes || neighbour(r) != "" {
		return ""
	}
	bound := r.Throughput.Value / top.own()
	if _, x := throughputs(v.Rungs); highest(x) > bound {
		return "" // a rung beat it, so it is none
	}
	return fmt.Sprintf("At this demand %s would be fully busy at %s %s; the measurement was %s.", plainName(top), words.Figures(bound), v.Work.Unit.Throughput, words.Figures(r.Throughput.Value))
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
