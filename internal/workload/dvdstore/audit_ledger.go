package dvdstore

import (
	"cmp"
	"errors"
	"slices"

	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore/session"
)

// ledger is what the driver saw: orders acknowledged, and orders of which it
// does not know whether they were committed.
type ledger struct {
	orders []session.Receipt // acknowledged, by ID
	known  map[int64]session.Receipt
	// unknown counts doubtful orders without ID; what is known of an order is
	// all but its ID.
	unknown  map[session.Receipt]int
	doubtful int64
}

func readLedger(receipts workload.Receipts) (*ledger, error) {
	l := &ledger{known: map[int64]session.Receipt{}, unknown: map[session.Receipt]int{}}
	var unreadable error
	err := receipts(func(text []byte) bool {
		var r session.Receipt
		if r, unreadable = session.ParseReceipt(text); unreadable == nil {
			l.enter(r)
		}
		return unreadable == nil
	})
	slices.SortFunc(l.orders, func(a, b session.Receipt) int { return cmp.Compare(a.ID, b.ID) })
	return l, errors.Join(err, unreadable)
}

func (l *ledger) enter(a session.Receipt) {
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
func (l *ledger) excuses(found session.Receipt) bool {
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
