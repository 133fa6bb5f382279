// Package limit puts into sentences what limits a variant, the evidence for it, and the
// experiment that would prove it. Packages diagnose and experiment make the decisions.
package limit

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/scale"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/text/words"
)

// GivesOut says in a clause which resource is closest to saturation where the
// line ends; empty without telemetry.
//
// Needs: “… is the bottleneck: 97 % busy at …, with a demand of … per order”: a resource used to 90 %
// or more, with a width that is known or confirmed. “what instance 3 has to itself is the bottleneck,
// in each of 3 trials”: the same instance misses an objective in every trial, which all others keep,
// and nothing is saturated. “disk … limits …: at 5 instances it was 87 % busy, and queueing for it
// alone can make response time grow 5 times, as it did”: no states of threads; 80 % or more used.
func GivesOut(v *model.Variant, noun string) string {
	r := loadline.Limiting(v.Rungs, v.LoadLine)
	if r == nil || !diagnose.Possible(r) {
		return "" // nothing was sampled, which is said once, elsewhere
	}
	d := diagnose.Diagnose(v.Rungs, v.LoadLine, r)
	switch d.Kind {
	case diagnose.Saturated, diagnose.Stolen:
		text := say.F("%s %s the bottleneck (%s)", d.Top.Plain(), say.IsAre(*d.Top), busyText(r, d.Top, noun))
		if others := saturatedToo(r, d.Top); others != "" {
			text += say.F(", and %s", others)
		}
		return text
	case diagnose.Queueing:
		return say.F("%s limits it (%s), as queueing for it alone can make the response time", d.Top.Plain(), busyText(r, d.Top, noun))
	case diagnose.Spent:
		return spentClause(v, d, noun)
	case diagnose.Neighbour:
		return say.F("what limits it is not shown, as it was disturbed: %s", neighbourText(r, *d.Shared))
	case diagnose.Unsteady:
		return unsteadyClause(d)
	case diagnose.Instance:
		if r.Instances == v.LoadLine.Next {
			return say.F("what %s %d has to itself is the bottleneck, in each of %s", noun, d.Objective.Worst.Instance, say.Count(d.Objective.Worst.Trials, "trial"))
		}
		return InstanceText(v, *d.Objective, noun)
	case diagnose.Failing:
		if r.Instances == v.LoadLine.Next && len(rung.Broken(r)) > 0 {
			return "" // said where the line breaks
		}
		return say.F("%s at %s", ErrorsText(v, r), say.Count(r.Instances, noun))
	case diagnose.Unknown:
		return say.F("the bottleneck is unknown: %s", unmeasuredText(r.Unmeasured()))
	case diagnose.Uncertain:
		why := say.F("its parallelism is only assumed")
		if resource.FirstUncertain(r.Resources).Contradicts() {
			why = say.F("its busy time and its queue contradict each other")
		}
		return say.F("whether %s is the bottleneck is unknown: %s", resource.FirstUncertain(r.Resources).Plain(), why)
	}
	text := say.F("nothing measured is saturated (%s %s)", d.Top.Plain(), busyText(r, d.Top, noun))
	if series := diagnose.InSeries(r); d.Kind == diagnose.Waiting && series != nil {
		text += say.F(", but %s", seriesText(*series))
	} else if unexplained := unexplainedText(d); unexplained != "" {
		text += say.F(", and %s", unexplained)
	}
	return text
}

// seriesText is for a device whose requests are made one after another.
//
// Needs: Response time at least doubled, nothing saturated; a device busy for 95 % of the time at no
// more than half its width, with less than half of the response time in its queue.
func seriesText(d resource.Resource) string {
	return say.F("%s had requests under way for %s of the time, %s at once of the %s that it serves: users wait for requests of others to end, as commits do in the log of a shared file system",
		d.Plain(), words.Percent(d.Busy), words.Figures(d.Queue), words.Figures(d.Servers))
}

