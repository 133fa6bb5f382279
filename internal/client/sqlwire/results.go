package sqlwire

// Results are the answers to a batch, in its order. They point into the
// connection's buffer and are valid until its next call.
type Results struct {
	answers []Answer
	cells   []Cell
	buffer  []byte
}

// Err returns the error of statement i.
func (r *Results) Err(i int) error { return r.answers[i].Err }

// Affected is how many rows statement i wrote; PostgreSQL also counts those
// that it selected.
func (r *Results) Affected(i int) int64 { return r.answers[i].Affected }

// InsertID is the AUTO_INCREMENT value that statement i made (MariaDB only).
func (r *Results) InsertID(i int) int64 { return r.answers[i].InsertID }

// Rows is how many rows statement i gave.
func (r *Results) Rows(i int) int { return r.answers[i].Rows }

// Columns is how many values each row of statement i has.
func (r *Results) Columns(i int) int { return r.answers[i].Columns }

// Int returns a value of statement i that is an integer; a null is 0.
func (r *Results) Int(i, row, column int) int64 { return r.cell(i, row, column).Number }

// Text returns a value of statement i that is no integer, as text; a null is
// empty.
func (r *Results) Text(i, row, column int) []byte {
	c := r.cell(i, row, column)
	return r.buffer[c.From:c.To]
}

func (r *Results) cell(i, row, column int) Cell {
	a := &r.answers[i]
	return r.cells[a.firstCell+row*a.Columns+column]
}
