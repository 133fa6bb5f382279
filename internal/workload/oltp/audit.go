package oltp

import (
	"context"
	"database/sql"
	"fmt"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/describe"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/oltp/data"
	"plimsoll/internal/workload/oltp/session"
	"plimsoll/internal/workload/sqldb"
)

// Audit reads every row once and asks whether it is what was loaded, changed by
// every acknowledged write and by no other. It keeps the writes in memory, 56
// bytes each, and a bit for each loaded row of a table.
func (Workload) Audit(ctx context.Context, t workload.Target, p workload.Parameters, seed uint64, receipts workload.Receipts) (describe.Audit, error) {
	result := describe.Audit{Instance: t.Instance}
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return result, err
	}
	book, err := readLedger(receipts)
	if err != nil {
		return result, fmt.Errorf("read the receipts: %w", err)
	}
	e := t.Endpoint(db)
	pool, err := sqldb.Open(ctx, e, 1)
	if err != nil {
		return result, err
	}
	defer pool.Close()
	a := &auditor{parameters: own, kind: e.Kind, seed: seed, pool: pool, ledger: book, checks: newChecks(), generator: data.NewGenerator(seed, own.keys()),
		writer: data.NewWriter(), instance: t.Instance}
	for table := 1; table <= own.Tables; table++ {
		if err := a.table(ctx, table); err != nil {
			return result, fmt.Errorf("audit table %s: %w", session.TableName(table), err)
		}
	}
	a.additions()
	a.doubtful()
	result.Acknowledged, result.Doubtful = book.acknowledged, book.doubtful
	result.Present = book.acknowledged - int64(len(a.checks.lost))
	result.Checks = a.checks.results()
	return result, nil
}

// auditor is one run of Audit.
type auditor struct {
	parameters *Parameters
	kind       string
	instance   int
	seed       uint64
	pool       *sql.DB
	ledger     *ledger
	checks     *checks
	generator  *data.Generator
	writer     data.Writer
	text       []byte // room

	foreign bool     // the rows of the table are another program's
	seen    []uint64 // a bit for each loaded row of the table
}

// row is one row of a table. Its texts are valid until the next one.
type row struct {
	table  int
	id, k  int64
	c, pad []byte
}

// table audits one table: the rows that are there, then those that are not.
func (a *auditor) table(ctx context.Context, table int) error {
	if err := a.origin(ctx, table); err != nil {
		return err
	}
	a.seen = make([]uint64, a.parameters.TableSize/64+1)
	rows, err := a.pool.QueryContext(ctx, "select id, k, c, pad from "+session.TableName(table))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		r := row{table: table}
		var c, pad sql.RawBytes
		if err := rows.Scan(&r.id, &r.k, &c, &pad); err != nil {
			return err
		}
		r.c, r.pad = trim(c), trim(pad)
		a.row(&r)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	a.absent(table)
	return nil
}

// trim takes the blanks off with which PostgreSQL fills columns of type char.
func trim(b []byte) []byte {
	for len(b) > 0 && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return b
}

// origin reads what the table was loaded with from its comment.
func (a *auditor) origin(ctx context.Context, table int) error {
	query := "select coalesce(obj_description($1::regclass), '')"
	if a.kind == sqlwire.MariaDB {
		query = "select table_comment from information_schema.tables where table_schema = database() and table_name = ?"
	}
	var comment string
	if err := a.pool.QueryRowContext(ctx, query, session.TableName(table)).Scan(&comment); err != nil {
		return fmt.Errorf("look up what it was loaded with: %w", err)
	}
	a.foreign = comment == ""
	if want := a.parameters.key(a.kind, a.seed); !a.foreign && comment != want {
		return fmt.Errorf("found data set %q, expected %q: the database is not the one that was prepared for this run", comment, want)
	}
	return nil
}

// row audits a row that is there.
func (a *auditor) row(r *row) {
	if r.id < 1 || r.id > a.parameters.TableSize {
		a.added(r)
		return
	}
	a.seen[r.id/64] |= 1 << (r.id % 64)
	h := a.ledger.of(r.table, r.id)
	if !h.mayExist() {
		a.checks.of(undeleted).offend(h.last(isStructural), "row %d of %s", r.id, session.TableName(r.table))
		return
	}
	base, ok := a.base(r, h)
	if !ok {
		return
	}
	a.k(r, h, base)
	a.c(r, h, base)
}

