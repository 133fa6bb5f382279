package warning

import "plimsoll/internal/analysis/trust"

// A course is known from 20 seconds of the phase on.
const (
	likeliest = "20 seconds of the phase or more, and the likeliest [course](../analysis.md#shapes-of-throughput)"
	still     = "seconds in which nothing ended, and a user who waited as long"
)

// ofWork are the warnings about work that was not steady.
var ofWork = []subject{
	{trust.Work, []sentence{
		{trust.OfThroughput, "throughput", "what ended in each second"},
		{trust.OfResponse, "mean response time", "response times of each second, of steady throughput"},
	}},
	{trust.Stall, []sentence{
		{trust.StallWhole, "%s; %s%s", still},
		{trust.StallAlone, "%s", still},
		{trust.StallAtEnd, "when the measured phase ended, %s had been waiting for up to %s, longer than 99 %% of %s took; how they ended was not measured, so measure longer", "the ages of what waited then"},
		{trust.StallOnce, "%s for %s (%s of the phase), %s", "one stall"},
		{trust.StallOften, "%s for %s in %d stalls (%s of the phase), the longest of %s %s", "several stalls"},
		{trust.StallEven, "%s; they come every %s", "stalls equally far apart"},
		{trust.StallAll, "nothing ended", "all instances"},
		{trust.StallInstance, "nothing ended on %s", "one instance"},
		{trust.StallToEnd, "up to its end", "when it was"},
		{trust.StallFromStart, "from its beginning on", "when it was"},
		{trust.StallFrom, "from %d s into it on", "when it was"},
		{trust.StallDue, "about %s fell due then", "an open loop, and the rate that it offered"},
		{trust.StallNobody, "no %s is recorded to have waited so long", "a histogram"},
		{trust.StallUnderWay, "%s {was|were} under way then", "a histogram"},
		{trust.StallIncluded, "; response times count from when work was due and include it", "an open loop"},
		{trust.StallHidden, "; the users of a closed loop begin nothing meanwhile, so percentiles hide it", "a closed loop without a histogram"},
		{trust.StallCorrected, "; the users of a closed loop begin nothing meanwhile: p99 is %s as recorded and %s corrected for that (coordinated omission), and objectives are held against the corrected figures", "a closed loop with a histogram"},
	}},
	{trust.WarmUp, []sentence{
		{trust.WarmUpShort, "in the first %d s of the measured phase %s was %s the rest: the warm-up was too short", likeliest},
	}},
	{trust.Drift, []sentence{
		{trust.DriftUp, "%s rose by %s from the start to the end of the measured phase and had not settled: it was not steady", likeliest},
		{trust.DriftDown, "%s fell by %s from the start to the end of the measured phase and had not settled: it was not steady", likeliest},
	}},
	{trust.Shift, []sentence{
		{trust.ShiftUp, "%s rose by %s, %d s into the measured phase, and stayed there: these figures mix two different states", likeliest},
		{trust.ShiftDown, "%s fell by %s, %d s into the measured phase, and stayed there: these figures mix two different states", likeliest},
	}},
	{trust.Dip, []sentence{
		{trust.DipOnce, "%s fell by %s for %d s, %d s into the measured phase, and recovered", likeliest},
	}},
	{trust.Burst, []sentence{
		{trust.BurstOnce, "%s rose by %s for %d s, %d s into the measured phase, and fell back", likeliest},
	}},
	{trust.Dips, []sentence{
		{trust.DipsTwice, "%s fell by %s for %d s twice, %d s apart: with a longer phase it would show whether that returns, as checkpoints and flushes do", likeliest},
		{trust.DipsEven, "%s fell by %s for %d s every %d s, as with checkpoints or flushes: measure whole periods", likeliest},
	}},
	{trust.Bursts, []sentence{
		{trust.BurstsTwice, "%s rose by %s for %d s twice, %d s apart: with a longer phase it would show whether that returns", likeliest},
		{trust.BurstsEven, "%s rose by %s for %d s every %d s: measure whole periods", likeliest},
	}},
	{trust.Wave, []sentence{
		{trust.WaveFew, "%s swung between its highest and %s less, once in about %d s: the measured phase holds too few such periods for a mean", likeliest},
		{trust.WaveEven, "%s swung between its highest and %s less every %d s: measure whole periods", likeliest},
	}},
}
