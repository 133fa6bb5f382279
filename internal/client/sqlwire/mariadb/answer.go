package mariadb

import (
	"encoding/binary"

	"plimsoll/internal/client/sqlwire"
)

// columnKind is how a column's values travel in a binary row.
type columnKind uint8

const (
	lengthEncoded columnKind = iota // text, decimals, everything else
	signed1
	signed2
	signed4
	signed8
	fixed4 // float
	fixed8 // double
	dated  // one byte of length: dates and times
	unsigned1
	unsigned2
	unsigned4
)

const flagUnsigned = 0x20

// kindOf translates the protocol's field types.
func kindOf(fieldType byte, unsigned bool) columnKind {
	kind := lengthEncoded
	switch fieldType {
	case 1: // TINY
		kind = signed1
	case 2, 13: // SHORT, YEAR
		kind = signed2
	case 3, 9: // LONG, INT24
		kind = signed4
	case 8: // LONGLONG
		return signed8
	case 4: // FLOAT
		return fixed4
	case 5: // DOUBLE
		return fixed8
	case 7, 10, 11, 12: // TIMESTAMP, DATE, TIME, DATETIME
		return dated
	}
	if unsigned && kind != lengthEncoded {
		return kind + unsigned1 - signed1
	}
	return kind
}

// columnDefinition reads a column's kind from its definition: six strings,
// then the length of the fixed part (12), character set (2), width (4), type
// (1) and flags (2).
func columnDefinition(p []byte) (columnKind, bool) {
	at := 0
	for range 6 {
		n, width := lengthAt(p, at)
		at += width + n
		if width == 0 || at > len(p) {
			return 0, false
		}
	}
	if at+10 > len(p) {
		return 0, false
	}
	flags := binary.LittleEndian.Uint16(p[at+8:])
	return kindOf(p[at+7], flags&flagUnsigned != 0), true
}

// lengthAt reads the length-encoded integer at p[at:] and tells how many
// bytes it takes, 0 when it is cut off.
func lengthAt(p []byte, at int) (n, width int) {
	if at >= len(p) {
		return 0, 0
	}
	switch first := p[at]; {
	case first < 251:
		return int(first), 1
	case first == 0xfc && at+3 <= len(p):
		return int(binary.LittleEndian.Uint16(p[at+1:])), 3
	case first == 0xfd && at+4 <= len(p):
		return int(p[at+1]) | int(p[at+2])<<8 | int(p[at+3])<<16, 4
	case first == 0xfe && at+9 <= len(p):
		return int(binary.LittleEndian.Uint64(p[at+1:]) & (1<<62 - 1)), 9
	}
	return 0, 0
}

// next returns the payload of the next packet, never empty; it is valid until
// more is read.
func (m *conn) next() ([]byte, error) {
	if err := m.Need(packetHeader); err != nil {
		return nil, err
	}
	h := m.In[m.Parsed:]
	n := int(h[0]) | int(h[1])<<8 | int(h[2])<<16
	if n == 0 || n == 1<<24-1 {
		return nil, m.Fail(sqlwire.ErrMalformed)
	}
	if err := m.Need(packetHeader + n); err != nil {
		return nil, err
	}
	payload := m.In[m.Parsed+packetHeader : m.Parsed+packetHeader+n]
	m.Parsed += packetHeader + n
	return payload, nil
}

// answers reads the answer to each statement of a batch.
func (m *conn) answers(b *sqlwire.Batch) error {
	m.results.Reset()
	for i := range b.Len() {
		if err := m.answer(b.Statement(i)); err != nil {
			return err
		}
	}
	m.results.KeepTexts(m.In)
	return nil
}

