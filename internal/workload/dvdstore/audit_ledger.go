package dvdstore

import (
	"cmp"
	"slices"

	"plimsoll/internal/workload"
)

// ledger is what the driver saw: orders acknowledged, and orders of which it
// does not know whether they were committed.
type ledger struct {
	orders []workload.Ack // acknowledged, by ID
	known  map[int64]workload.Ack
	// unknown counts doubtful orders without ID; what is known of an order is
	// all but its ID.
	unknown  map[workload.Ack]int
	doubtful int64
}

func readLedger(acks func(yield func(workload.Ack) bool) error) (*ledger, error) {
	l := &ledger{known: map[int64]workload.Ack{}, unknown: map[workload.Ack]int{}}
	err := acks(func(a workload.Ack) bool {
		l.enter(a)
		return true
	})
	slices.SortFunc(l.orders, func(a, b workload.Ack) int { return cmp.Compare(a.ID, b.ID) })
	return l, err
}

func (l *ledger) enter(a workload.Ack) {
	if !a.Doubtful {
		l.orders = append(l.orders, a)
		return
	}
	l.doubtful++
	if a.ID != 0 {
		l.known[a.ID] = a
	} else {
		l.unknown[a]++
	}
}

func (l *ledger) acknowledged() int64 { return int64(len(l.orders)) }

// excuses says whether a doubtful order accounts for one that is there; each
// accounts for one only.
func (l *ledger) excuses(found workload.Ack) bool {
	if doubtful, ok := l.known[found.ID]; ok {
		found.Doubtful = true
		return doubtful == found
	}
	anonymous := found
	anonymous.ID, anonymous.Doubtful = 0, true
	if l.unknown[anonymous] == 0 {
		return false
	}
	l.unknown[anonymous]--
	return true
}
