package sqlwire

import "errors"

// Answer is what a protocol has read of the answer to one statement.
type Answer struct {
	Err      error
	Done     bool // nothing more can come for the statement
	Affected int64
	InsertID int64
	Columns  int
	Rows     int

	firstCell int
}

// Cell is one value of a row: a number, or text, by its place in the buffer. A null is
// neither: number 0 and no text.
type Cell struct {
	Number   int64
	From, To int32
}

// Reset empties the results for the answers to the next batch.
func (r *Results) Reset() {
	r.answers, r.cells = r.answers[:0], r.cells[:0]
}

// Begin starts the answer to the next statement.
func (r *Results) Begin(columns int) {
	r.answers = append(r.answers, Answer{Columns: columns, firstCell: len(r.cells)})
}

// Begun is how many answers have been started.
func (r *Results) Begun() int { return len(r.answers) }

// Last is the answer that was started last.
func (r *Results) Last() *Answer { return &r.answers[len(r.answers)-1] }

// errSkipped is the error of statements that were not performed.
var errSkipped = errors.New("skipped because a statement before it failed")

// Skip says of the statements that have no answer, so that all are n, that they were not
// performed.
func (r *Results) Skip(n int) {
	for r.Begun() < n {
		r.Begin(0)
		r.Last().Err = errSkipped
	}
}

// Add adds the next value of the last answer's rows.
func (r *Results) Add(c Cell) { r.cells = append(r.cells, c) }

// KeepTexts says which buffer the places of cells are of.
func (r *Results) KeepTexts(buffer []byte) { r.buffer = buffer }

// FirstError is the first error of any statement so far.
func (r *Results) FirstError() error {
	for i := range r.answers {
		if r.answers[i].Err != nil {
			return r.answers[i].Err
		}
	}
	return nil
}