// unmeasuredText lists the unmeasured places where a bottleneck could hide: "the machine's
// CPU and the storage's devices were not measured".
//
// Needs: No telemetry of CPU, storage or a listed machine; a busy interface of unknown speed; full
// memory and swap without a measure of waiting.
func unmeasuredText(u resource.BlindSpots) string {
	var parts []string
	switch {
	case u.CPU && u.Storage:
		parts = append(parts, say.F("the machine's CPU and the storage's devices were not measured"))
	case u.CPU:
		parts = append(parts, say.F("the machine's CPU was not measured"))
	case u.Storage:
		parts = append(parts, say.F("the storage's devices were not measured"))
	}
	if len(u.Machines) > 0 {
		parts = append(parts, say.F("nothing was measured on %s", nodesText(u.Machines)))
	}
	if n := len(u.Links); n > 0 {
		most := say.F("%s, which moved %s/s", u.Links[0].Network.Plain(), words.Bytes(u.Links[0].Rate))
		text := say.F("the speed of %s, is not known", most)
		if n > 1 {
			text = say.F("the speeds of %d networks, such as %s, are not known", n, most)
		}
		parts = append(parts, text)
	}
	if u.Swapped {
		parts = append(parts, say.F("memory was full and swap in use, and how long work waited for that was not measured"))
	}
	return say.Join(parts)
}

// mostNodes is how many machines are named one by one.
const mostNodes = 3

// nodesText names machines: "node a", "nodes a and b", "7 nodes, such as a".
func nodesText(names []string) string {
	switch {
	case len(names) == 1:
		return say.F("node %s", names[0])
	case len(names) <= mostNodes:
		return say.F("nodes %s", say.Join(names))
	}
	return say.F("%d nodes, such as %s", len(names), names[0])
}

// neighbourText says that a resource was busy with something that is not the trial's.
//
// Needs: “processes outside the trial used …”: CPU time that belongs to nothing in the trial, beyond
// its threshold. “disk vda is shared with something outside the trial (…)”: use of a device or network
// that does not come with the load, by its rules.
func neighbourText(r *rung.Rung, shared resource.Resource) string {
	if shared.Kind != resource.CPU {
		return say.F("%s is shared with something outside the trial (%s at %s, %s or more with what does not come with the load)",
			shared.Plain(), say.LoadText(shared), strconv.Itoa(r.Instances), words.Percent(shared.Other))
	}
	return say.F("processes outside the trial used %s (%s of its CPU at %s)", say.MachineText(shared), words.Percent(shared.Other), strconv.Itoa(r.Instances))
}

// saturatedToo names other resources that are saturated as well as the busiest one: "disk
// sdb is saturated as well (93 % busy)". It is empty if there are none.
//
// Needs: Another resource used to 90 % or more.
func saturatedToo(r *rung.Rung, top *resource.Resource) string {
	var names []string
	for _, o := range resource.LimitToo(r.Resources, top) {
		names = append(names, say.F("%s (%s)", o.Plain(), say.LoadText(o)))
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return say.F("%s is saturated as well", names[0])
	}
	return say.F("%s are saturated as well", say.Join(names))
}

// busyText writes "96 % busy at 12 instances, 20 % by the driver".
func busyText(r *rung.Rung, top *resource.Resource, noun string) string {
	text := say.F("%s at %s", say.LoadText(*top), say.Count(r.Instances, noun))
	if share := say.Join(append(roleShares(r, top), shares(r, top)...)); share != "" {
		text += ", " + share
	}
	if waiting := say.WaitingText(*top); waiting != "" {
		text += ", " + waiting
	}
	if beyond := beyondText(r, *top); beyond != "" {
		text += ", " + beyond
	}
	switch held := say.QuotaText(*top); {
	case held != "":
		text += ", " + held
	case top.Throttles():
		text += say.F(", throttled by its limit in %s of periods", words.Percent(top.Throttled))
	}
	return text
}

// shares says how much of a busy CPU neighbours, the load itself and simulated
// media take, where that is enough to matter.
func shares(r *rung.Rung, top *resource.Resource) (parts []string) {
	if top.Kind != resource.CPU {
		return nil
	}
	if top.Other > 0 {
		parts = append(parts, say.F("%s by processes outside the trial", words.Percent(top.Other)))
	}
	for _, part := range resource.Beside(r.Resources, *top) {
		parts = append(parts, say.F("%s by %s", words.Percent(part.Utilisation), say.Noun(part.Whose.String())))
	}
	return parts
}

