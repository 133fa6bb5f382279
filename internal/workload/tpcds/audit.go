package tpcds

import (
	"context"
	"encoding/binary"
	"errors"
	"math"

	"plimsoll/internal/describe"
	"plimsoll/internal/workload"
)

// receipt is of an answer that a stream took for right: the number of the query, and the
// answer's digest. Of a table that a stream made it is the table's place, and its rows.
func receipt(number int, what string) []byte {
	return append(binary.AppendUvarint(nil, uint64(number)), what...)
}

// opened takes a receipt apart.
func opened(r []byte) (number int, what string, ok bool) {
	n, length := binary.Uvarint(r)
	if length <= 0 || n > math.MaxInt32 {
		return 0, "", false
	}
	return int(n), string(r[length:]), true
}

// The names of the checks.
const (
	checkTables  = "every table has the rows that were loaded"
	checkSame    = "every acknowledged answer of a query is the same" // where none was noted
	checkMade    = "every table that was acknowledged has its rows"
	checkAnswers = "every answer that was acknowledged is the one that was noted at the load"
)

// mostExamples is how many wrong answers an audit names.
const mostExamples = 5

// Audit counts the rows of every table again, and compares the answers that were
// acknowledged with what was noted at the load.
func (Workload) Audit(ctx context.Context, t workload.Target, p workload.Parameters, _ uint64, receipts workload.Receipts) (describe.Audit, error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return describe.Audit{}, err
	}
	db, err := openStore(ctx, t, own)
	if err != nil {
		return describe.Audit{}, err
	}
	defer db.close()
	a := describe.Audit{Instance: t.Instance}
	if own.Work == loading {
		err = auditMade(ctx, db, receipts, &a)
		return a, err
	}
	notes, err := notesOf(ctx, db, own, true)
	whole := describe.Check{Name: checkTables, Passed: err == nil}
	if lacking, ok := errors.AsType[incompleteError](err); ok {
		whole.Expected, whole.Examples = 1, []string{lacking.Error()}
		a.Checks = []describe.Check{whole}
		return a, nil
	}
	if err != nil {
		return a, err
	}
	answers, err := auditAnswers(notes, receipts, &a)
	a.Checks = []describe.Check{whole, answers}
	return a, err
}

// auditAnswers compares the acknowledged answers with the noted ones, or with each other if
// none are noted.
func auditAnswers(notes map[int]note, receipts workload.Receipts, a *describe.Audit) (describe.Check, error) {
	name := checkAnswers
	var wrong []string
	err := receipts.Each(func(r []byte) error {
		number, answer, ok := opened(r)
		if !ok || number < 1 || number > Count {
			return workload.ErrReceipt
		}
		a.Acknowledged++
		n := notes[number]
		if n.answer == "" {
			name, n.answer = checkSame, answer
			notes[number] = n
		}
		switch {
		case n.answer == answer:
			a.Present++
		case len(wrong) < mostExamples:
			wrong = append(wrong, wrongAnswer{queryName(number), answer, n.answer}.Error())
		}
		return nil
	})
	return describe.Check{Name: name, Passed: a.Acknowledged == a.Present, Expected: a.Acknowledged, Found: a.Present, Examples: wrong}, err
}

// auditMade counts the rows of the tables that streams have made.
func auditMade(ctx context.Context, db database, receipts workload.Receipts, a *describe.Audit) error {
	var wrong []string
	err := receipts.Each(func(r []byte) error {
		place, rows, ok := opened(r)
		if !ok || place < 0 || place >= len(tables) {
			return workload.ErrReceipt
		}
		a.Acknowledged++
		err := mustHave(ctx, db, note{ofTable, tables[place], rows})
		_, lacking := errors.AsType[incompleteError](err)
		switch {
		case err == nil:
			a.Present++
		case !lacking:
			return err
		case len(wrong) < mostExamples:
			wrong = append(wrong, err.Error())
		}
		return nil
	})
	a.Checks = []describe.Check{{Name: checkMade, Passed: a.Acknowledged == a.Present, Expected: a.Acknowledged, Found: a.Present, Examples: wrong}}
	return err
}
