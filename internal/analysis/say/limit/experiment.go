package limit

import (
	"strings"

	"plimsoll/internal/analysis/experiment"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/whatif"
	"plimsoll/internal/text/words"
)

// setNext adds to a bottleneck finding the experiment that would prove it: in words, as
// study YAML and as one changed setting, with the closed network's prediction.
func setNext(s *setup.Subject, f *model.Finding, v *model.Variant, r *rung.Rung) {
	e, ok := experiment.For(s, v, r)
	if !ok {
		return
	}
	f.Next = nextText(e, v)
	if e.Path != "" {
		f.Fragment = e.Fragment(v)
		f.Change = &model.Change{Path: e.Path, From: e.From, To: e.To, Rungs: e.Rungs, Expect: e.Expect, Predictions: predictionsOf(e, v)}
	}
	for _, b := range e.Beside {
		f.Beside = append(f.Beside, model.Change{Path: b.Path, From: b.From, To: b.To, Rungs: e.Rungs, Expect: "better", Beside: true})
	}
	if e.Forecast.Line > 0 {
		f.Numbers["predicted_load_line"] = e.Forecast.Line
	}
	if e.Throughput.Value > 0 {
		f.Numbers["predicted_throughput"] = e.Throughput.Value
	}
}

// predictionsOf are those that are about the change of an experiment itself, or may be.
func predictionsOf(e experiment.Experiment, v *model.Variant) (all []model.ChangePrediction) {
	known := 0 // as how many times as fast the change makes the device; of another medium only the experiment shows it
	if e.Doubles {
		known = 2
	}
	r := rung.Find(v.Rungs, e.Rungs[0])
	add := func(metric string, factor int, value stats.Interval, of func(*rung.Rung) stats.Interval) {
		p := model.ChangePrediction{Metric: metric, Value: value, Factor: factor}
		if r != nil {
			without := of(r)
			p.Without = &without
		}
		all = append(all, p)
	}
	if e.Throughput.Value > 0 {
		add(model.OfThroughput, known, e.Throughput, func(r *rung.Rung) stats.Interval { return r.Throughput })
	}
	for _, p := range v.Predictions {
		if e.Kind == experiment.FasterMedium && p.Kind == whatif.FasterDevice && (known == 0 || p.Factor == known) && p.Resource == e.Top.Name && p.At == e.Rungs[0] {
			add(model.OfMean, p.Factor, p.Response, func(r *rung.Rung) stats.Interval { return r.Mean })
		}
	}
	return all
}

