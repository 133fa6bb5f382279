package warning

import "plimsoll/internal/analysis/trust"

// ofTrials are the warnings about what trials lack.
var ofTrials = []subject{
	{trust.Telemetry, []sentence{
		{trust.TelemetryNone, "no telemetry: the machine's activity is unknown, so neither a bottleneck nor outside interference would show", "no samples"},
	}},
	{trust.Missing, []sentence{
		{trust.LostFile, "the file %s %s: what happened in each second was not measured, so nothing shows whether the work was steady and what else used the machine", "trial.json: the checksum of the telemetry"},
		{trust.LostRecords, "the file %s %s: the figures that were summed up from it cannot be checked", "trial.json: checksums of files that it sums up"},
		{trust.LostInstances, "the file %s %s: what the others did was not measured, and each of them may break an objective", "trial.json: the instances of the rung"},
		{trust.LostSamples, "%s has no samples of %s of the measured phase: its figures are means over the rest", "the times of samples and of the phase"},
		{trust.LostMachine, "%s %s: what it did was not measured, so it may be what limits, or have been busy with something else", "trial.json: the machines that were observed"},
		{trust.LostResults, "results that the journal says were written are not there: %s; what they measured is unknown", "the journal's notes of trials that ended"},
		{trust.LostTrials, "trials that the answer rests on have no result that can be used: %s", "the plan; the files of each trial"},
		{trust.LostPlan, "the run has no %s: its study and its machine cannot be checked", "the files of the run"},
		{trust.FoundProblem, "%s", "what is wrong with a file"},
		{trust.FoundInstances, "has the figures of %d of %d instances", "the instances with figures, and of the rung"},
		{trust.FoundNoSample, "is listed in %s and has no sample", "the machines that were observed"},
		{trust.FoundNoFigure, "has samples in %s and no figure in %s", "two samples in the phase or more"},
		{trust.FoundNoSeries, "has figures in %s and no sample in %s", "samples of another machine"},
	}},
	{trust.ShortPhase, []sentence{
		{trust.LengthUnknown, "the length of the measured phase is unknown, so there is no throughput", "no length of the measured phase"},
		{trust.LengthShort, "only %s were measured: one slow second more or less would change the figure", "the length of the measured phase"},
		{trust.LengthNoCycles, "%s were measured, too short to include slow cycles of servers and drives", "the length of the measured phase"},
	}},
	{trust.CutOff, []sentence{
		{trust.CutOffUsers, "%s {user|users} had not finished their work when the measured phase ended after %s: how long all of it takes is unknown; raise phases.measure", "fixed work that was cut off"},
	}},
	{trust.Stonewall, []sentence{
		{trust.StonewallFaster, "%s %s until the first %s had finished, but %s over the whole run, which is what counts here: much of what the others had written by then was still in caches, or they were served later; give each more work", "both throughputs of fixed work, the first 1.5 times the other"},
	}},
	{trust.FewUnits, []sentence{
		{trust.CountNone, "no %s was completed in the measured phase", "the units of work that ended in the phase"},
		{trust.CountNoRate, "%s {was|were} measured: so few may be half as many or twice as many by chance, and tell neither a rate nor a percentile", "the units of work that ended in the phase"},
		{trust.CountNo95, "%s {was|were} measured: even the 95th percentile is based on ten of them or fewer", "the units of work that ended in the phase, not of a list"},
		{trust.CountNoFar, "%s were measured: percentiles above the 95th are based on fewer than ten", "the units of work that ended in the phase, not of a list"},
	}},
	{trust.Records, []sentence{
		{trust.RecordsOne, "some of the driver's records could not be used: %s", "damaged records"},
		{trust.RecordsSeveral, "some of the drivers' records could not be used: %s; and %s more {problem|problems}", "damaged records"},
		{trust.RecordsMissing, "records missing: %d of %d s of the measured phase (%s) have none, or not all; throughput is too low by about as much, and what happened then is unknown", "seconds of the phase without any, or fewer than the instances counted"},
	}},
	{trust.Errors, []sentence{
		{trust.ErrorsLimited, "%s of %s failed, and response times cover only the rest", "units of work that failed, 5 % or more"},
		{trust.ErrorsUnlimited, `%s of %s failed, and response times cover only the rest; the study sets no objective on errors: add one, such as "errors <= 0.1%%"`, "units of work that failed; no objective on errors"},
	}},
	{trust.Exhausted, []sentence{
		{trust.ExhaustedUnits, "%s: %s failed because of that", "the classes of units of work that failed"},
	}},
	{trust.Excluded, []sentence{
		{trust.ExcludedSome, "%s of %s instances failed and {was|were} set aside, as the study tolerates; the figures are those of the other %s, and what failed was not audited: %v", "instances that the campaign set aside"},
		{trust.ExcludedInstance, "%s %s (%s)", "stage, phase and reason"},
		{trust.ExcludedOnNode, "%s on %s %s (%s)", "machine, stage, phase and reason"},
		{trust.ExcludedMore, "and %s more", "more instances than are named"},
	}},
	{trust.Failed, []sentence{
		{trust.FailedBecause, "the trial failed: %s", "the cause of a failed trial"},
	}},
	{trust.Unfinished, []sentence{
		{trust.UnfinishedTrial, "the trial started and never finished; it is left out", "the journal's notes of trials"},
	}},
	{trust.Damaged, []sentence{
		{trust.DamagedTrial, "the trial was left out: it %s", "a figure that cannot be true"},
		{trust.DamagedObjective, `objective "%s" was left out: its limit is %s`, "a limit that is none"},
		{trust.DamagedPlan, "the plan could not be read: objectives, prices and missing trials are unknown", "no plan"},
		{trust.DamagedFile, "%s", "a file of the run that could not be read"},
	}},
}