// absent audits the loaded rows that are not there.
func (a *auditor) absent(table int) {
	for id := int64(1); id <= a.parameters.TableSize; id++ {
		if a.seen[id/64]&(1<<(id%64)) != 0 {
			continue
		}
		if h := a.ledger.of(table, id); !a.foreign && !h.mayBeAbsent() || a.foreign && h.mustExist() {
			a.checks.of(missing).offend(h.last(isStructural), "row %d of %s", id, session.TableName(table))
		}
	}
}

// origin of a row: what its k and texts began with.
type base struct {
	insert *write // nil: loaded
	k      int64
	known  bool // k is
}

// base finds out which insert made the row, from its pad.
func (a *auditor) base(r *row, h history) (base, bool) {
	k, texts := a.loaded(r)
	if insert, ok := a.author(r, r.pad, h, isInsert, a.writer.AppendPad); ok {
		if !h.superseded(insert, isStructural) {
			a.evidence(insert, true)
			return base{insert: insert, k: insert.k, known: true}, true
		}
		a.checks.of(padCheck).offend(h.last(isInsert), "row %d of %s has the pad of an earlier insert", r.id, session.TableName(r.table))
		return base{}, false
	}
	if a.foreign && h.mayBeLoaded() {
		return base{}, true
	}
	if h.mayBeLoaded() && string(r.pad) == string(texts[cLength+1:]) {
		return base{k: k, known: true}, true
	}
	a.checks.of(padCheck).offend(h.last(isInsert), "row %d of %s has pad %q", r.id, session.TableName(r.table), r.pad)
	return base{}, false
}

// cLength is the number of characters in column c.
const cLength = 119

// loaded returns the row as it was loaded, with its texts in the auditor's room.
func (a *auditor) loaded(r *row) (k int64, texts []byte) {
	k, a.text = a.generator.AppendRow(a.text[:0], r.table, r.id, 0)
	return k, a.text
}

// author finds the write whose stamp a text has, if the text is as that write
// made it.
func (a *auditor) author(r *row, text []byte, h history, kind func(*write) bool, form func([]byte, data.Stamp, int, int64) []byte) (*write, bool) {
	stamp, ok := data.ParseStamp(text)
	if !ok || stamp.Instance != a.instance%(data.MaxInstance+1) || len(h) == 0 {
		return nil, false
	}
	w := h.by(stamp, kind)
	if w == nil {
		return nil, false
	}
	var room [cLength]byte
	return w, string(form(room[:0], stamp, r.table, w.id)) == string(text)
}

// k counts the increments since the row was made.
func (a *auditor) k(r *row, h history, b base) {
	if !b.known {
		return
	}
	certain, possible := h.increments(b.insert)
	if grown := r.k - b.k; grown < certain || grown > possible {
		lost := (*write)(nil)
		if grown < certain {
			lost = h.last(isIncrement)
		}
		a.checks.of(kCheck).offend(lost, "row %d of %s has k %d, which began as %d and was incremented %s times",
			r.id, session.TableName(r.table), r.k, b.k, fromTo(certain, possible))
	}
}

func fromTo(low, high int64) string {
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}

// c finds the last writer of c.
func (a *auditor) c(r *row, h history, b base) {
	if w, ok := a.author(r, r.c, h, isText, a.writer.AppendC); ok {
		if !h.superseded(w, isText) && (w.kind != insertKind || w == b.insert) && !(b.insert != nil && w.before(b.insert)) {
			a.evidence(w, true)
			a.overtaken(h, w)
			return
		}
		a.checks.of(cCheck).offend(h.last(isText), "row %d of %s has the c of an earlier writer", r.id, session.TableName(r.table))
		return
	}
	untouched := b.insert == nil && !h.has(isText)
	if untouched && a.foreign {
		return
	}
	if untouched {
		if _, texts := a.loaded(r); string(r.c) == string(texts[:cLength]) {
			a.overtaken(h, nil)
			return
		}
	}
	a.checks.of(cCheck).offend(h.last(isText), "row %d of %s has c %q", r.id, session.TableName(r.table), r.c)
}

// overtaken notes that doubtful writes of c after the last one there did not
// happen.
func (a *auditor) overtaken(h history, last *write) {
	for i := range h {
		if w := &h[i]; w.doubtful && isText(w) && w != last && (last == nil || last.before(w)) {
			a.evidence(w, false)
		}
	}
}

// evidence notes whether a doubtful transaction is there.
func (a *auditor) evidence(w *write, there bool) {
	if w.doubtful {
		a.checks.witness(w, there)
	}
}

// doubtful looks for transactions in doubt that are there in part.
func (a *auditor) doubtful() {
	for key, seen := range a.checks.doubt {
		if seen.there && seen.absent {
			a.checks.of(partial).offend(nil, "transaction %d of user %d", key.number, key.user)
		}
	}
}
