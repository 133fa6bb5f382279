package tpcds

import (
	"context"
	"fmt"
	"math/rand/v2"

	"plimsoll/internal/workload"
)

// stream is a session: it runs each query of the list once.
type stream struct {
	p     *Parameters
	db    database
	notes map[int]note
	order []int // places in the list of queries
	turn  int
}

var _ workload.Session = (*stream)(nil)

// openStream checks that the data set is complete before any query: that the notes, which
// are written last, are there, and, if a server can count them at once, all rows. On a
// cluster counting takes longer than a query and would distort the time for all queries.
func openStream(ctx context.Context, t workload.Target, p *Parameters, user int, seed uint64) (*stream, error) {
	db, err := open(t, p)
	if err != nil {
		return nil, err
	}
	s := &stream{p: p, db: db, order: orderOf(p, t.Users, user, seed)}
	if err = db.ready(ctx); err == nil {
		s.notes, err = notesOf(ctx, db, p, p.Tables == inFiles)
	}
	if err != nil {
		db.close()
		return nil, err
	}
	return s, nil
}

// orderOf returns the order of a stream's queries: the list's order for the only stream
// (the power run), or a permutation for each of several streams (the throughput run).
func orderOf(p *Parameters, users, user int, seed uint64) []int {
	if users > 1 {
		return rand.New(rand.NewPCG(seed, uint64(user))).Perm(len(p.Queries))
	}
	all := make([]int, len(p.Queries))
	for i := range all {
		all[i] = i
	}
	return all
}

// wrongAnswer is an answer that is not the noted one.
type wrongAnswer struct{ query, got, want string }

func (w wrongAnswer) Error() string {
	return fmt.Sprintf("the answer of %s is wrong: %s, and not %s", w.query, w.got, w.want)
}

// ErrorClass is what results count it under.
func (wrongAnswer) ErrorClass() string { return "wrong-answer" }

// Do runs the next query. One that failed is not tried again.
func (s *stream) Do(ctx context.Context, rec workload.Recorder) error {
	if s.turn >= len(s.order) {
		return workload.ErrFinished
	}
	place := s.order[s.turn]
	s.turn++
	begun := workload.Now()
	n := s.notes[s.p.Queries[place]]
	a, got, err := s.ask(ctx, n)
	took, outcome := workload.Now().Sub(begun), workload.Done
	if err != nil {
		outcome = workload.Failed
	} else {
		rec.Receipt(receipt(n.number, got))
		spent(ctx, rec, s.db, a, 1+place)
	}
	rec.Observe(1+place, begun, took, outcome)
	rec.Observe(0, begun, took, outcome)
	return err
}

// ask runs a query and compares its answer with the noted one, if there is one. got is the
// answer's digest.
func (s *stream) ask(ctx context.Context, n note) (a answer, got string, err error) {
	a, err = s.db.ask(ctx, n.text, s.p.TimeLimit.D())
	if err != nil {
		return a, "", fmt.Errorf("%s: %w", queryName(n.number), err)
	}
	if got = digest(a); got != n.answer && n.answer != "" {
		return a, got, wrongAnswer{queryName(n.number), got, n.answer}
	}
	return a, got, nil
}

// spent records what the servers counted of an operation, and of the unit that it is.
func spent(ctx context.Context, rec workload.Recorder, db database, a answer, operation int) {
	if e, counted := db.effort(ctx, a); counted {
		rec.Spent(operation, e)
		rec.Spent(0, e)
	}
}

// Broken implements workload.Session: every request may take another connection, and a
// stream that began again would run its queries twice.
func (*stream) Broken() bool { return false }

// Close implements workload.Session.
func (s *stream) Close() error { s.db.close(); return nil }
