package tpcds

import (
	"context"
	"fmt"

	"plimsoll/internal/workload"
)

// maker is a session that makes tables: its share of them, each once.
type maker struct {
	p    *Parameters
	db   store
	mine []int // places among the tables
}

var _ workload.Session = (*maker)(nil)

// openMaker gives the tables to the streams in turn.
func openMaker(ctx context.Context, t workload.Target, p *Parameters, user int) (*maker, error) {
	db, err := openStore(ctx, t, p)
	if err != nil {
		return nil, err
	}
	return &maker{p: p, db: db, mine: share(user, t.Users)}, nil
}

// share are the places of the tables of one of several streams.
func share(user, users int) (mine []int) {
	for at := user; at < len(tables); at += max(1, users) {
		mine = append(mine, at)
	}
	return mine
}

// Do makes the next table and has it analysed. One that failed is not tried again.
func (m *maker) Do(ctx context.Context, rec workload.Recorder) error {
	if len(m.mine) == 0 {
		return workload.ErrFinished
	}
	place := m.mine[0]
	m.mine = m.mine[1:]
	begun := workload.Now()
	made, err := m.db.table(ctx, m.p, tables[place])
	written := workload.Now()
	rec.Observe(1+place, begun, written.Sub(begun), workload.OutcomeOf(err))
	if err == nil {
		err = m.db.analyze(ctx, tables[place])
		rec.Observe(1+len(tables), written, workload.Now().Sub(written), workload.OutcomeOf(err))
	}
	rec.Observe(0, begun, workload.Now().Sub(begun), workload.OutcomeOf(err))
	if err != nil {
		return fmt.Errorf("make table %s: %w", tables[place], err)
	}
	rec.Receipt(receipt(place, made.rows))
	rec.Moved(1+place, made.bytes)
	rec.Moved(0, made.bytes)
	spent(ctx, rec, m.db, made.by, 1+place)
	return nil
}

// Broken implements workload.Session; see stream.Broken.
func (*maker) Broken() bool { return false }

// Close implements workload.Session.
func (m *maker) Close() error { m.db.close(); return nil }
