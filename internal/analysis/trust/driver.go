package trust

import (
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
		return doubtDriversOwn(h, used/(trial.Seconds(t)*h.Cores))
	}
	if severity := byLevel(share, 0.35, 0.5, 0.75); severity != "" {
		form := DriverShare
		if t.Profile.OnVolume {
			form = DriverOnVolume
		}
		return warn(DriverBusy, severity, form, Share(share), Name(h.Called()))
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
	return warn(DriverBusy, severity, DriverThreads, Count(int(threads)), Share(min(busy, 1)))
}

// doubtDriversOwn: drivers that have a machine to themselves may use most of it, but
// users wait for each other there as well, once it has nothing left.
func doubtDriversOwn(h trial.Host, drivers float64) []Warning {
	busy, _ := h.Mean(describe.CPUKind, "", "utilisation")
	busy = max(busy, drivers)
	severity := byLevel(busy, 0.7, 0.8, 0.9)
	if severity == "" {
		return nil
	}
	return warn(DriverBusy, severity, DriverMachine, Name(h.Called()), Share(min(busy, 1)))
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
		all = append(all, warn(DriverBusy, severity, DriverQuota, Name(name), Share(min(used, 1)), Share(throttled))...)
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
	return warn(DriverLimits, severity, DriverCeilingNear, Share(share), Number(own), Name(t.Profile.Unit.Throughput))
}

// leastOfCeiling is the share of the drivers' own throughput from which on they limit.
const leastOfCeiling = 0.8
