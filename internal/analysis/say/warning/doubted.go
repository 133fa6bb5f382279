package warning

import (
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/trust"
)

// doubted is what kinds of doubts are about, in a bracket behind the size of a bound.
var doubted = map[trust.Kind]string{
	trust.Telemetry: "no telemetry", trust.Missing: "lost evidence", trust.ShortPhase: "short phases", trust.CutOff: "work that was cut off",
	trust.FewUnits: "little work measured", trust.Records: "lost records", trust.Errors: "failed work", trust.Exhausted: "something ran out",
	trust.Excluded: "instances set aside", trust.Loop: "users unaccounted for", trust.Audit: "the audit", trust.DriverLate: "users that woke late",
	trust.DriverBusy: "CPU of the drivers", trust.DriverLimits: "drivers near their own limit", trust.Strangers: "disks and networks that others used",
	trust.Steal: "CPU given to other guests", trust.Heat: "a CPU too hot", trust.Background: "CPU that others used", trust.Memory: "waiting for memory",
	trust.Limits: "limits not enforced", trust.OutOfMemory: "processes killed for memory", trust.Cache: "data in memory", trust.StorageDoubt: "the storage's own doubts",
	trust.Durability: "durability given up", trust.OneRepetition: "few repetitions", trust.Sequence: "repetitions that change in turn",
	trust.Damaged: "damaged results", trust.MissingTrial: "missing trials",
	trust.Stall: "stalls", trust.WarmUp: "warm-up", trust.Drift: "a drift", trust.Shift: "a change of level", trust.Dip: "a dip", trust.Dips: "dips",
	trust.Burst: "a burst", trust.Bursts: "bursts", trust.Wave: "waves",
}

// Doubted names what a kind of doubt is about: "short phases".
func Doubted(kind trust.Kind) string {
	if text, known := doubted[kind]; known {
		return say.F(text)
	}
	return string(kind)
}
