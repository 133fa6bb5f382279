package trust

import (
	"math"
	"strings"
	"time"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
)

// Shares of the machine's CPU from which what nothing accounts for is taken to
// be a neighbour's: in general, and where it may be the kernel's work for the
// storage, which has no process of its own.
const (
	foreignBefore = 0.25
	foreignAlone  = 0.6
)

// foreign is the share that applies to a machine of a trial. The kernel is to blame
// for less than foreignAlone only where it does work for the storage, where that
// work is not in user code, and where it was not there before the load began. On a
// machine that storage has servers of its own on, these may be to blame as well.
func (e *Evidence) foreign(t *result.Trial, h trial.Host, other float64) float64 {
	if other < foreignBefore || !storageServers(h) && (!kernelWorks(t, h.Metrics) || h.UserBeyond(h.Cores) >= foreignBefore) {
		return foreignBefore
	}
	if before, known := e.busyBefore(t, h); known && before >= other/2 {
		return foreignBefore
	}
	return foreignAlone
}

// storageServers says that a machine may have servers of the storage that nobody
// watches. Those of the campaign's own machine are watched.
func storageServers(h trial.Host) bool { return h.Name != "" && h.Is(result.StorageRole) }

// Neighbours is the share of a machine's CPU that was used by something that is
// not the trial's, 0 when none is known of.
func (e *Evidence) Neighbours(t *result.Trial, h trial.Host) float64 {
	other, known := h.Unaccounted(h.Cores)
	if !known || other < e.foreign(t, h, other) {
		return 0
	}
	return other
}

// kernelWorks says that the storage has threads of the kernel to work for it on
// this machine: those of loop devices, or of the network to its servers. A local
// file system works in the processes that write.
func kernelWorks(t *result.Trial, m trial.Metrics) bool {
	if len(m.Names("node")) > 0 {
		return true
	}
	for _, d := range t.Devices {
		if d.Owner != "" || strings.HasPrefix(d.Name, "loop") {
			return true
		}
	}
	return false
}

// busyBefore is the machine's utilisation in the last samples before the
// common start, when instances are ready and idle.
func (e *Evidence) busyBefore(t *result.Trial, h trial.Host) (share float64, known bool) {
	if e.Run.Dir == "" {
		return 0, false
	}
	type answer struct {
		share float64
		known bool
	}
	key := [2]string{t.ID, h.Name}
	if a, ok := e.before.Load(key); ok {
		return a.(answer).share, a.(answer).known
	}
	share, known = e.readBusyBefore(t, h)
	e.before.Store(key, answer{share, known})
	return share, known
}

func (e *Evidence) readBusyBefore(t *result.Trial, h trial.Host) (share float64, known bool) {
	all, err := e.Run.Series(t.ID, "cpu/utilisation")
	if err != nil {
		return 0, false
	}
	for _, series := range all {
		if series.Metric == "utilisation" && series.Kind == "cpu" && h.Has(series.Machine) {
			before := stats.FiniteOnly(series.Between(math.MinInt64, startSlack.Milliseconds()))
			return stats.Mean(before), len(before) > 0
		}
	}
	return 0, false
}

// startSlack is how much after the common start a sample may be taken and
// still tell of the time before.
const startSlack = 100 * time.Millisecond