// nextText asks for an experiment.
//
// Needs: “double the users, start the ladder lower, give … twice the cores, raise the quota, run 4
// servers instead of 2, …”: the cause above; a setting of the study that changes it, or else words
// alone. “measure these rungs again with more repetitions: waiting that was counted explains the
// growth, …”: waiting that was counted makes up half of the growth, and no part of it is shown to be
// the cause.
func nextText(e experiment.Experiment, v *model.Variant) string {
	factor, role := e.Forecast.Factor, e.Top.Role
	switch e.Kind {
	case experiment.FindLimit:
		return say.F("Double the users of each instance, or go further up the ladder, to find the bottleneck.")
	case experiment.FindLock:
		return findLockText(e)
	case experiment.VaryLock:
		return varyLockText(e)
	case experiment.LessWork:
		return say.F("Give what runs as %s less to do for each %s, or faster cores, and measure this rung again: more cores alone do not make one %s shorter.", e.Cause.Role, v.Work.Unit.Name, v.Work.Unit.Name)
	case experiment.FindWait:
		return findWaitText(e)
	case experiment.TellApart:
		return say.F("Measure these rungs again with more repetitions: waiting that was counted explains the growth, but none of it is shown to have grown most. If that stays so, no single change gives more than its own part.")
	case experiment.MoreThreads:
		return say.F("Have twice as many users: each of these had a core to itself and used it up.")
	case experiment.StartLower:
		return say.F("Start the ladder lower, or with fewer users, to see how long %s takes without queueing.", say.A(v.Work.Unit.Name))
	case experiment.FindErrors:
		return say.F("First find out why %s fail: `plimsoll show` of one of its trials lists the errors, and the servers' logs are stored with it. Until that is fixed, neither more load nor faster storage will help.", v.Work.Unit.Plural)
	case experiment.Observe:
		return observeText(e.Missing)
	case experiment.MeasureWidth:
		return say.MeasureWidth()
	case experiment.MeasureSteady:
		return steadyText(e.Course)
	case experiment.StopNeighbours:
		return stopText(e.Top)
	case experiment.FindOdd:
		return say.F("Find what sets this one apart from the others (its machine, its volume, its data), and measure the rung again with its place changed.")
	case experiment.LeaveGuests:
		return say.F("Measure again on a machine whose hypervisor has no other guests, or none that take its CPU: what this one carries depends on them.")
	case experiment.MoreCores:
		return say.F("Give %s %d times the cores%s.", say.MachineText(e.Top), factor, forecastText(e.Forecast, v))
	case experiment.HalveCPU:
		return halveText(e, v)
	case experiment.MoreStorageCPU:
		return say.F("Give the storage nodes %d times the CPU%s.", factor, forecastText(e.Forecast, v))
	case experiment.FasterMedium:
		return fasterText(e, v)
	case experiment.RaiseQuota:
		return quotaText(e)
	case experiment.MoreServers:
		return say.F("Run %s %s servers in each instance instead of %s.", e.To, role, e.From)
	case experiment.MoreWorkers:
		return say.F("Give each %s server %s %s instead of %s (%s).", role, e.To, e.Server.Gauge.Name, e.From, e.Path)
	}
	return relieveText(e)
}

// stopText asks for a resource that nothing else uses.
func stopText(shared resource.Resource) string {
	if shared.Kind != resource.CPU {
		return say.F("Stop what else uses %s, or measure again where nothing else does.", shared.Plain())
	}
	return say.F("Stop everything else on this machine and measure again.")
}

// observeText asks for the missing measurements.
func observeText(missing resource.BlindSpots) string {
	var parts []string
	if missing.CPU || missing.Storage {
		parts = append(parts, say.F("Measure this rung again with telemetry, including the storage's devices."))
	}
	if len(missing.Machines) > 0 {
		parts = append(parts, say.F("Measure this rung again with telemetry of %s.", nodesText(missing.Machines)))
	}
	if len(missing.Links) > 0 {
		l := missing.Links[0]
		parts = append(parts, say.F("Hold the %s/s of %s against the speed of its link, which its switch or the provider of the machine says.", words.Bytes(l.Rate), l.Network.Plain()))
	}
	if missing.Swapped {
		parts = append(parts, say.F("Give the machine more memory, or let less run on it, and measure this rung again."))
	}
	return strings.Join(parts, " ")
}

// fasterText says what would remove the limit of a medium and, if the effect of a change is
// known, what proves it.
//
// Needs: Users who compute for a fixed time on each unit of work, and a rate that the storage class
// names and a device comes to.
func fasterText(e experiment.Experiment, v *model.Variant) string {
	text := say.F("Put the volumes on a medium that serves this load %d times as fast, or on that many times the drives%s.", e.Forecast.Factor, forecastText(e.Forecast, v))
	if e.Throughput.Value > 0 {
		text += say.F(" To prove it here, measure %d with %s at %s instead of %s: throughput should come to about %s %s.", e.Rungs[0], e.Path, e.To, e.From, words.Figures(e.Throughput.Value), v.Work.Unit.Throughput)
	}
	return text
}

