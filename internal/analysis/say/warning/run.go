package warning

import "plimsoll/internal/analysis/trust"

// ofRuns are the warnings about repetitions, rungs and runs.
var ofRuns = []subject{
	{trust.OneRepetition, []sentence{
		{trust.RepetitionOnly, "the only repetition of its rung: how much the figures vary is unknown", "the trials of the rung"},
	}},
	{trust.Outlier, []sentence{
		{trust.OutlierThroughput, "throughput is %s the median of the %d repetitions", "the trials of the rung"},
	}},
	{trust.Sequence, []sentence{
		{trust.SequenceChanged, "throughput of the last repetition was %s that of the first, and mean response time %s, one after the other as they were measured (%s {rung|rungs}): the repetitions are not of one steady state, as where caches warm up from trial to trial or a machine slows down", "the trials of a variant, at all rungs; see [courses](../analysis.md#shapes-of-throughput)"},
	}},
	{trust.Percentiles, []sentence{
		{trust.PercentilesWorst, "`%s` at %d: a histogram is missing or damaged, so the percentiles are those of the worst repetition", "repetitions with histograms that cannot be joined"},
	}},
	{trust.LeftOut, []sentence{
		{trust.LeftOutFor, "left out; %s counts in its place", "two attempts at a trial"},
		{trust.LeftOutSpoiled, "left out; %s counts in its place: %v", "two attempts at a trial, and what spoiled each"},
		{trust.RetriesUsedUp, "%s had outside interference (%v), but the retries are used up (--retries %d)", "what spoiled a trial, and how many were measured again"},
	}},
	{trust.SteadilyBusy, []sentence{
		{trust.SteadilyBusyNow, "what interferes does not pass: a retry had as much of it as the first attempt, so there are no further retries", "two attempts at a trial, and what spoiled each"},
	}},
	{trust.Running, []sentence{
		{trust.RunningToCome, "the run goes on: %d of %d planned trials are still to come", "the plan of a run that goes on"},
		{trust.RunningSoFar, "the run goes on: this is what it has measured so far", "a run that goes on"},
	}},
	{trust.MissingTrial, []sentence{
		{trust.MissingOfVariant, "planned trials of `%s` are missing from the run: %s; they were deleted, or the run was stopped before it reached them (plimsoll run --resume measures them)", "the plan of a run that ended"},
		{trust.MissingAllAt, "all at %d", "the planned trials of a rung"},
		{trust.MissingSomeAt, "%d of %d at %d", "the planned trials of a rung"},
	}},
	{trust.Prices, []sentence{
		{trust.PricesLeftOut, "prices were left out: %s", "a cost model that cannot be one"},
	}},
	{trust.Baseline, []sentence{
		{trust.BaselineLeftOut, "the baseline was left out: %s", "a baseline that cannot be read"},
		{trust.BaselineOther, "`%s` as a fraction of “%s” compares different work: %s", "a baseline of other sizes or counts"},
	}},
}

// ofSides are the warnings about comparisons and sizings.
var ofSides = []subject{
	{trust.Comparability, []sentence{
		{trust.DifferentLoad, "the load differs: %d users with a think time of %s against %d with %s", "users and think time of the common rungs"},
		{trust.DifferentData, "the data set differs: %s against %s", "the data sets of both runs"},
		{trust.DifferentMachines, "the machines differ: %s cores against %s", "the cores of both machines"},
		{trust.DifferentFailures, "failed trials at the common rungs are left out, which favours that side: %d of A and %d of B", "failed trials of the common rungs"},
		{trust.DifferentTimes, "one side was measured after the other, so any change to the machine in between counts as a difference; a single study with both as variants alternates between them", "when each trial began"},
	}},
	{trust.Unmeasured, []sentence{
		{trust.UnmeasuredBasis, "there are no measured results to size from: the proposals hold the data, but whether they carry the load is unknown", "no results"},
	}},
	{trust.NotLimiting, []sentence{
		{trust.NotLimitingBasis, "nothing that was measured of %s shows that its storage limits, so that more of it may not carry more", "no bottleneck that the storage is"},
	}},
	{trust.OtherMedia, []sentence{
		{trust.OtherMediaServer, "%s was measured on %s and %s servers have %s, assumed to be as fast", "the kinds of both media"},
	}},
	{trust.ReducedBasis, []sentence{
		{trust.ReducedProfile, "%s was measured with the reduced profile %s: what is sized is that load and no larger one", "the profile of the run"},
	}},
	{trust.Simulated, []sentence{
		{trust.SimulatedMedia, "%s was measured on simulated media: real ones are as fast only if the model is theirs", "the media of the run"},
	}},
	{trust.PoorGrade, []sentence{
		{trust.PoorGradeOf, "%s is of a run of grade %s: %s", "a grade below C"},
	}},
	{trust.SourceServers, []sentence{
		{trust.SourceModels, "the demand names no servers, so the models of the source are taken: %s; name your own under servers", "a demand without servers"},
	}},
	{trust.Room, []sentence{
		{trust.RoomAndNetwork, "whether so many drives hold the data, and what is between them and the users, such as a network, is not considered", "a demand for users"},
	}},
	{trust.NoPrice, []sentence{
		{trust.NoPriceOf, "the demand gives no price of %s; give price and drive_price of each under servers, and currency", "servers without a price"},
	}},
}
