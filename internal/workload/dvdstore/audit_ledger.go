package dvdstore

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore/receipt"
)

// ledger is what the driver saw: orders acknowledged, and orders of which it
// does not know whether they were committed.
type ledger struct {
	orders []receipt.Order // acknowledged, by ID
	known  map[int64]receipt.Order
	// unknown counts doubtful orders without ID; what is known of an order is
	// all but its ID and, where its total came with the lost answer, that, too.
	unknown  map[receipt.Order]int
	doubtful int64
}

func readLedger(receipts workload.Receipts) (*ledger, error) {
	l := &ledger{known: map[int64]receipt.Order{}, unknown: map[receipt.Order]int{}}
	var unreadable error
	err := receipts(func(text []byte) bool {
		var r receipt.Receipt
		if r, unreadable = receipt.Parse(text); unreadable == nil {
			unreadable = l.enter(r)
		}
		return unreadable == nil
	})
	slices.SortFunc(l.orders, func(a, b receipt.Order) int { return cmp.Compare(a.ID, b.ID) })
	return l, errors.Join(err, unreadable)
}

func (l *ledger) enter(r receipt.Receipt) error {
	a, ok := r.(receipt.Order)
	if !ok {
		return fmt.Errorf("a receipt is a %T, and this version has only orders", r)
	}
	if !a.Doubtful {
		l.orders = append(l.orders, a)
		return nil
	}
	l.doubtful++
	if a.ID != 0 {
		l.known[a.ID] = a
	} else {
		l.unknown[a]++
	}
	return nil
}

func (l *ledger) acknowledged() int64 { return int64(len(l.orders)) }

// excuses says whether a doubtful order accounts for one that is there; each
// accounts for one only.
func (l *ledger) excuses(found receipt.Order) bool {
	if doubtful, ok := l.known[found.ID]; ok {
		found.Doubtful = true
		return doubtful == found
	}
	found.ID, found.Doubtful = 0, true
	for _, cents := range []int64{found.Cents, 0} {
		found.Cents = cents
		if l.unknown[found] > 0 {
			l.unknown[found]--
			return true
		}
	}
	return false
}
