package social

import (
	"context"
	"database/sql"
	"fmt"
	"hash/crc32"

	"plimsoll/internal/describe"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// written lists what users wrote: kind, number, person, event, checksums of the files as they
// are there, and how many files are missing. Checksums of files are taken from what the
// database gives back, not from what it noted.
const written = `select 0, ref, 0, 0, p.content, null from people left join files p on p.file_id = picture_id where ref is not null
	union all select 1, ref, person_id, 0, p.content, d.content from events left join files p on p.file_id = picture_id left join files d on d.file_id = document_id where ref is not null
	union all select 2, ref, person_id, event_id, null, null from attendance where ref is not null
	union all select 3, ref, person_id, event_id, null, null from comments where ref is not null`

// Audit asks the database whether each person, event, attendance and comment that was
// acknowledged is there once, as it was sent, files included, and whether there is one that
// nobody wrote.
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
	if err := book.compare(ctx, pool); err != nil {
		return out, fmt.Errorf("audit what was written: %w", err)
	}
	out.Acknowledged, out.Doubtful, out.Present = book.acknowledged, book.doubtful, book.present
	out.Checks = book.checks()
	loaded, err := countLoaded(ctx, pool, own)
	out.Checks = append(out.Checks, loaded)
	return out, err
}

// ledger holds what was acknowledged against what is there.
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

// compare goes through what is there.
func (l *ledger) compare(ctx context.Context, pool *sql.DB) error {
	rows, err := pool.QueryContext(ctx, written)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var r receipt
		var first, second []byte
		if err := rows.Scan(&r.Of, &r.Ref, &r.Person, &r.Event, &first, &second); err != nil {
			return err
		}
		r.First, r.Second = checksum(first), checksum(second)
		l.judge(r)
	}
	for _, r := range l.of {
		if !r.Doubtful {
			l.missing.add("%v", r)
		}
	}
	return rows.Err()
}

// judge takes what is there from the ledger, so that in the end what is missing is left.
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
