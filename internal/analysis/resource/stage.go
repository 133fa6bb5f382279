// This file tells which stage of a way that data take limits the others. It is a pure
// function of what each stage did: how long it was at work, and how long it waited for the
// stage before it and for the one after.

package resource

import (
	"slices"

	"plimsoll/internal/describe"
)

// StageVerdict is why no stage is named, or two are.
type StageVerdict string

// Reasons for naming none, or two.
const (
	StageNamed StageVerdict = ""
	// Both is that the busiest two are at work all the time: neither limits alone.
	BothStages StageVerdict = "both"
	// None did anything.
	NoStage StageVerdict = "none"
	// Idle is that no stage was at work for most of the time: they wait for something that
	// is none of them.
	StagesIdle StageVerdict = "idle"
	// Alike is that two stages were at work for about as long.
	StagesAlike StageVerdict = "alike"
	// Contradicted is that a stage before the busiest waited for data, or one after it could
	// not hand them on: the queues do not show it.
	StageContradicted StageVerdict = "contradicted"
)

const (
	// mostly is the share of the time from which on a stage can be the one that limits.
	mostlyAtWork = 0.7
	// apart is by how much of the time the limiting stage must be busier than any other.
	stagesApart = 0.1
	// noise is the share of the time up to which waiting says nothing.
	waitNoise = 0.05
)

// StageShare is how a stage spent the time of the whole way, in shares of it.
type StageShare struct {
	describe.Stage
	// Utilisation is the share in which it was at work; Starved that in which it waited for
	// the stage before, and Blocked for the one after.
	Utilisation float64
	Starved     float64
	Blocked     float64
}

// StageFinding is which stage limits.
type StageFinding struct {
	Shares []StageShare // of all stages, in the order of the way
	// Busiest is the place of the busiest in Shares; it limits where Why is Named. -1 is
	// none.
	Busiest int
	// Second is the next busiest, which limits with it where Why is Both; -1 is none.
	Second int
	Why    StageVerdict
	// Full is the share of the time in which the stage before could not hand on, because the
	// queue was full, and Empty that in which the stage after had nothing to take. They are
	// 1 at the ends of the way.
	Full, Empty float64
}

// Limits is the stage that limits; it is not ok where none is named.
func (f StageFinding) Limits() (s StageShare, ok bool) {
	if f.Why != StageNamed {
		return s, false
	}
	return f.Shares[f.Busiest], true
}

// LimitingStage names the stage that limits: the busiest, where the stages before it wait for their
// neighbours after them and those after it for their neighbours before them.
func LimitingStage(stages []describe.Stage) StageFinding {
	f := StageFinding{Busiest: -1, Second: -1, Why: NoStage, Full: 1, Empty: 1}
	whole := 0.0
	for _, s := range stages {
		whole = max(whole, s.Elapsed())
	}
	if whole <= 0 {
		return f
	}
	for n, s := range stages {
		f.Shares = append(f.Shares, StageShare{Stage: s, Utilisation: s.Busy / whole, Starved: s.Before / whole, Blocked: s.After / whole})
		f.rank(n)
	}
	if f.Busiest > 0 {
		f.Full = f.Shares[f.Busiest-1].Blocked
	}
	if f.Busiest < len(f.Shares)-1 {
		f.Empty = f.Shares[f.Busiest+1].Starved
	}
	f.Why = f.judge()
	return f
}

// rank puts a stage to its place among the busiest two.
func (f *StageFinding) rank(n int) {
	busier := func(than int) bool { return than < 0 || f.Shares[n].Utilisation > f.Shares[than].Utilisation }
	switch {
	case busier(f.Busiest):
		f.Busiest, f.Second = n, f.Busiest
	case busier(f.Second):
		f.Second = n
	}
}

func (f *StageFinding) judge() StageVerdict {
	top := f.Shares[f.Busiest]
	switch {
	case top.Utilisation < mostlyAtWork:
		return StagesIdle
	case f.bothAtWork():
		return BothStages
	case f.Second >= 0 && top.Utilisation-f.Shares[f.Second].Utilisation < stagesApart:
		return StagesAlike
	case slices.ContainsFunc(f.Shares[:f.Busiest], func(s StageShare) bool { return s.Starved > s.Blocked+waitNoise }),
		slices.ContainsFunc(f.Shares[f.Busiest+1:], func(s StageShare) bool { return s.Blocked > s.Starved+waitNoise }):
		return StageContradicted
	}
	return StageNamed
}

// always is the share of the time from which a stage is said to be at work all the time.
const always = 0.9

// bothAtWork reports that the two busiest stages are always busy, that stages before the
// first wait for room rather than for data, and stages after the second for data. Relieving
// one of them alone only shifts the work to the other.
func (f *StageFinding) bothAtWork() bool {
	if f.Second < 0 || f.Shares[f.Second].Utilisation < always || f.Shares[f.Busiest].Utilisation-f.Shares[f.Second].Utilisation >= stagesApart {
		return false
	}
	first, second := min(f.Busiest, f.Second), max(f.Busiest, f.Second)
	return !slices.ContainsFunc(f.Shares[:first], func(s StageShare) bool { return s.Starved > s.Blocked+waitNoise }) &&
		!slices.ContainsFunc(f.Shares[second+1:], func(s StageShare) bool { return s.Blocked > s.Starved+waitNoise })
}
