package postgres

import (
	"encoding/binary"

	"plimsoll/internal/client/sqlwire"
)

// row takes a DataRow message: for each column its length, -1 for a null, and
// its value.
func (p *conn) row(kinds []uint32, body []byte) bool {
	r := &p.results
	a := r.Last()
	if len(body) < 2 || int(binary.BigEndian.Uint16(body)) != a.Columns {
		return false
	}
	end := p.Parsed
	at := end - len(body) + 2
	for _, kind := range kinds {
		if at+4 > end {
			return false
		}
		length := int(int32(binary.BigEndian.Uint32(p.In[at:])))
		at += 4
		c := sqlwire.Cell{From: int32(at), To: int32(at)}
		if length > 0 {
			if at+length > end {
				return false
			}
			c.To += int32(length)
			if integerWidth(kind) == length {
				c.Number = bigEndianInt(p.In[at : at+length])
			}
			at += length
		}
		r.Add(c)
	}
	a.Rows++
	return true
}

func bigEndianInt(b []byte) int64 {
	switch len(b) {
	case 2:
		return int64(int16(binary.BigEndian.Uint16(b)))
	case 4:
		return int64(int32(binary.BigEndian.Uint32(b)))
	default:
		return int64(binary.BigEndian.Uint64(b))
	}
}

// commandCount reads the number at the end of a command tag ("INSERT 0 3",
// "UPDATE 1"), 0 where there is none ("BEGIN").
func commandCount(tag []byte) int64 {
	count := int64(0)
	for _, c := range tag {
		switch {
		case c >= '0' && c <= '9':
			count = 10*count + int64(c-'0')
		case c == ' ':
			count = 0
		}
	}
	return count
}

// serverError reads an ErrorResponse: fields of one letter and a string.
func serverError(body []byte, sql string) *sqlwire.Error {
	e := &sqlwire.Error{SQL: sql}
	for len(body) > 1 {
		field := body[0]
		end := 1
		for end < len(body) && body[end] != 0 {
			end++
		}
		text := string(body[1:end])
		switch field {
		case 'C':
			e.State = text
		case 'M':
			e.Message = text
		case 'V': // the severity, never translated
			e.Fatal = text == "FATAL" || text == "PANIC"
		}
		body = body[min(end+1, len(body)):]
	}
	return classed(e)
}

// parameterTypes reads a ParameterDescription.
func parameterTypes(body []byte) []uint32 {
	if len(body) < 2 {
		return nil
	}
	types := make([]uint32, 0, binary.BigEndian.Uint16(body))
	for body = body[2:]; len(body) >= 4; body = body[4:] {
		types = append(types, binary.BigEndian.Uint32(body))
	}
	return types
}

// columnTypes reads a RowDescription: for each column its name, table (4
// bytes), attribute (2), type (4), length (2), modifier (4) and format (2).
func columnTypes(body []byte) []uint32 {
	if len(body) < 2 {
		return nil
	}
	types := make([]uint32, 0, binary.BigEndian.Uint16(body))
	body = body[2:]
	for {
		end := 0
		for end < len(body) && body[end] != 0 {
			end++
		}
		if len(body) < end+19 {
			return types
		}
		types = append(types, binary.BigEndian.Uint32(body[end+7:]))
		body = body[end+19:]
	}
}