// roleShares says how much of a busy CPU the roles that share it take.
func roleShares(r *rung.Rung, top *resource.Resource) (parts []string) {
	for _, part := range resource.SharersThatMatter(r.Resources, *top) {
		parts = append(parts, say.F("%s by %s", words.Percent(part.Utilisation), say.Noun(part.Whose.Name)))
	}
	return parts
}

// sharesText says how much of the machine's CPU each role takes:
// "php takes most of it, 18 ms per order; db takes 3 ms and web 1 ms".
//
// Needs: Several roles on the machine's CPU, with a demand of the first.
func sharesText(r *rung.Rung, unit string) string {
	roles := resource.Sharers(r.Resources)
	if len(roles) == 0 || roles[0].Demand <= 0 {
		return ""
	}
	var rest []string
	for _, part := range roles[1:] {
		rest = append(rest, say.F("%s %s", say.Noun(part.Whose.Name), words.Seconds(part.Demand)))
	}
	return say.F("%s takes most of it (%s of the machine's CPU, %s per %s; %s)", roles[0].Whose,
		words.Percent(roles[0].Utilisation), words.Seconds(roles[0].Demand), unit, say.Join(rest))
}

// Bottleneck is the finding behind the clause, with the numbers at the
// rung that broke and at the largest that kept.
func Bottleneck(s *setup.Subject, v *model.Variant) (model.Finding, bool) {
	f, ok := bottleneck(s, v)
	if ok && v.Tail != nil {
		f.Text = words.Sentences(f.Text, tailText(v))
	}
	return f, ok
}

func bottleneck(s *setup.Subject, v *model.Variant) (model.Finding, bool) {
	r := loadline.Limiting(v.Rungs, v.LoadLine)
	if r == nil || !diagnose.Possible(r) {
		return model.Finding{}, false
	}
	d := diagnose.Diagnose(v.Rungs, v.LoadLine, r)
	cause := d.Cause()
	f := model.Finding{ID: "bottleneck-" + v.Name, Kind: model.BottleneckFinding, Variant: v.Name, Rung: r.Instances, Trials: r.Trials, Cause: &cause}
	if slices.Contains([]diagnose.Kind{diagnose.Unknown, diagnose.Failing, diagnose.Unsteady, diagnose.Instance}, d.Kind) {
		f.Text, f.Numbers = bottleneckHead(s, v, r, d), courseNumbers(d)
		setNext(s, &f, v, r)
		return f, true
	}
	f.Numbers = timeNumbers(d)
	if d.Top == nil || d.Kind == diagnose.Spent && d.WaitedFor(0) == nil {
		f.Text = bottleneckHead(s, v, r, d)
		setNext(s, &f, v, r)
		return f, true
	}
	top := *d.Top
	if d.Kind == diagnose.Neighbour {
		top = *d.Shared
	}
	maps.Copy(f.Numbers, resourceNumbers(r, top))
	parts := []string{bottleneckHead(s, v, r, d)}
	if below := rung.Find(v.Rungs, v.LoadLine.Rung); below != nil && below != r {
		parts = append(parts, belowText(s, v.LoadLine, below, top))
	}
	parts = append(parts, stagesText(r), deviceEvidence(r, top), boundText(v, r, top, &f), predictionsText(v, &f, s.Noun), trendText(v, r, top), agreementText(s, v, r, &f))
	f.Text = strings.Join(words.NonEmpty(parts), " ")
	setNext(s, &f, v, r)
	return f, true
}

// deviceEvidence states the evidence of request times about the devices that matter: the
// bottleneck, or devices with an unsettled limit.
func deviceEvidence(r *rung.Rung, top resource.Resource) string {
	if top.Limits() {
		return aboutDevice(top)
	}
	if d := resource.FirstUncertain(r.Resources); d != nil {
		return aboutDevice(*d)
	}
	return ""
}

func aboutDevice(r resource.Resource) string {
	if r.Evidence == "" {
		return ""
	}
	return say.F("Of %s: %s", r.Plain(), words.Lower(r.Evidence))
}

// courseNumbers returns the numbers of unsteady work, and nil for other causes.
func courseNumbers(d diagnose.Diagnosis) map[string]float64 {
	if d.Kind != diagnose.Unsteady {
		return nil
	}
	c, n := d.Course.Course, map[string]float64{"trials": float64(d.Trials)}
	for name, v := range map[string]float64{"influence": c.Influence, "change": c.Change, "from": c.From, "to": c.To, "period": c.Period, "still": c.Still} {
		if v != 0 {
			n[name] = v
		}
	}
	return n
}

