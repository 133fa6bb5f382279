package oltp

import (
	"cmp"
	"slices"
	"sort"

	"plimsoll/internal/workload"
	"plimsoll/internal/workload/oltp/data"
	"plimsoll/internal/workload/oltp/receipt"
)

// write is one row that a transaction changed.
type write struct {
	id, number, from, to int64 // number of the stamp; microseconds
	k                    int64
	table, user          int32
	kind                 receipt.Kind
	doubtful             bool
}

const insertKind = receipt.Insert

func isInsert(w *write) bool     { return w.kind == receipt.Insert }
func isStructural(w *write) bool { return w.kind == receipt.Insert || w.kind == receipt.Delete }
func isText(w *write) bool       { return w.kind == receipt.Insert || w.kind == receipt.Text }
func isIncrement(w *write) bool  { return w.kind == receipt.Increment }

// before reports whether a write was over when the other one began.
func (w *write) before(other *write) bool { return w.to < other.from }

// ledger is what the driver saw: every write by row and time, and the rows that
// the server numbered, by transaction.
type ledger struct {
	writes       []write
	added        []write
	found        []bool // of added, what was found in the table
	acknowledged int64
	doubtful     int64
}

func readLedger(receipts workload.Receipts) (*ledger, error) {
	l := &ledger{}
	var r receipt.Receipt
	err := receipts.Each(func(b []byte) error {
		if err := r.Read(b); err != nil {
			return err
		}
		l.enter(&r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(l.writes, func(a, b write) int {
		return cmp.Or(cmp.Compare(a.table, b.table), cmp.Compare(a.id, b.id), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	slices.SortFunc(l.added, compareAdded)
	l.found = make([]bool, len(l.added))
	return l, nil
}

func compareAdded(a, b write) int {
	return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.user, b.user), cmp.Compare(a.table, b.table))
}

func (l *ledger) enter(r *receipt.Receipt) {
	if r.Doubtful {
		l.doubtful++
	} else {
		l.acknowledged++
	}
	for _, w := range r.Writes {
		own := write{id: w.ID, number: r.Number, from: w.From, to: w.To, k: w.K, table: int32(w.Table), user: int32(r.User), kind: w.Kind, doubtful: r.Doubtful}
		if w.ID == 0 {
			l.added = append(l.added, own)
		} else {
			l.writes = append(l.writes, own)
		}
	}
}

// of returns the writes to a row.
func (l *ledger) of(table int, id int64) history {
	at := func(table int, id int64) int {
		return sort.Search(len(l.writes), func(i int) bool {
			w := &l.writes[i]
			return int(w.table) > table || int(w.table) == table && w.id >= id
		})
	}
	from := at(table, id)
	to := from
	for to < len(l.writes) && l.writes[to].id == id && int(l.writes[to].table) == table {
		to++
	}
	return l.writes[from:to]
}

// addition returns the place of the write that added a row, -1 when there is none.
func (l *ledger) addition(table int, s data.Stamp) int {
	want := write{number: s.Number, user: int32(s.User), table: int32(table)}
	if i, ok := slices.BinarySearchFunc(l.added, want, compareAdded); ok {
		return i
	}
	return -1
}

// history is the writes to one row in the order in which they began. Where two
// overlap, which they do only outside of transactions, either may have been the
// first.
type history []write

// superseded reports whether a certain write of the kind came after w.
func (h history) superseded(w *write, kind func(*write) bool) bool {
	for i := range h {
		if later := &h[i]; later != w && !later.doubtful && kind(later) && w.before(later) {
			return true
		}
	}
	return false
}

// candidates calls f with each write of a kind that may have been the last one.
func (h history) candidates(kind func(*write) bool, f func(*write)) {
	for i := range h {
		if w := &h[i]; kind(w) && !h.superseded(w, kind) {
			f(w)
		}
	}
}

// mayBeLoaded reports whether the row may still be the loaded one.
func (h history) mayBeLoaded() bool {
	for i := range h {
		if isStructural(&h[i]) && !h[i].doubtful {
			return false
		}
	}
	return true
}

func (h history) mayExist() bool {
	may := h.mayBeLoaded()
	h.candidates(isStructural, func(w *write) { may = may || w.kind == receipt.Insert })
	return may
}

func (h history) mayBeAbsent() bool {
	may := false
	h.candidates(isStructural, func(w *write) { may = may || w.kind == receipt.Delete })
	return may
}

// mustExist is !mayBeAbsent of a row that may have been missing at first.
func (h history) mustExist() bool { return !h.mayBeLoaded() && !h.mayBeAbsent() }

// increments returns how often k was certainly, and possibly, incremented since
// the row was made.
func (h history) increments(made *write) (certain, possible int64) {
	for i := range h {
		w := &h[i]
		if !isIncrement(w) || made != nil && w.before(made) {
			continue
		}
		possible++
		if !w.doubtful && (made == nil || made.before(w)) {
			certain++
		}
	}
	return certain, possible
}

// by returns the last write of a kind by the transaction with the stamp.
func (h history) by(s data.Stamp, kind func(*write) bool) (found *write) {
	for i := range h {
		if w := &h[i]; w.number == s.Number && int(w.user) == s.User && kind(w) {
			found = w
		}
	}
	return found
}

func (h history) has(kind func(*write) bool) bool {
	return slices.ContainsFunc(h, func(w write) bool { return kind(&w) && !w.doubtful })
}

// last returns the last certain write of a kind, nil when there is none.
func (h history) last(kind func(*write) bool) (found *write) {
	for i := range h {
		if w := &h[i]; kind(w) && !w.doubtful {
			found = w
		}
	}
	return found
}