// answer reads the answer to one statement: OK, an error, or columns and rows.
func (m *conn) answer(s *sqlwire.Statement) error {
	p, err := m.next()
	if err != nil {
		return err
	}
	m.results.Begin(0)
	a := m.results.Last()
	switch p[0] {
	case answerError:
		a.Err = serverError(p, s.SQL())
		return nil
	case answerOK:
		n, width := lengthAt(p, 1)
		id, _ := lengthAt(p, 1+width)
		a.Affected, a.InsertID = int64(n), int64(id)
		return nil
	}
	columns, width := lengthAt(p, 0)
	kept := s.Prepared.(*statement)
	if !m.cached || len(p) > width && p[width] == 1 {
		if err := m.definitions(kept, columns); err != nil {
			return err
		}
	}
	if columns != len(kept.columns) {
		return m.Fail(sqlwire.ErrMalformed)
	}
	a.Columns = columns
	return m.rows(s, a)
}

// rows reads rows up to the packet that ends them.
func (m *conn) rows(s *sqlwire.Statement, a *sqlwire.Answer) error {
	kept := s.Prepared.(*statement)
	for {
		p, err := m.next()
		if err != nil {
			return err
		}
		switch p[0] {
		case answerError:
			a.Err = serverError(p, s.SQL())
			return nil
		case answerEnd:
			return nil
		}
		if !m.row(kept.columns, p) {
			return m.Fail(sqlwire.ErrMalformed)
		}
		a.Rows++
	}
}

// row takes a binary row: a zero, the bitmap of nulls, whose first two bits
// are not used, and the values that are not null.
func (m *conn) row(columns []columnKind, p []byte) bool {
	base := m.Parsed - len(p)
	at := 1 + (len(columns)+2+7)/8
	if at > len(p) {
		return false
	}
	for i, kind := range columns {
		c := sqlwire.Cell{}
		if bit := i + 2; p[1+bit/8]>>(bit%8)&1 == 0 {
			end := 0
			if c, end = binaryValue(kind, p, at, base); end == 0 || end > len(p) {
				return false
			}
			at = end
		}
		m.results.Add(c)
	}
	return true
}

// binaryValue reads one value and tells where it ends, 0 when it is cut off.
// base is where the packet lies in the buffer.
func binaryValue(kind columnKind, p []byte, at, base int) (c sqlwire.Cell, end int) {
	width := fixedWidth[kind]
	switch {
	case kind == lengthEncoded:
		n, w := lengthAt(p, at)
		if w == 0 {
			return c, 0
		}
		at, width = at+w, n
	case kind == dated && at < len(p):
		at, width = at+1, int(p[at])
	}
	end = at + width
	c.From, c.To = int32(base+at), int32(base+end)
	if end <= len(p) {
		c.Number = littleEndianInt(kind, p[at:end])
	}
	return c, end
}

var fixedWidth = [...]int{signed1: 1, signed2: 2, signed4: 4, signed8: 8, fixed4: 4, fixed8: 8, dated: 0, unsigned1: 1, unsigned2: 2, unsigned4: 4}

func littleEndianInt(kind columnKind, b []byte) int64 {
	switch kind {
	case signed1:
		return int64(int8(b[0]))
	case unsigned1:
		return int64(b[0])
	case signed2:
		return int64(int16(binary.LittleEndian.Uint16(b)))
	case unsigned2:
		return int64(binary.LittleEndian.Uint16(b))
	case signed4:
		return int64(int32(binary.LittleEndian.Uint32(b)))
	case unsigned4:
		return int64(binary.LittleEndian.Uint32(b))
	case signed8:
		return int64(binary.LittleEndian.Uint64(b))
	}
	return 0
}

// serverError reads an error packet: number (2 bytes), "#" and SQLSTATE (5),
// message.
func serverError(p []byte, sql string) *sqlwire.Error {
	e := &sqlwire.Error{State: "HY000", SQL: sql}
	if len(p) < 3 {
		e.Message = "an error without a message"
		return classed(e)
	}
	e.Number = int(binary.LittleEndian.Uint16(p[1:]))
	p = p[3:]
	if len(p) >= 6 && p[0] == '#' {
		e.State, p = string(p[1:6]), p[6:]
	}
	e.Message = string(p)
	return classed(e)
}