func resourceNumbers(r *rung.Rung, top resource.Resource) map[string]float64 {
	n := map[string]float64{"utilisation": top.Utilisation, "demand": top.Demand, "servers": top.Servers}
	if top.Queue > 0 {
		n["queue"] = top.Queue
	}
	for _, part := range resource.Sharers(r.Resources) {
		n["demand_"+part.Role] = part.Demand
	}
	if top.Throttled > 0 {
		n["throttled"] = top.Throttled
	}
	if d := resource.First(r.Resources, resource.Driver); d != nil {
		n["driver_utilisation"] = d.Utilisation
	}
	return n
}

// bottleneckHead is the first sentence of the finding: what limits, or why that is not known.
//
// Needs: Errors broke the rung; no telemetry.
func bottleneckHead(s *setup.Subject, v *model.Variant, r *rung.Rung, d diagnose.Diagnosis) string {
	at := say.Count(r.Instances, s.Noun)
	switch d.Kind {
	case diagnose.Unknown:
		return say.F("The bottleneck of `%s` at %s is unknown: %s.", v.Name, at, unmeasuredText(r.Unmeasured()))
	case diagnose.Failing:
		return say.F("On `%s` at %s the problem is failing %s, not slow ones: %s.", v.Name, at, v.Work.Unit.Plural, ErrorsText(v, r))
	case diagnose.Instance:
		w := d.Objective.Worst
		return say.F("On `%s` at %s, %s, in each of %s: the others keep the objectives, so what that %s has to itself limits it, and nothing that they share.",
			v.Name, at, InstanceText(v, *d.Objective, s.Noun), say.Count(w.Trials, "trial"), s.Noun)
	case diagnose.Uncertain:
		return uncertainHead(v, d, at)
	case diagnose.Users:
		return usersHead(v, r, *d.Top, at)
	case diagnose.FromStart:
		return words.Sentences(fromStartHead(v, *d.Top, at), timeText(v, d, s.Noun))
	case diagnose.Neighbour:
		return neighbourHead(v, *d.Shared, at)
	case diagnose.Waiting:
		return words.Sentences(softwareText(s, v, r, d), timeText(v, d, s.Noun))
	case diagnose.Queueing:
		return queueingHead(v, r, d, s.Noun)
	case diagnose.Spent:
		return spentHead(v, d, s.Noun)
	case diagnose.Unsteady:
		return unsteadyHead(v, r, d, at)
	}
	if d.Top.Kind.IsOccupied() {
		return gaugeHead(v, r, *d.Top, at)
	}
	return words.Sentences(saturatedHead(v, r, *d.Top, at), countedText(v, d, s.Noun))
}

// fromStartHead is for the smallest rung where it misses an objective.
//
// Needs: None of the above at the smallest rung.
func fromStartHead(v *model.Variant, top resource.Resource, at string) string {
	return say.F("`%s` misses an objective at %s, the smallest rung tried, with nothing saturated: the busiest is %s at %s. A smaller rung would show whether the time is queueing or the storage's service time for a single %s.",
		v.Name, at, top.Name, say.ShareText(top), v.Work.Unit.Name)
}

// neighbourHead is for a resource that something else uses, too.
func neighbourHead(v *model.Variant, shared resource.Resource, at string) string {
	if shared.Kind != resource.CPU {
		return say.F("%s was %s at %s, and %s or more of that does not come with the load of `%s`: something else uses it, too, so this run does not show what `%s` carries where nothing else does.",
			words.Capital(shared.Name), say.LoadText(shared), at, words.Percent(shared.Other), v.Name, v.Name)
	}
	return say.F("The %s was %s busy at %s, %s of it used by processes other than `%s`, its driver and its storage, so this run does not show what it carries on an idle machine.",
		shared.Name, words.Percent(shared.Utilisation), at, words.Percent(shared.Other), v.Name)
}

