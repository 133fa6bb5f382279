package session

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/describe/errorclass"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/oltp/receipt"
)

// transaction performs all steps and commits.
func (s *session) transaction(rec workload.Recorder) (workload.Outcome, error) {
	err := s.steps(rec)
	if err == nil && s.config.Explicit {
		err = s.commit(rec)
	}
	if err != nil {
		return s.giveUp(rec, err)
	}
	s.hand(rec)
	return workload.Done, nil
}

func (s *session) steps(rec workload.Recorder) error {
	if s.config.Explicit {
		if err := s.bare(rec, Begin); err != nil {
			return err
		}
	}
	for _, step := range s.config.Steps {
		table := 1 + s.random.IntN(s.config.Tables)
		for range step.Count {
			if err := s.step(rec, step.Kind, table); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *session) step(rec workload.Recorder, k Kind, table int) error {
	s.table, s.key = table, s.config.Keys.Draw(s.random)
	switch k {
	case PointSelect, SimpleRange, SumRange, OrderRange, DistinctRange:
		return s.read(rec, k)
	case DeleteInsert:
		if err := s.change(rec, Delete); err != nil {
			return err
		}
		return s.change(rec, Insert)
	case Addition:
		s.key = 0
	}
	return s.change(rec, k)
}

func (s *session) read(rec workload.Recorder, k Kind) error {
	statement, err := s.prepared(k)
	if err != nil {
		return err
	}
	s.batch.Reset().Call(statement).Int(s.key)
	if k != PointSelect {
		s.batch.Int(s.key + s.config.RangeSize - 1)
	}
	_, _, err = s.perform(rec, k)
	return err
}

// change executes a statement that writes, and notes the written rows.
func (s *session) change(rec workload.Recorder, k Kind) error {
	statement, err := s.prepared(k)
	if err != nil {
		return err
	}
	w := receipt.Write{Kind: written(k), Table: s.table, ID: s.key}
	s.batch.Reset().Call(statement)
	switch k {
	case NonIndexUpdate:
		s.batch.Append(s.addC).Int(s.key)
	case IndexUpdate, Delete:
		s.batch.Int(s.key)
	case Insert:
		w.K = s.config.Keys.Draw(s.random)
		s.batch.Int(s.key).Int(w.K).Append(s.addC).Append(s.addPad)
	case Addition:
		w.K = s.config.Keys.Draw(s.random)
		s.batch.Int(w.K).Append(s.addC).Append(s.addPad)
	}
	begin := workload.Now()
	r, end, err := s.perform(rec, k)
	s.note(w, begin, end, r, err)
	return err
}

func written(k Kind) receipt.Kind {
	switch k {
	case IndexUpdate:
		return receipt.Increment
	case NonIndexUpdate:
		return receipt.Text
	case Delete:
		return receipt.Delete
	default:
		return receipt.Insert
	}
}

// note adds a write to the receipt. One that the server refused, or that found
// no row, changed nothing; one that was not answered may have, outside of
// transactions.
func (s *session) note(w receipt.Write, begin, end time.Time, r *sqlwire.Results, err error) {
	w.From, w.To = max(micros(begin), s.stamp.Number), micros(end)
	switch {
	case err == nil && r.Affected(0) == 0, err != nil && (s.config.Explicit || !s.conn.Broken()):
		return
	case err != nil:
		w.To = receipt.Never
	case s.config.Explicit:
		w.From = w.To
	}
	s.receipt.Writes = append(s.receipt.Writes, w)
}

// bare performs a statement that concerns no table.
func (s *session) bare(rec workload.Recorder, k Kind) error {
	s.table = 0
	statement, err := s.prepared(k)
	if err != nil {
		return err
	}
	s.batch.Reset().Call(statement)
	_, _, err = s.perform(rec, k)
	return err
}

// perform performs and observes the statement in the batch.
func (s *session) perform(rec workload.Recorder, k Kind) (*sqlwire.Results, time.Time, error) {
	begin := workload.Now()
	r, err := s.conn.Do(&s.batch)
	end := workload.Now()
	outcome := workload.Done
	if err != nil {
		outcome = s.outcome(err)
	}
	rec.Observe(s.operations[k], begin, end.Sub(begin), outcome)
	if all := s.operations[everyKind]; all != 0 {
		rec.Observe(all, begin, end.Sub(begin), outcome)
	}
	return r, end, err
}

// commit commits. Once it is under way, an error leaves it open whether the
// transaction is in the database.
func (s *session) commit(rec workload.Recorder) error {
	err := s.bare(rec, Commit)
	s.receipt.Doubtful = err != nil
	return err
}

// hand gives the receipt of what was written to the driver.
func (s *session) hand(rec workload.Recorder) {
	if len(s.receipt.Writes) == 0 {
		return
	}
	s.encoded = s.receipt.Append(s.encoded[:0])
	rec.Receipt(s.encoded)
}

// giveUp ends a transaction after an error. A conflict with another user is no
// failure: the server asks to try again, and the next transaction does.
func (s *session) giveUp(rec workload.Recorder, err error) (workload.Outcome, error) {
	switch {
	case !s.config.Explicit:
		s.handPart(rec)
	case s.receipt.Doubtful:
		s.hand(rec)
	}
	if s.config.Explicit && !s.conn.Broken() { // a server that lost the connection rolls back by itself
		if failed := s.rollBack(); failed != nil {
			return workload.Failed, errors.Join(err, fmt.Errorf("roll back after it: %w", failed))
		}
	}
	outcome := s.outcome(err)
	if outcome == workload.RolledBack && !s.receipt.Doubtful {
		return outcome, nil
	}
	return workload.Failed, err
}

// handPart hands over the statements before the one that failed outside of a
// transaction, and apart from them the one that was not answered.
func (s *session) handPart(rec workload.Recorder) {
	writes := s.receipt.Writes
	cut := slices.IndexFunc(writes, func(w receipt.Write) bool { return w.To == receipt.Never })
	if cut < 0 {
		cut = len(writes)
	}
	s.receipt.Writes = writes[:cut]
	s.hand(rec)
	s.receipt.Writes, s.receipt.Doubtful = writes[cut:], true
	s.hand(rec)
	s.receipt.Doubtful = false // it was handed over
}

func (s *session) rollBack() error {
	s.table = 0
	statement, err := s.prepared(rollback)
	if err != nil {
		return err
	}
	_, err = s.conn.Do(s.batch.Reset().Call(statement))
	return err
}

// outcome tells conflicts between users, which sysbench ignores too, from
// failures.
func (s *session) outcome(err error) workload.Outcome {
	e, ok := errors.AsType[*sqlwire.Error](err)
	if ok && !e.Fatal && (e.Duplicate || slices.Contains([]string{errorclass.Deadlock, errorclass.Serialization, errorclass.LockTimeout}, e.ErrorClass())) {
		return workload.RolledBack
	}
	return workload.Failed
}
