package trust

import (
	"math"
	"strings"

	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/neighbour"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// onEach makes a check of a trial of one of each of its machines.
func onEach(check func(*Evidence, *result.Trial, trial.Host) []Warning) doubt {
	return func(e *Evidence, t *result.Trial, m trial.Metrics) (all []Warning) {
		for _, h := range m.Hosts(t, e.Cores) {
			all = append(all, check(e, t, h)...)
		}
		return all
	}
}

// thisOne calls a machine as the hypervisor's guest that it is.
func thisOne(h trial.Host) string {
	if h.Name == "" {
		return "this machine"
	}
	return h.Called()
}

// doubtSteal: CPU that the hypervisor gave to others was missing here.
func doubtSteal(_ *Evidence, t *result.Trial, h trial.Host) []Warning {
	steal, _ := h.Mean(describe.CPUKind, "", "steal")
	severity := byLevel(steal, 0.01, 0.03, 0.1)
	if severity == "" {
		return nil
	}
	return []Warning{Warn(Steal, severity, StealGiven, Share(steal), Name(thisOne(h))).ByBoth(neighbour.Stolen(t, h, steal))}
}

// doubtHeat: a processor that slows down makes later trials slower.
func doubtHeat(_ *Evidence, _ *result.Trial, h trial.Host) []Warning {
	if r, ok := h.Summary(describe.MachineKind, "", "thermal_throttles"); ok && r.Max > 0 {
		return []Warning{Warn(Heat, Caution, HeatThrottled, Name(h.Whole("CPU").String()), Number(stats.Finite(r.Mean))).By(bound.Unbounded)}
	}
	return nil
}

// doubtClock: a stepped clock shifts samples against each other. Time is
// measured with the monotonic clock, so rates stay right.
func doubtClock(_ *Evidence, _ *result.Trial, h trial.Host) []Warning {
	r, ok := h.Summary(describe.MachineKind, "", "clock_offset")
	if !ok {
		return nil
	}
	step := max(math.Abs(stats.Finite(r.Max)), math.Abs(stats.Finite(r.Mean)))
	severity := byLevel(step, 0.05, 0.5, 5)
	if severity == "" {
		return nil
	}
	return warn(Clock, severity, ClockMoved, Name(h.Of(trial.Called("clock")).String()), Seconds(step))
}

// doubtBackground: CPU that is neither instance, driver, storage server nor
// Plimsoll was used by someone else, or by the kernel for the storage.
func doubtBackground(e *Evidence, t *result.Trial, h trial.Host) []Warning {
	other, known := h.Unaccounted(h.Cores)
	if !known {
		return nil
	}
	byKernel := e.Machines.Limit(t, h, other) == neighbour.LeastUnaccountedWithStorage
	if byKernel {
		why, since := BackgroundKernel, BackgroundKernelNew
		if neighbour.StorageServers(h) {
			why, since = BackgroundServer, BackgroundServerNew
		}
		if _, known := e.Machines.UsedBefore(t, h, describe.CPUKind, ""); known {
			why = since // it was not there before the load began
		}
		if much := warnUnaccounted(e, t, h, byLevel(other, 0.35, neighbour.LeastUnaccountedWithStorage, 0.75), other, why); much != nil {
			return much
		}
	}
	// The kernel's work for storage is not in user code.
	if user := e.Machines.Strangers(t, h) - trial.Stolen(h); byKernel || other < littleOther {
		if user < leastOther {
			return nil
		}
		return warnUnaccounted(e, t, h, Note, user, BackgroundProcesses)
	}
	why := BackgroundPrograms
	if other < neighbour.LeastUnaccounted {
		why = BackgroundProcesses
	}
	return warnUnaccounted(e, t, h, byLevel(other, littleOther, neighbour.LeastUnaccounted, 0.5), other, why)
}

// doubtNeighbour is doubtBackground where what was used is not the kernel's
// work for the trial.
func doubtNeighbour(e *Evidence, t *result.Trial, h trial.Host) []Warning {
	other, known := h.Unaccounted(h.Cores)
	if !known || e.Machines.Limit(t, h, other) == neighbour.LeastUnaccountedWithStorage {
		return nil
	}
	return doubtBackground(e, t, h)
}

// leastOther is the share of a machine's CPU from which others' code outside the kernel makes a warning, and
// littleOther the share from which any use does that nothing accounts for.
const (
	leastOther  = 0.02
	littleOther = 0.15
)

func warnUnaccounted(e *Evidence, t *result.Trial, h trial.Host, severity Severity, other float64, why Form) []Warning {
	if severity == "" {
		return nil
	}
	return []Warning{Warn(Background, severity, BackgroundUsed, Share(other), Name(h.Called()), Because(Background, why)).ByBoth(neighbour.WithoutCPU(t, h, e.Machines.Strangers(t, h)-trial.Stolen(h)))}
}

// doubtMemory: tasks that wait for memory read back what had to leave it, which no
// storage is to blame for. What the kernel counts is the share of time in which
// some task waited (kernel documentation, accounting/psi).
func doubtMemory(_ *Evidence, _ *result.Trial, h trial.Host) (all []Warning) {
	for _, name := range h.Names(describe.PressureKind) {
		waited, _ := h.Mean(describe.PressureKind, name, "some")
		group, resource, own := strings.Cut(name, "/")
		if severity := byLevel(waited, 0.1, 0.3, 2); severity != "" && (name == "memory" || own && resource == "memory") {
			form, who := MemoryMachine, h.Called()
			if own {
				form, who = MemoryGroup, group
			}
			all = append(all, Warn(Memory, severity, form, Name(who), Share(waited)).By(bound.Lacks(min(waited, 0.99))))
		}
	}
	return all
}

// doubtLimits: limits that were asked for and not enforced make another
// experiment of it.
func doubtLimits(_ *Evidence, t *result.Trial, m trial.Metrics) (all []Warning) {
	for _, s := range t.Servers {
		switch {
		case s.Limited || s.CPU == 0 && s.Memory == 0:
		case s.CPU == 0:
			all = append(all, warn(Limits, Note, LimitsMemory)...)
		default:
			all = append(all, Warn(Limits, Caution, LimitsCPU).By(beyondLimit(s, m)))
		}
	}
	return all
}

// beyondLimit bounds figures by what an instance used beyond a limit of its CPU that was not enforced.
func beyondLimit(s result.Server, m trial.Metrics) bound.Bound {
	most, known := 0.0, false
	for _, name := range m.Names(describe.InstanceKind) {
		if used, ok := m.Mean(describe.InstanceKind, name, "cpu"); ok {
			most, known = max(most, used), true
		}
	}
	if !known {
		return bound.Unbounded
	}
	return bound.TooHighBy(1 - min(1, stats.Ratio(s.CPU, most)))
}

// doubtQuota: where the instances' own CPU limit held them back, the trial measures the
// limit.
func doubtQuota(_ *Evidence, _ *result.Trial, m trial.Metrics) []Warning {
	worst := 0.0
	for _, name := range m.Names(describe.InstanceKind) {
		throttled, _ := m.Mean(describe.InstanceKind, name, "throttled")
		worst = max(worst, throttled)
	}
	if worst < 0.05 {
		return nil
	}
	return warn(Throttled, Note, ThrottledInstance, Number(worst))
}

// killable are what control groups are counted of.
var killable = []struct {
	kind string
	form Form
}{
	{describe.ContainerKind, KilledContainer}, {describe.DriverKind, KilledDriver},
	{describe.InstanceKind, KilledInstance}, {describe.NodeKind, KilledServer},
}

// doubtKills says whose processes the kernel ended for want of memory, as their
// control groups count them: others that go on hide it.
func doubtKills(_ *Evidence, t *result.Trial, m trial.Metrics) (all []Warning) {
	seconds := t.MeasureEnd.Sub(t.MeasureStart).Seconds()
	for _, k := range killable {
		for _, name := range m.Names(k.kind) {
			rate, _ := m.Mean(k.kind, name, "oom_kills")
			if rate <= 0 {
				continue
			}
			var limit Arg
			if most, has := m.Mean(k.kind, name, "memory_limit"); has {
				limit = Because(OutOfMemory, KilledAtLimit, Bytes(most))
			}
			killed := max(1, int(math.Round(rate*seconds)))
			all = append(all, Warn(OutOfMemory, Serious, KilledProcesses, Count(killed), Because(OutOfMemory, k.form, Name(name)), limit).By(bound.Unbounded))
		}
	}
	return all
}

// doubtCache: data that fit into memory are read once, so storage shows its
// writes only. Where reading once is all that was asked for, and caches were emptied or the
// devices read as much as there is, that is no doubt, nor where the storage is memory itself.
func doubtCache(e *Evidence, t *result.Trial, m trial.Metrics) []Warning {
	if t.Profile.Saves != nil && len(t.Devices) > 0 {
		return doubtRestored(t, trial.ReadByDevices(t, m))
	}
	size := trial.Dataset(e.Run.Plan, t)
	inMemory := !t.Storage().Durable && !t.Storage().Simulated && t.Storage().Class != "" // nothing slower lies below
	total := size * float64(e.Study.Ladder.Instances(t.Rung))
	once := t.Profile.ReadsOnce && (t.Emptied || trial.ReadByDevices(t, m) >= 0.9*total)
	if size == 0 || inMemory || once || t.Profile.Direct || trial.Directly(t) {
		return nil
	}
	memory, limited := trial.Memory(t)
	switch {
	case memory > 0 && limited && size > memory:
		return nil
	case memory > 0 && size <= memory:
		if limited && t.Storage().Simulated { // the study sets both
			return warn(Cache, Note, CacheInstance, Bytes(size), Bytes(memory))
		}
		return []Warning{Warn(Cache, Caution, CacheInstance, Bytes(size), Bytes(memory)).By(trial.FromMemory(t, m, size))}
	case e.Run.Machine != nil && e.Run.Machine.MemoryBytes > 0 && total < 0.8*float64(e.Run.Machine.MemoryBytes):
		return []Warning{Warn(Cache, Caution, CacheMachine, Bytes(total), Bytes(float64(e.Run.Machine.MemoryBytes))).By(trial.FromMemory(t, m, size))}
	}
	return nil
}

// fromDevices is the share of what was restored that devices must have read.
const fromDevices = 0.5

// doubtRestored: after a failure nothing is in caches any more, as it is just after a save.
func doubtRestored(t *result.Trial, read float64) []Warning {
	restored := float64(t.Operations[t.Profile.Saves.Restore].Bytes)
	if read >= fromDevices*restored {
		return nil
	}
	return []Warning{Warn(Cache, Caution, CacheRestored, Bytes(read), Bytes(restored)).By(bound.TooHighBy(1 - stats.Ratio(read, restored)))}
}

// doubtStorage repeats what the storage class says against its own figures.
func doubtStorage(e *Evidence, t *result.Trial, m trial.Metrics) []Warning {
	var out []Warning
	off := bound.Unbounded
	if size := trial.Dataset(e.Run.Plan, t); !t.Emptied && size > 0 { // they say so
		off = trial.FromMemory(t, m, size)
	}
	for _, text := range t.Doubts {
		out = append(out, Warn(StorageDoubt, Caution, StorageRecorded, Name(text)).By(off))
	}
	return append(out, doubtMedia(t, m)...)
}

// littleLost is the share of the users' waiting up to which the time that simulated media
// lost changes no figure by more than a hundredth.
const littleLost = 0.01

// doubtMedia: the excess time of simulated media over their models is at most part of the
// users' response times. If users mostly waited for other things, it hardly shows; nor does a medium
// that was late by a share of its requests' time delay them by more than that share.
func doubtMedia(t *result.Trial, m trial.Metrics) (out []Warning) {
	waited := float64(trial.Ended(t))*t.Whole().Mean + t.OptionalSeconds()
	requested := trial.SecondsInDevices(t, m)
	measured := stats.Ratio(trial.Seconds(t), trial.Driven(t))
	for _, b := range t.Behind {
		share, severity := stats.Ratio(b.Seconds, waited), Caution
		if share <= littleLost && waited > 0 {
			severity = Note
		}
		off := bound.Lacks(share * measured)
		if of := stats.Ratio(b.Seconds, requested); requested > 0 && of < share {
			off = bound.Lacks(of)
		}
		out = append(out, Warn(StorageDoubt, severity, StorageLate, recorded(b), Share(share)).ByWaiting(t, off))
	}
	return out
}

// recorded are the words in which a medium said that it was late, with their figures.
func recorded(b result.MediaDelay) Arg {
	said := Name(b.Text)
	for _, f := range b.Figures {
		said.Figures = append(said.Figures, Figure(f))
	}
	return said
}

// doubtDurability: a flush that reaches no medium costs nothing, and one that is
// never made neither.
func doubtDurability(_ *Evidence, t *result.Trial, _ trial.Metrics) []Warning {
	var given []string
	for _, s := range t.Servers {
		given = append(given, s.GivesUp...)
	}
	if len(given) > 0 {
		return []Warning{Warn(Durability, Serious, DurabilitySettings, Names(given)).By(bound.Unbounded)}
	}
	if t.Storage().Durable || t.Storage().Class == "" {
		return nil
	}
	return warn(Durability, Note, DurabilityFlushes, Name(t.Storage().Class))
}
