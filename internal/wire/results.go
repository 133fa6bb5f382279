package wire

// Results are the answers to a batch, in its order. They point into the
// connection's buffer and are valid until its next call.
type Results struct {
	answers []answer
	cells   []cell
	buffer  []byte
}

type answer struct {
	err       error
	done      bool // nothing more can come for the statement
	affected  int64
	insertID  int64
	columns   int
	firstCell int
	rows      int
}

// cell is one value of a row: a number, or text in the buffer. A null is
// neither: number 0 and no text.
type cell struct {
	number   int64
	from, to int32
}

func (r *Results) reset() {
	r.answers, r.cells = r.answers[:0], r.cells[:0]
}

// begin starts the answer to the next statement.
func (r *Results) begin(columns int) {
	r.answers = append(r.answers, answer{columns: columns, firstCell: len(r.cells)})
}

func (r *Results) last() *answer { return &r.answers[len(r.answers)-1] }

// firstError is the first error of any statement.
func (r *Results) firstError() error {
	for i := range r.answers {
		if r.answers[i].err != nil {
			return r.answers[i].err
		}
	}
	return nil
}

// Err gives the error of statement i.
func (r *Results) Err(i int) error { return r.answers[i].err }

// Affected is how many rows statement i wrote; PostgreSQL also counts those
// that it selected.
func (r *Results) Affected(i int) int64 { return r.answers[i].affected }

// InsertID is the AUTO_INCREMENT value that statement i made (MariaDB only).
func (r *Results) InsertID(i int) int64 { return r.answers[i].insertID }

// Rows is how many rows statement i gave.
func (r *Results) Rows(i int) int { return r.answers[i].rows }

// Int gives a value of statement i that is an integer; a null is 0.
func (r *Results) Int(i, row, column int) int64 { return r.cell(i, row, column).number }

// Text gives a value of statement i that is no integer, as text; a null is
// empty.
func (r *Results) Text(i, row, column int) []byte {
	c := r.cell(i, row, column)
	return r.buffer[c.from:c.to]
}

func (r *Results) cell(i, row, column int) cell {
	a := &r.answers[i]
	return r.cells[a.firstCell+row*a.columns+column]
}
