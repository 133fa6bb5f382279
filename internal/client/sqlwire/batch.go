package sqlwire

import (
	"fmt"
	"strconv"
	"unique"
)

// Statement is one prepared statement of one connection. A driver has dozens
// for each of a thousand users, so it is kept small.
type Statement struct {
	// Prepared is what the protocol of the connection keeps of the statement, of a
	// pointer type of its own.
	Prepared any

	sql        unique.Handle[string] // all users' connections prepare the same
	parameters int
}

// NewStatement returns a statement that takes so many parameters, for a protocol to complete.
func NewStatement(sql string, parameters int, prepared any) *Statement {
	return &Statement{sql: unique.Make(sql), parameters: parameters, Prepared: prepared}
}

// SQL is the statement as it was prepared.
func (s *Statement) SQL() string { return s.sql.Value() }

// Batch collects statements with their arguments. The zero value is empty and
// ready; a batch that is kept and Reset allocates nothing once it has grown.
type Batch struct {
	calls  []call
	values []Value
	text   []byte
}

type call struct {
	statement *Statement
	first     int // index of its first value
}

// Value is one argument of a statement: a number, or text, which its batch holds.
type Value struct {
	Number int64
	IsText bool

	from, to int
}

// Reset empties the batch.
func (b *Batch) Reset() *Batch {
	b.calls, b.values, b.text = b.calls[:0], b.values[:0], b.text[:0]
	return b
}

// Len is the number of statements in the batch.
func (b *Batch) Len() int { return len(b.calls) }

// Call adds a statement; its arguments follow.
func (b *Batch) Call(s *Statement) *Batch {
	b.calls = append(b.calls, call{statement: s, first: len(b.values)})
	return b
}

// Int adds an argument.
func (b *Batch) Int(n int64) *Batch {
	b.values = append(b.values, Value{Number: n})
	return b
}

// Text adds an argument.
func (b *Batch) Text(s string) *Batch {
	from := len(b.text)
	b.text = append(b.text, s...)
	return b.addText(from)
}

// Append adds a text argument that f appends to the slice it is given.
func (b *Batch) Append(f func([]byte) []byte) *Batch {
	from := len(b.text)
	b.text = f(b.text)
	return b.addText(from)
}

// Numbered adds the text argument made of a prefix and a number: "user17".
func (b *Batch) Numbered(prefix string, n int64) *Batch {
	from := len(b.text)
	b.text = strconv.AppendInt(append(b.text, prefix...), n, 10)
	return b.addText(from)
}

// Hundredths adds a decimal argument with two places: 1999 is 19.99. n must
// not be negative.
func (b *Batch) Hundredths(n int64) *Batch {
	from := len(b.text)
	b.text = strconv.AppendInt(b.text, n/100, 10)
	b.text = append(b.text, '.', byte('0'+n/10%10), byte('0'+n%10))
	return b.addText(from)
}

func (b *Batch) addText(from int) *Batch {
	b.values = append(b.values, Value{IsText: true, from: from, to: len(b.text)})
	return b
}

// Statement is the one that call i performs.
func (b *Batch) Statement(i int) *Statement { return b.calls[i].statement }

// Arguments returns the values of call i, which are as many as its statement takes.
func (b *Batch) Arguments(i int) ([]Value, error) {
	values := b.values[b.calls[i].first:]
	if i+1 < len(b.calls) {
		values = b.values[b.calls[i].first:b.calls[i+1].first]
	}
	if s := b.calls[i].statement; len(values) != s.parameters {
		return nil, fmt.Errorf("%d arguments for the %d parameters of %q", len(values), s.parameters, s.SQL())
	}
	return values, nil
}

// TextOf returns an argument's text, which is valid until the batch changes.
func (b *Batch) TextOf(v Value) []byte { return b.text[v.from:v.to] }