// uncertainHead describes a device that may or may not be saturated.
//
// Needs: A device with an assumed width, or with a busy time and a queue that contradict each other.
func uncertainHead(v *model.Variant, d diagnose.Diagnosis, at string) string {
	head := say.F("The bottleneck of `%s` at %s is unknown: nothing else is saturated (the busiest is %s at %s), and ", v.Name, at, d.Top.Name, say.ShareText(*d.Top))
	if d.Device.Contradicts() {
		return head + say.F("of %s what the kernel counts is contradictory.", d.Device.Plain())
	}
	return head + say.F("%s had requests in flight for %s of the time, which is normal for a device that serves several requests in parallel.", d.Device.Plain(), words.Percent(d.Device.Busy))
}

// usersHead is for a rung where nothing resists.
//
// Needs: CPU and storage measured, response time less than doubled; a second rung.
func usersHead(v *model.Variant, r *rung.Rung, top resource.Resource, at string) string {
	if rung.First(v.Rungs) == r {
		return say.F("Nothing measured is saturated on `%s` at %s: the busiest is %s at %s. A single rung cannot show whether response time grows.",
			v.Name, at, top.Name, say.ShareText(top))
	}
	return say.F("No resource is saturated on `%s` up to %s: the busiest is %s at %s, and response time hardly grew. The users and their think time set the throughput.",
		v.Name, at, top.Name, say.ShareText(top))
}

// saturatedHead names the resource that is used up, what of it is whose, and what else is
// used up.
//
// Needs: The busiest stage at work for 70 % of the time, 10 % more than any other, and queues that
// agree.
func saturatedHead(v *model.Variant, r *rung.Rung, top resource.Resource, at string) string {
	parts := []string{say.F("%s is the bottleneck of `%s`: %s at %s", words.Capital(top.Name), v.Name, say.LoadText(top), at)}
	if top.Demand > 0 {
		parts[0] += say.F(", with a demand of %s per %s", words.Seconds(top.Demand), v.Work.Unit.Name)
	}
	parts = append(parts, heldText(top), say.KernelBusy(top), beyondText(r, top))
	if top.Kind == resource.CPU && top.Machine == "" {
		parts = append(parts, sharesText(r, v.Work.Unit.Name))
	}
	parts = append(parts, whoseText(r, top))
	if others := saturatedToo(r, &top); others != "" {
		parts = append(parts, say.F("%s, so relief of one alone may not help", others))
	}
	if shared := resource.Shared(r.Resources); shared != nil && shared.Kind != top.Kind {
		parts = append(parts, say.F("also, %s", neighbourText(r, *shared)))
	}
	return strings.Join(words.NonEmpty(parts), "; ") + "."
}

// beyondText says what a utilisation does not show: that other cores of the machine were
// idle, that other guests used part of a CPU, that nothing ran meanwhile.
//
// Needs: The busiest core at 95 % or more on average, with the others at half or less together; steal
// of a tenth of a CPU's use or more.
func beyondText(r *rung.Rung, top resource.Resource) string {
	switch {
	case top.Kind == resource.Core:
		text := say.F("which what runs on one thread cannot leave")
		if cpu := resource.CPUOf(r.Resources, top); cpu != nil {
			text = say.F("while all cores together were %s busy: what runs on one thread can do no more", words.Percent(cpu.Utilisation))
		}
		return text
	case top.LosesToGuests():
		return say.F("%s of it by the hypervisor for other guests, so that there is less of it than it seems", words.Percent(top.Stolen))
	case top.Kind.IsWaiting() && top.Busy > 0:
		return say.F("and everything waited in %s", words.Percent(top.Busy))
	}
	return ""
}

// heldText says how a limit held its servers back; empty where none did.
//
// Needs: The kernel's counters of the control group.
func heldText(top resource.Resource) string {
	if held := say.QuotaText(top); held != "" {
		return say.F("the quota is %s", held)
	}
	if top.Step != nil {
		return queuesText(*top.Step)
	}
	if top.Throttles() {
		return say.F("its limit throttled it in %s of the periods in which it had work, although its average use is below the limit", words.Percent(top.Throttled))
	}
	return ""
}

// queuesText describes the queues before and after a stage while it was the bottleneck.
func queuesText(s resource.Step) string {
	if s.Both {
		return ""
	}
	full := say.F("the queue before it was full for %s of the time", words.Percent(s.Full))
	empty := say.F("the one after it was empty for %s", words.Percent(s.Empty))
	switch {
	case s.First && s.Last:
		return ""
	case s.First:
		return say.F("the queue after it was empty for %s of the time", words.Percent(s.Empty))
	case s.Last:
		return full
	}
	return say.F("%s, and %s", full, empty)
}

