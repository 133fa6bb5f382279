package tpcds

import (
	"context"
	"encoding/binary"
	"errors"

	"plimsoll/internal/describe"
	"plimsoll/internal/duckdb"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/tpcds/queries"
)

// receipt is of an answer that a stream took for right: the number of the query, and the
// answer's digest.
func receipt(number int, answer string) []byte {
	return append(binary.AppendUvarint(nil, uint64(number)), answer...)
}

// The names of the checks.
const (
	checkTables  = "every table has the rows that were loaded"
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
	db, err := duckdb.Open(t.Endpoint(warehouse))
	if err != nil {
		return describe.Audit{}, err
	}
	defer db.Close()
	a := describe.Audit{Instance: t.Instance}
	notes, err := readNotes(ctx, db, own)
	tables := describe.Check{Name: checkTables, Passed: err == nil}
	if lacking, ok := errors.AsType[notWhole](err); ok {
		tables.Expected, tables.Examples = 1, []string{lacking.Error()}
		a.Checks = []describe.Check{tables}
		return a, nil
	}
	if err != nil {
		return a, err
	}
	var wrong []string
	err = receipts.Each(func(r []byte) error {
		number, n := binary.Uvarint(r)
		if n <= 0 || number < 1 || number > queries.Count {
			return workload.ErrReceipt
		}
		a.Acknowledged++
		switch want := notes[int(number)].answer; {
		case want == string(r[n:]):
			a.Present++
		case len(wrong) < mostExamples:
			wrong = append(wrong, wrongAnswer{queries.Name(int(number)), string(r[n:]), want}.Error())
		}
		return nil
	})
	a.Checks = []describe.Check{tables, {
		Name: checkAnswers, Passed: a.Acknowledged == a.Present, Expected: a.Acknowledged, Found: a.Present, Examples: wrong,
	}}
	return a, err
}
