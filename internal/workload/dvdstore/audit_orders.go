package dvdstore

import (
	"context"
	"math"

	"plimsoll/internal/workload/dvdstore/receipt"
)

// The streams that orders compares, each sorted by order number. Lines and
// history are summed up by the server; the sum of product numbers tells
// whether both name the same products.
const (
	newOrders = `select orderid, coalesce(customerid, 0), cast(totalamount * 100 as integer)
		from {orders} where orderid > {last} order by orderid`
	newLines = `select orderid, count(*), sum(quantity), sum(prod_id), min(orderlineid), max(orderlineid)
		from {orderlines} where orderid > {last} group by orderid order by orderid`
	newHistory = `select orderid, count(*), sum(prod_id), min(customerid), max(customerid)
		from {cust_hist} where orderid > {last} group by orderid order by orderid`
)

// Columns of the streams.
const (
	orderCustomer, orderCents                     = 1, 2
	linesCount, linesQuantity, linesProducts      = 1, 2, 3
	linesFirst, linesLast                         = 4, 5
	historyCount, historyProducts                 = 1, 2
	historyLeastCustomer, historyGreatestCustomer = 3, 4
)

// evidence is all that the database has of one order number. Missing parts are nil.
type evidence struct {
	id                    int64
	order, lines, history []int64
}

// orders compares the ledger with the orders that came after the loaded ones,
// and gives the number of acknowledged orders that are there, once and whole.
func (a *auditor) orders(ctx context.Context, book *ledger) (present int64, err error) {
	j := newJudge(book)
	err = a.eachOrder(ctx, j.evidence)
	j.missing(math.MaxInt64)
	a.add(j.tallies()...)
	return j.present, err
}

// eachOrder merges the three streams. History is opened first because the
// server must sort it before it can answer, and servers hang up on clients
// that leave another stream unread for long.
func (a *auditor) eachOrder(ctx context.Context, f func(evidence)) error {
	var streams [3]*cursor
	for i, query := range []string{newHistory, newLines, newOrders} {
		c, err := a.open(ctx, query)
		if err != nil {
			return err
		}
		defer c.close()
		streams[i] = c
	}
	history, lines, orders := streams[0], streams[1], streams[2]
	for {
		id := min(history.key(), lines.key(), orders.key())
		if id == math.MaxInt64 {
			return nil
		}
		f(evidence{id: id, order: orders.take(id), lines: lines.take(id), history: history.take(id)})
		for _, c := range streams {
			if err := c.skip(id); err != nil {
				return err
			}
		}
	}
}

// judge holds the evidence against the ledger. Orders come by ascending
// number, as do the ledger's.
type judge struct {
	book    *ledger
	present int64

	found, content, lines, history, twice, extra, partial *tally
}

func newJudge(book *ledger) *judge {
	n := book.orders.count()
	return &judge{
		book:    book,
		found:   tallyAll("every acknowledged order is present", n),
		content: tallyAll("acknowledged orders have the acknowledged customer and total", n),
		lines:   tallyAll("acknowledged orders have all their lines", n),
		history: tallyAll("acknowledged orders are in their customer's history", n),
		twice:   tallyNone("order numbers acknowledged twice"),
		extra:   tallyNone("orders that were neither acknowledged nor in doubt"),
		partial: tallyNone("partial orders"),
	}
}

func (j *judge) tallies() []*tally {
	return []*tally{j.found, j.content, j.lines, j.history, j.twice, j.extra, j.partial}
}

// evidence judges one order number that the database knows of.
func (j *judge) evidence(e evidence) {
	j.missing(e.id)
	whole := j.whole(e)
	switch ack, ok := j.book.orders.take(e.id, j.twice); {
	case ok:
		if j.agrees(ack, e) && whole {
			j.present++
		}
	case e.order == nil: // partial already tells
	case !j.book.excuses(e.asReceipt()):
		j.extra.offend("order %d of customer %d over %s", e.id, e.order[orderCustomer], amount(e.order[orderCents]))
	}
}

// missing reports the acknowledged orders before id that nothing is known of.
func (j *judge) missing(id int64) {
	for {
		ack, ok := j.book.orders.before(id, j.twice)
		if !ok {
			return
		}
		j.agrees(ack, evidence{id: ack.ID})
	}
}

// agrees compares an acknowledged order with the database's.
func (j *judge) agrees(ack receipt.Order, e evidence) bool {
	if e.order == nil {
		j.found.offend("order %d of customer %d over %s", ack.ID, ack.Customer, amount(ack.Cents))
		return false
	}
	there := e.asReceipt()
	good := true
	if there.Customer != ack.Customer || there.Cents != ack.Cents {
		j.content.offend("order %d: customer %d over %s, acknowledged customer %d over %s",
			ack.ID, there.Customer, amount(there.Cents), ack.Customer, amount(ack.Cents))
		good = false
	}
	if there.Lines != ack.Lines || there.Quantity != ack.Quantity {
		j.lines.offend("order %d: %d lines with %d copies, acknowledged %d with %d",
			ack.ID, there.Lines, there.Quantity, ack.Lines, ack.Quantity)
		good = false
	}
	if rows := column(e.history, historyCount); rows != int64(ack.Lines) {
		j.history.offend("order %d: %d rows of history for %d lines", ack.ID, rows, ack.Lines)
		good = false
	}
	return good
}

// whole reports whether an order, whoever placed it, has numbered lines
// without a gap and the same products in its customer's history.
func (j *judge) whole(e evidence) bool {
	n := column(e.lines, linesCount)
	switch {
	case e.order == nil:
		j.partial.offend("order %d is missing, but has %d lines and %d rows of history", e.id, n, column(e.history, historyCount))
	case e.lines == nil:
		j.partial.offend("order %d has no lines", e.id)
	case e.lines[linesFirst] != 1 || e.lines[linesLast] != n:
		j.partial.offend("order %d has %d lines numbered from %d to %d", e.id, n, e.lines[linesFirst], e.lines[linesLast])
	case column(e.history, historyCount) != n || e.history[historyProducts] != e.lines[linesProducts]:
		j.partial.offend("order %d: the history has %d rows that are not those of its %d lines", e.id, column(e.history, historyCount), n)
	case e.history[historyLeastCustomer] != e.order[orderCustomer] || e.history[historyGreatestCustomer] != e.order[orderCustomer]:
		j.partial.offend("order %d is in the history of another customer than %d", e.id, e.order[orderCustomer])
	default:
		return true
	}
	return false
}

// asReceipt is how the order would have been acknowledged.
func (e evidence) asReceipt() receipt.Order {
	return receipt.Order{
		ID: e.id, Customer: e.order[orderCustomer], Cents: e.order[orderCents],
		Lines: int32(column(e.lines, linesCount)), Quantity: int32(column(e.lines, linesQuantity)),
	}
}

func column(row []int64, i int) int64 {
	if row == nil {
		return 0
	}
	return row[i]
}
