package dvdstore

import (
	"fmt"

	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore/receipt"
)

// ledger is what the driver saw: a book for each kind of row that users write.
type ledger struct {
	orders  *book[receipt.Order]
	members *book[receipt.Member]
	reviews *book[receipt.Review]
	ratings *book[receipt.Helpfulness]
}

func readLedger(receipts workload.Receipts) (*ledger, error) {
	l := &ledger{
		orders: newBook[receipt.Order](), members: newBook[receipt.Member](),
		reviews: newBook[receipt.Review](), ratings: newBook[receipt.Helpfulness](),
	}
	err := receipts.Each(func(text []byte) error {
		r, err := receipt.Parse(text)
		if err != nil {
			return err
		}
		return l.enter(r)
	})
	l.orders.sort()
	l.members.sort()
	l.reviews.sort()
	l.ratings.sort()
	return l, err
}

func (l *ledger) enter(r receipt.Receipt) error {
	switch r := r.(type) {
	case receipt.Order:
		l.orders.enter(r)
	case receipt.Member:
		l.members.enter(r)
	case receipt.Review:
		l.reviews.enter(r)
	case receipt.Helpfulness:
		l.ratings.enter(r)
	default:
		return fmt.Errorf("no book is kept of a %T", r)
	}
	return nil
}

// excuses reports whether a doubtful order accounts for one that is there.
// Where the answer with the total was lost, any total will do.
func (l *ledger) excuses(found receipt.Order) bool {
	if l.orders.excuses(found) {
		return true
	}
	found.Cents = 0
	return l.orders.excuses(found)
}
