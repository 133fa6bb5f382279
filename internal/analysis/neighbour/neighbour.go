// Package neighbour attributes a machine's CPU time that no process of a trial accounts for: to
// other work on the machine, or to the kernel working for the trial's storage. It takes the
// samples of a trial's machines and gives shares of their CPU.
package neighbour

import (
	"math"
	"strings"
	"sync"
	"time"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// Shares of the machine's CPU from which what nothing accounts for is taken to
// be a neighbour's: in general, and where it may be the kernel's work for the
// storage, which has no process of its own.
const (
	LeastUnaccounted            = 0.25
	LeastUnaccountedWithStorage = 0.6
)

// Machines caches facts about the machines of a run. The zero value is ready to use.
type Machines struct {
	Run *result.Run // that they are of
	// before caches the results of UsedBefore by its arguments, because it reads a file.
	before sync.Map
}

// Share is the share of a machine's CPU that was used by something that is
// not the trial's, 0 when none is known of.
func (m *Machines) Share(t *result.Trial, h trial.Host) float64 {
	other, known := h.Unaccounted(h.Cores)
	if !known || other < m.Limit(t, h, other) {
		return 0
	}
	return other
}

// Strangers is the share of a machine's CPU that others used, at least: what Share says or code
// outside the kernel that nothing of a trial accounts for, where no servers of the storage may
// have run it, and what the hypervisor gave to other guests.
func (m *Machines) Strangers(t *result.Trial, h trial.Host) float64 {
	others := m.Share(t, h)
	if !StorageServers(h) {
		others = max(others, h.UserBeyond(h.Cores))
	}
	return others + trial.Stolen(h)
}

// Limit is the share that applies to a machine of a trial: Least or LeastBesideStorage. The
// kernel is to blame for less than LeastBesideStorage only where it does work for the storage,
// where that work is not in user code, and where it was not there before the load began. On a
// machine that storage has servers of its own on, these may be to blame as well.
func (m *Machines) Limit(t *result.Trial, h trial.Host, other float64) float64 {
	if other < LeastUnaccounted || !StorageServers(h) && (!kernelWorks(t, h.Metrics) || h.UserBeyond(h.Cores) >= LeastUnaccounted) {
		return LeastUnaccounted
	}
	if before, known := m.UsedBefore(t, h, describe.CPUKind, ""); known && before >= other/2 {
		return LeastUnaccounted
	}
	return LeastUnaccountedWithStorage
}

// StorageServers reports whether a machine may run storage servers that are not watched. On
// the campaign's own machine they are.
func StorageServers(h trial.Host) bool { return h.Name != "" && h.Is(result.StorageRole) }

// kernelWorks reports whether the kernel has threads that work for the storage on this
// machine: for loop devices, or for the network to its servers. A local file system works
// in the processes that write.
func kernelWorks(t *result.Trial, m trial.Metrics) bool {
	if len(m.Names(describe.NodeKind)) > 0 {
		return true
	}
	for _, d := range t.Devices {
		if d.Owner != "" || strings.HasPrefix(d.Name, "loop") {
			return true
		}
	}
	return false
}

// UsedBefore is the utilisation of one of a machine's resources, by the kind and name of its
// series, in the samples before the common start, when instances are ready and idle.
func (m *Machines) UsedBefore(t *result.Trial, h trial.Host, kind, name string) (share float64, known bool) {
	if m.Run == nil || m.Run.Dir == "" {
		return 0, false
	}
	type answer struct {
		share float64
		known bool
	}
	key := [4]string{t.ID, h.Name, kind, name}
	if a, ok := m.before.Load(key); ok {
		return a.(answer).share, a.(answer).known
	}
	share, known = readBefore(m.Run, t, h, kind, name)
	m.before.Store(key, answer{share, known})
	return share, known
}

func readBefore(run *result.Run, t *result.Trial, h trial.Host, kind, name string) (share float64, known bool) {
	all, err := run.Series(t, kind+"/utilisation")
	if err != nil {
		return 0, false
	}
	for _, series := range all {
		if series.Metric == "utilisation" && series.Kind == kind && series.Name == name && h.Has(series.Machine) {
			before := stats.FiniteOnly(series.Between(math.MinInt64, startSlack.Milliseconds()))
			return stats.Mean(before), len(before) > 0
		}
	}
	return 0, false
}

// startSlack is how much after the common start a sample may be taken and
// still tell of the time before.
const startSlack = 100 * time.Millisecond
