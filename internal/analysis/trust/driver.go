package trust

import (
	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/neighbour"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// doubtDriver: a driver short of CPU measures itself.
func doubtDriver(_ *Evidence, t *result.Trial, h trial.Host) []Warning {
	if h.Cores == 0 || trial.Seconds(t) <= 0 {
		return nil
	}
	used, peak := trial.DriversUsed(t, h), 0.0
	for _, d := range trial.DriversOn(t, h) {
		peak = max(peak, stats.Finite(d.BusyMax))
	}
	share := trial.LoadMade(t, h) / (trial.Seconds(t) * h.Cores)
	if h.Only(result.DriverRole) {
		return doubtDriversOwn(t, h, used/(trial.Seconds(t)*h.Cores), used)
	}
	if severity := byLevel(share, 0.35, 0.5, 0.75); severity != "" {
		form := DriverShare
		if t.Profile.OnVolume {
			form = DriverOnVolume
		}
		w := Warn(DriverBusy, severity, form, Share(share), Name(h.Called()))
		return []Warning{w.ByBoth(neighbour.WithoutCPU(t, h, share))}
	}
	if few := doubtDriverThreads(t, h, used); few != nil {
		return few
	}
	if peak >= 0.95*h.Cores && h.Cores > 1 {
		return warn(DriverBusy, Note, DriverPeak, Number(h.Cores))
	}
	return nil
}

// doubtDriverThreads: users wait for the threads of their driver where those are fewer and
// busy. A user with a thread of its own waits for nobody.
func doubtDriverThreads(t *result.Trial, h trial.Host, used float64) []Warning {
	threads, waiting := trial.DriverThreads(t, h)
	if !waiting {
		return nil
	}
	busy := used / (trial.Seconds(t) * threads)
	severity := byLevel(busy, 0.7, 0.8, 0.9)
	if severity == "" {
		return nil
	}
	return []Warning{Warn(DriverBusy, severity, DriverThreads, Count(int(threads)), Share(min(busy, 1))).By(inDrivers(t, busy, used))}
}

// doubtDriversOwn: drivers that have a machine to themselves may use most of it, but
// users wait for each other there as well, once it has nothing left.
func doubtDriversOwn(t *result.Trial, h trial.Host, drivers, used float64) []Warning {
	busy, _ := h.Mean(describe.CPUKind, "", "utilisation")
	busy = max(busy, drivers)
	severity := byLevel(busy, 0.7, 0.8, 0.9)
	if severity == "" {
		return nil
	}
	return []Warning{Warn(DriverBusy, severity, DriverMachine, Name(h.Called()), Share(min(busy, 1))).By(inDrivers(t, busy, used))}
}

// inDrivers bounds figures by the users that are in their drivers at a time, waiting or served: the
// seconds of CPU that these use, 1/(1-b) times as long where they are busy for a share of b
// (M/M/1). Without them all users would be at the storage.
func inDrivers(t *result.Trial, busy, used float64) bound.Bound {
	users := stats.Ratio(t.UserSeconds(), trial.Seconds(t))
	in := stats.Ratio(used, trial.Seconds(t)) / max(0.01, 1-min(1, busy))
	return bound.Lacks(min(0.99, stats.Ratio(in, users)))
}

// doubtDriverLimit: a driver that its CPU limit holds back is one short of CPU,
// however idle its machine is.
func doubtDriverLimit(_ *Evidence, _ *result.Trial, m trial.Metrics) (all []Warning) {
	const mostThrottled, mostUsed = 0.5, 0.95
	for _, name := range m.Names(describe.DriverKind) {
		throttled, _ := m.Mean(describe.DriverKind, name, "throttled_periods")
		used, _ := m.Mean(describe.DriverKind, name, "cpu_utilisation")
		severity := byLevel(max(throttled/mostThrottled, used/mostUsed), 0.8, 0.9, 1)
		if severity == "" {
			continue
		}
		all = append(all, Warn(DriverBusy, severity, DriverQuota, Name(name), Share(min(used, 1)), Share(throttled)).By(bound.Lacks(min(0.99, throttled))))
	}
	return all
}

// doubtCeiling compares the throughput with the drivers' ceiling without the store.
func doubtCeiling(_ *Evidence, t *result.Trial, _ trial.Metrics) []Warning {
	own := trial.Ceiling(t)
	if own <= 0 {
		return nil
	}
	share := trial.Throughput(t) / own
	severity := byLevel(share, leastOfCeiling, 0.9, 0.97)
	if severity == "" {
		return nil
	}
	return []Warning{Warn(DriverLimits, severity, DriverCeilingNear, Share(share), Number(own), Name(t.Profile.Unit.Throughput)).By(bound.Lacks(share))}
}

// leastOfCeiling is the share of the drivers' own throughput from which on they limit.
const leastOfCeiling = 0.8
