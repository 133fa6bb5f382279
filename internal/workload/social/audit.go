package social

import (
	"context"
	"database/sql"
	"fmt"
	"hash/crc32"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// writtenRows is the query for the rows that users wrote: kind, number, person, event, and
// the numbers of the picture and the document with their contents in the database.
const writtenRows = `select 0, ref, 0, 0, picture_id, p.content, null, null from people left join files p on p.file_id = picture_id where ref is not null
	union all select 1, ref, person_id, 0, picture_id, p.content, document_id, d.content from events
		left join files p on p.file_id = picture_id left join files d on d.file_id = document_id where ref is not null
	union all select 2, ref, person_id, event_id, null, null, null, null from attendance where ref is not null
	union all select 3, ref, person_id, event_id, null, null, null, null from comments where ref is not null`

// Audit checks that each acknowledged person, event, attendance and comment is in the
// database once, as it was sent, with its files, and that no other is there. It computes
// the checksums of files from the contents that the database or the site returns, not from
// the database's notes.
func (Workload) Audit(ctx context.Context, t workload.Target, p workload.Parameters, _ uint64, receipts workload.Receipts) (describe.Audit, error) {
	out := describe.Audit{Instance: t.Instance}
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return out, err
	}
	book, err := readLedger(receipts)
	if err != nil {
		return out, fmt.Errorf("read the receipts: %w", err)
	}
	_, pool, err := connect(ctx, t.Endpoint(db))
	if err != nil {
		return out, err
	}
	defer pool.Close()
	if err := own.compare(ctx, book, pool, t.Endpoint(web)); err != nil {
		return out, fmt.Errorf("audit what was written: %w", err)
	}
	out.Acknowledged, out.Doubtful, out.Present = book.acknowledged, book.doubtful, book.present
	out.Checks = book.checks()
	loaded, err := countLoaded(ctx, pool, own)
	out.Checks = append(out.Checks, loaded)
	return out, err
}

// ledger compares the acknowledged rows with the database's.
type ledger struct {
	of                              map[key]receipt
	acknowledged, doubtful, present int64
	missing, changed, extra, twice  offenders
}

// key of a receipt.
type key struct {
	of  thing
	ref int64
}

// offenders of one check.
type offenders struct {
	count    int64
	examples fileio.Examples
}

func (o *offenders) add(format string, args ...any) {
	o.count++
	o.examples.Add(format, args...)
}

func readLedger(receipts workload.Receipts) (*ledger, error) {
	l := &ledger{of: map[key]receipt{}}
	err := receipts.Each(func(b []byte) error {
		r, err := parseReceipt(b)
		if err != nil {
			return err
		}
		if r.Doubtful {
			l.doubtful++
		} else {
			l.acknowledged++
		}
		k := key{r.Of, r.Ref}
		if _, there := l.of[k]; there {
			l.twice.add("%v", r)
		}
		l.of[k] = r
		return nil
	})
	return l, err
}

// compare reads the database's rows and judges each.
func (p *Parameters) compare(ctx context.Context, book *ledger, pool *sql.DB, site endpoint.Endpoint) error {
	all, err := readWritten(ctx, pool)
	if err != nil {
		return err
	}
	if p.Files == onVolume {
		if err := readFiles(ctx, site, all); err != nil {
			return err
		}
	}
	for _, there := range all {
		book.judge(there.receipt)
	}
	book.miss()
	return nil
}

// row is what users wrote, with the numbers of its files; 0 is none.
type row struct {
	receipt
	picture, document int64
}

// readWritten returns what users wrote, with the checksums of files in the database.
func readWritten(ctx context.Context, pool *sql.DB) (all []row, err error) {
	rows, err := pool.QueryContext(ctx, writtenRows)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var r row
		var picture, document sql.NullInt64
		var first, second []byte
		if err := rows.Scan(&r.Of, &r.Ref, &r.Person, &r.Event, &picture, &first, &document, &second); err != nil {
			return nil, err
		}
		r.picture, r.document = picture.Int64, document.Int64
		r.First, r.Second = checksum(first), checksum(second)
		all = append(all, r)
	}
	return all, rows.Err()
}

// readFiles takes the checksums from what the site gives back.
func readFiles(ctx context.Context, site endpoint.Endpoint, all []row) error {
	s, err := openSite(ctx, site)
	if err != nil {
		return err
	}
	defer s.conn.Close()
	for n := range all {
		r := &all[n]
		for _, file := range []struct {
			number int64
			sum    *uint32
		}{{r.picture, &r.First}, {r.document, &r.Second}} {
			if file.number == 0 {
				continue
			}
			if *file.sum, err = s.checksum(ctx, file.number); err != nil {
				return err
			}
		}
	}
	return nil
}

// miss takes note of what was acknowledged and not found.
func (l *ledger) miss() {
	for _, r := range l.of {
		if !r.Doubtful {
			l.missing.add("%v", r)
		}
	}
}

// judge compares a row with its receipt and removes the receipt from the ledger. In the end
// only receipts of missing rows are left.
func (l *ledger) judge(there receipt) {
	k := key{there.Of, there.Ref}
	r, known := l.of[k]
	delete(l.of, k)
	there.Doubtful = r.Doubtful
	switch {
	case !known:
		l.extra.add("%v", there)
	case r != there:
		l.changed.add("%v is there as %v", r, there)
	case !r.Doubtful:
		l.present++
	}
}

func (l *ledger) checks() []describe.Check {
	whole := func(name string, o offenders) describe.Check {
		return fileio.Check(name, l.acknowledged, l.acknowledged-o.count, o.examples)
	}
	none := func(name string, o offenders) describe.Check { return fileio.Check(name, 0, o.count, o.examples) }
	return []describe.Check{
		whole("every acknowledged person, event, attendance and comment is present", l.missing),
		whole("what was acknowledged is there as it was sent, with its files", l.changed),
		none("what is there was neither acknowledged nor in doubt", l.extra),
		none("what was acknowledged twice", l.twice),
	}
}

// countLoaded looks whether the rows that were loaded are still there.
func countLoaded(ctx context.Context, pool *sql.DB, p *Parameters) (describe.Check, error) {
	check := describe.Check{Name: "loaded people, events, attendances and comments are all there", Passed: true}
	for _, of := range tables[1:] { // files have no ref
		var found int64
		if err := pool.QueryRowContext(ctx, "select count(*) from "+of.name+" where ref is null").Scan(&found); err != nil {
			return check, fmt.Errorf("audit the loaded rows: %w", err)
		}
		check.Expected, check.Found = check.Expected+of.rows(p), check.Found+found
		if found != of.rows(p) {
			check.Passed = false
			check.Examples = append(check.Examples, fmt.Sprintf("%s has %d loaded rows, not %d", of.name, found, of.rows(p)))
		}
	}
	return check, nil
}

// checksum of a file, 0 where there is none.
func checksum(content []byte) uint32 {
	if content == nil {
		return 0
	}
	return crc32.ChecksumIEEE(content)
}