// ofLoad are the warnings about the load.
var ofLoad = []subject{
	{trust.Loop, []sentence{
		{trust.LoopLost, "%s account for %s of the users' time (X·(R+Z)): in the rest they were %s", "a closed loop, its users' time, mean and think time, 200 units of work"},
		{trust.LoopMore, "the %s and response times account for %s users (X·(R+Z)), but there were %s", "a closed loop, its users' time, mean and think time, 200 units of work"},
		{trust.LoopUnits, "%s", "users without think time"},
		{trust.LoopUnitsThink, "%s and think time", "users with think time"},
		{trust.LoopConnecting, "connecting, reconnecting or held up in the driver", "work on a server"},
		{trust.LoopHeldUp, "held up in the driver, as by checks of what they read, or busy with other operations", "work on a volume"},
	}},
	{trust.Audit, []sentence{
		{trust.AuditNone, "no audit: whether every acknowledged %s was stored was not checked", "no audit"},
		{trust.AuditNoneBecause, "no audit: %s: whether every acknowledged %s was stored was not checked", "why there was no audit"},
		{trust.AuditFailed, "the audit failed: %s", "an audit"},
		{trust.AuditImpossible, "the audit could not be made: %s", "an audit that could not be made"},
	}},
	{trust.DriverLate, []sentence{
		{trust.LateUsers, "users woke %s late on average, %s of %a's time: %s", "the drivers' own records of lateness"},
		{trust.LateSchedule, "the driver could not keep up with its schedule", "an open loop, or users who never sleep"},
		{trust.LateNoThinkTime, "the driver's machine had no CPU for them in time, so less load was offered than users without think time offer", "no think time"},
		{trust.LateThinkTime, "the driver's machine had no CPU for them in time, so less load was offered than the think time says", "think time"},
	}},
	{trust.DriverBusy, []sentence{
		{trust.DriverShare, "the drivers used %s of %s's CPU, so the figures partly measure the load generator; move the drivers to another machine or raise the think time", "CPU of the drivers, and [its limits](../analysis.md#limits-of-the-driver)"},
		{trust.DriverOnVolume, "the drivers used %s of %s's CPU outside the kernel, so the figures partly measure the load generator; move the drivers to another machine or raise the think time", "user code of the drivers, and [its limits](../analysis.md#limits-of-the-driver)"},
		{trust.DriverPeak, "in its busiest second a driver used all %s cores", "the busiest second of each driver"},
		{trust.DriverThreads, "the drivers had %s {thread|threads} for their users, which were %s busy, so the figures partly measure the load generator; raise the think time, or have fewer instances on each driver (load.instances_per_driver)", "fewer threads than users, and their CPU"},
		{trust.DriverMachine, "the CPU of %s, which runs drivers only, was %s busy, so the figures partly measure the load generator; spread the drivers over more machines or raise the think time", "CPU of a machine with no other role"},
		{trust.DriverQuota, "%s used %s of its CPU limit and was throttled in %s of periods, so the figures partly measure the load generator; give it more CPU or fewer instances", "the kernel's counters of the driver's control group"},
	}},
	{trust.DriverLimits, []sentence{
		{trust.DriverCeilingNear, "the throughput is %s of the %s %s that the drivers reach by themselves, where nothing is stored: the client limits, not the store; have more drivers (load.instances_per_driver), more users, or move the drivers to another machine", "a ceiling of the drivers, and 80 % of it"},
	}},
}