// relieveText asks for more of a resource that the study has no parameter for.
func relieveText(e experiment.Experiment) string {
	switch e.Kind {
	case experiment.LiftStage:
		return liftText(e)
	case experiment.FewerOnDriver:
		return say.F("Have fewer instances on each driver (load.instances_per_driver): these figures measure the load generator.")
	case experiment.MoreDrivers:
		return say.F("Give the drivers more machines, or more cores: these figures measure the load generator.")
	case experiment.DriversApart:
		return say.F("Move the drivers to another machine, or give each fewer instances: these figures measure the load generator.")
	case experiment.SpreadThread:
		return say.F("Find what fills one core of %s (`top -H` while the load runs: a server's only thread, or the interrupts of one device), and spread it over more, or run it on a faster core.", say.MachineText(e.Top))
	case experiment.MoreMemory:
		return say.F("Give what runs on %s more memory, or let it keep less there, and measure this rung again.", say.MachineText(e.Top))
	case experiment.RaiseContainer:
		return say.F("Run without this quota, or with %s cores (docker run --cpus, resources.limits.cpu of a pod, CPUQuota= of a service), and measure this rung again.", words.Exact(2*e.Top.Servers))
	}
	return say.F("Raise the capacity of %s and measure this rung again.", e.Top.Plain())
}

// liftText says what to relieve a stage of.
//
// Needs: A stage that limits; a parameter that the workload names for it, or a setting of the study.
func liftText(e experiment.Experiment) string {
	if e.Top.Step.Both {
		return say.F("Give both stages less to do, and measure this rung again: relief of one alone leaves the other as busy as it is.")
	}
	if e.Path == "" {
		return say.F("Give the %s less to do, or a faster store, and measure this rung again.", e.Top.Plain())
	}
	return say.F("Set %s to %s instead of %s, which leaves the %s less to do.", e.Path, e.To, e.From, e.Top.Plain())
}

func findLockText(e experiment.Experiment) string {
	text := say.F("Double the users of each instance: if throughput does not change and nothing saturates, a lock or another software limit is the bottleneck")
	if e.Tunable {
		text += say.F("; then vary the settings of its servers")
	}
	return text + "."
}

// varyLockText asks to vary what holds a lock.
func varyLockText(e experiment.Experiment) string {
	text := say.F("Vary what holds the lock: make the work that takes it shorter, spread the users over more data, or let fewer of them take it at once. More users only lengthen the queue for it")
	if e.Tunable {
		text += say.F("; the study can also vary those settings of the servers that concern the lock")
	}
	return text + "."
}

// findWaitText asks for what makes the work wait.
func findWaitText(e experiment.Experiment) string {
	if e.Cause.Wait == "" {
		return say.F("Find out what makes it wait: the series of kind wait and the servers' logs of this rung's trials are stored with it.")
	}
	return say.F("Find out what makes it wait for %s, vary that, and measure this rung again.", e.Cause.Wait)
}

// halveText says what to take away, and what would remove the limit.
func halveText(e experiment.Experiment, v *model.Variant) string {
	text := say.F("To prove it here, limit each %s to %s of the %s cores that it used: throughput should fall to about half, %s %s.", e.Whom, e.To, e.From, words.Figures(e.Throughput.Value), v.Work.Unit.Throughput)
	if e.Forecast.Line > 0 {
		text += say.F(" To remove it, give %s %d times the cores%s.", say.MachineText(e.Top), e.Forecast.Factor, forecastText(e.Forecast, v))
	}
	return text
}

func quotaText(e experiment.Experiment) string {
	text := say.F("Raise the %s from %s to %s cores", e.Top.Plain(), e.From, e.To)
	if e.Server.Stateless {
		text += say.F(", or run %d of them in each instance (stack.%s.count)", 2*max(1, e.Server.Count), e.Top.Role)
	}
	return text + "."
}

// forecastText is the clause with the predicted load line, empty without one.
//
// Needs: The closed network within 25 % of the measurements.
func forecastText(f experiment.Forecast, v *model.Variant) string {
	switch {
	case f.Off != 0:
		return say.F("; no load line is predicted, because the queueing model built from the measured demands is off by %s here", say.Growth(f.Off))
	case f.Line <= 0:
		return ""
	case f.Line <= v.LoadLine.Count.Value:
		return say.F(": this alone is predicted not to raise the load line")
	}
	return say.F(": predicted load line %s", words.Thousands(f.Line))
}
