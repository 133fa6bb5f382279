package wire

import (
	"strconv"
	"unique"
)

// Statement is one prepared statement of one connection. A driver has dozens
// for each of a thousand users, so it is kept small.
type Statement struct {
	sql        unique.Handle[string] // all users' connections prepare the same
	parameters int
	postgres   *postgresStatement // of a PostgreSQL connection
	mariadb    *mariadbStatement  // of a MariaDB connection
}

// text is the statement as it was prepared.
func (s *Statement) text() string { return s.sql.Value() }

// Batch collects statements with their arguments. The zero value is empty and
// ready; a batch that is kept and Reset allocates nothing once it has grown.
type Batch struct {
	calls  []call
	values []value
	text   []byte
}

type call struct {
	statement *Statement
	first     int // index of its first value
}

type valueKind uint8

const (
	integer valueKind = iota
	text
)

// value is one argument; text is held in Batch.text.
type value struct {
	kind     valueKind
	number   int64
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
	b.values = append(b.values, value{kind: integer, number: n})
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
	b.values = append(b.values, value{kind: text, from: from, to: len(b.text)})
	return b
}

// arguments gives the values of call i.
func (b *Batch) arguments(i int) []value {
	if i+1 < len(b.calls) {
		return b.values[b.calls[i].first:b.calls[i+1].first]
	}
	return b.values[b.calls[i].first:]
}

func (b *Batch) textOf(v value) []byte { return b.text[v.from:v.to] }