// stagesText says of each stage of a way how it spent the time; empty where work has none.
//
// Needs: A workload with stages.
func stagesText(r *rung.Rung) string {
	var parts []string
	side := ""
	for _, step := range resource.Steps(r.Resources) {
		s := step.Step
		head := ""
		if s.Side != side {
			head, side = say.F("of the %s, ", s.Side), s.Side
		}
		parts = append(parts, say.F("%s%s (%s) %s, %s and %s", head, s.Name, words.Bytes(float64(s.Bytes)), words.Percent(s.Busy), words.Percent(s.Starved), words.Percent(s.Blocked)))
	}
	if len(parts) == 0 {
		return ""
	}
	return say.F("Stages, with the share of the time at work, waiting for data and waiting for room: %s.", strings.Join(parts, "; "))
}

// whoseText says that the load generator is what limits, or how much of a CPU others take.
//
// Needs: The owner of the CPU time.
func whoseText(r *rung.Rung, top resource.Resource) string {
	switch {
	case top.Kind == resource.UserThreads:
		return say.F("a user does one thing after the other, so none is faster than one core of the machine that runs the driver")
	case top.Drives():
		return say.F("it runs the drivers, so the load generator is the limit, not what it measures")
	}
	if share := say.Join(shares(r, &top)); share != "" {
		return say.F("%s, which separate machines would free up", share)
	}
	return ""
}

// gaugeHead names the servers that have no room for more requests, and that
// nothing else is to blame.
//
// Needs: Workers occupied for 90 % of the time or more, with requests waiting, and nothing else
// saturated.
func gaugeHead(v *model.Variant, r *rung.Rung, top resource.Resource, at string) string {
	text := say.F("%s are the bottleneck of `%s`: the %s were %s busy at %s", words.Capital(top.Name), v.Name, words.Figures(top.Servers), words.Percent(top.Utilisation), at)
	if waiting := say.WaitingText(top); waiting != "" {
		text += say.F(", with %s", waiting)
	}
	if top.Demand > 0 {
		text += say.F("; %s occupies one for %s", say.A(v.Work.Unit.Name), words.Seconds(top.Demand))
	}
	var others []resource.Resource
	for _, o := range r.Resources {
		if o.Kind != resource.Gauge {
			others = append(others, o)
		}
	}
	if next := resource.Busiest(others); next != nil {
		text += say.F("; of everything else the busiest is %s, at %s", next.Name, say.ShareText(*next))
	}
	return text + "."
}

// belowText says how far the resource was at the largest rung that kept the objectives, or the
// largest before they were missed.
//
// Needs: The same resource at that rung.
func belowText(s *setup.Subject, line loadline.LoadLine, below *rung.Rung, top resource.Resource) string {
	which := say.F("the largest rung that met the objectives")
	if line.Unstable {
		which = say.F("the largest rung before the first that missed them")
	}
	for _, r := range below.Resources {
		if r.Name == top.Name {
			it := map[string]string{"is": say.F("it was"), "are": say.F("they were")}[say.IsAre(r)]
			return say.F("At %s, %s, %s %s.", say.Count(below.Instances, s.Noun), which, it, say.LoadText(r))
		}
	}
	return ""
}

// boundText gives the throughput at which the resource would be fully busy,
// m/D (Denning and Buzen, 1978).
//
// Needs: A demand, a use from 20 % on that is below saturation, and no rung above that bound.
func boundText(v *model.Variant, r *rung.Rung, top resource.Resource, f *model.Finding) string {
	if top.Demand <= 0 || top.Kind == resource.Gauge || top.Own() < 0.2 || top.Limits() || v.Work.Unit.Bytes || resource.Shared(r.Resources) != nil {
		return ""
	}
	bound := r.Throughput.Value / top.Own()
	if _, x := rung.Throughputs(v.Rungs); scale.Highest(x) > bound {
		return "" // another rung exceeded it, so it is no bound
	}
	f.Numbers["bound"] = bound
	return say.F("At this demand %s would be fully busy at %s %s; the measurement was %s.", top.Plain(), words.Figures(bound), v.Work.Unit.Throughput, say.Plain(r.Throughput, words.Figures))
}
