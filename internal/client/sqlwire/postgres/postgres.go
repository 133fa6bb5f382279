// Package postgres speaks PostgreSQL's protocol, as its manual describes it in chapter
// "Frontend/Backend Protocol".
package postgres

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"

	"plimsoll/internal/client/socket"
	"plimsoll/internal/client/sqlconn"
	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/describe/endpoint"
)

// conn is a connection that speaks the extended query protocol, version 3.
type conn struct {
	*socket.Link
	results  sqlwire.Results
	prepared int
}

// statement is what a bind message needs.
type statement struct {
	head  []byte // Bind from the portal's name to the number of parameters
	tail  []byte // the rest of Bind, and Execute
	types []uint32
	kinds []uint32 // type of each column
}

// Type identifiers of the catalogue pg_type. Integers travel in binary form,
// which is shorter and needs no parsing; everything else as text.
const (
	oidInt8 = 20
	oidInt2 = 21
	oidInt4 = 23
)

// integerWidth is the length in bytes of an integer type, 0 of other types.
func integerWidth(oid uint32) int {
	switch oid {
	case oidInt2:
		return 2
	case oidInt4:
		return 4
	case oidInt8:
		return 8
	}
	return 0
}

// messageHeader is the length of a message's type and length.
const messageHeader = 5

// Open connects to an endpoint and authenticates.
func Open(ctx context.Context, t endpoint.Endpoint) (sqlwire.Conn, error) {
	c, err := sqlconn.Postgres(t)
	if err != nil {
		return nil, err
	}
	p, err := pgconn.ConnectConfig(ctx, &c.Config)
	if err != nil {
		return nil, sqlwire.NotConnected(t, err, refusal(err))
	}
	return takeOver(ctx, p)
}

// refusal is what the server said when it did not let a connection in, nil where
// it said nothing.
func refusal(err error) *sqlwire.Error {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return classed(&sqlwire.Error{State: e.Code, Message: e.Message, Fatal: true})
	}
	return nil
}

// takeOver takes the socket from the library once it has authenticated.
func takeOver(ctx context.Context, p *pgconn.PgConn) (sqlwire.Conn, error) {
	if err := p.SyncConn(ctx); err != nil {
		return nil, fmt.Errorf("settle the new connection: %w", err)
	}
	h, err := p.Hijack()
	if err != nil {
		return nil, fmt.Errorf("take over the new connection: %w", err)
	}
	l, err := socket.New(h.Conn)
	if err != nil {
		_ = h.Conn.Close()
		return nil, err
	}
	return &conn{Link: l}, nil
}

// Prepare implements sqlwire.Conn with Parse, Describe and Sync.
func (p *conn) Prepare(sql string) (*sqlwire.Statement, error) {
	p.prepared++
	name := "s" + strconv.Itoa(p.prepared)
	p.Begin()
	p.message('P', func(b []byte) []byte {
		b = append(append(b, name...), 0)
		b = append(append(b, sql...), 0)
		return append(b, 0, 0) // the server finds the types out
	})
	p.message('D', func(b []byte) []byte {
		b = append(b, 'S')
		return append(append(b, name...), 0)
	})
	p.message('S', func(b []byte) []byte { return b })
	if err := p.Send(1); err != nil {
		return nil, fmt.Errorf("prepare %q: %w", sql, err)
	}
	return p.prepareAnswer(name, sql)
}

func (p *conn) prepareAnswer(name, sql string) (*sqlwire.Statement, error) {
	s := &statement{}
	var refused error
	for {
		kind, body, err := p.next()
		if err != nil {
			return nil, fmt.Errorf("prepare %q: %w", sql, err)
		}
		switch kind {
		case 'E':
			refused = serverError(body, sql)
		case 't':
			s.types = parameterTypes(body)
		case 'T':
			s.kinds = columnTypes(body)
		case 'Z':
			if refused != nil {
				return nil, fmt.Errorf("prepare a statement: %w", refused)
			}
			s.frame(name)
			return sqlwire.NewStatement(sql, len(s.types), s), nil
		}
	}
}

// frame prepares the bytes that are the same in every execution: the formats of parameters
// and columns (1 is binary) and the Execute message for all rows.
func (s *statement) frame(name string) {
	s.head = append(append([]byte{0}, name...), 0)
	s.head = appendFormats(s.head, s.types)
	s.head = binary.BigEndian.AppendUint16(s.head, uint16(len(s.types)))
	s.tail = appendFormats(nil, s.kinds)
	s.tail = append(s.tail, 'E', 0, 0, 0, 9, 0, 0, 0, 0, 0)
}

func appendFormats(b []byte, types []uint32) []byte {
	b = binary.BigEndian.AppendUint16(b, uint16(len(types)))
	for _, t := range types {
		format := uint16(0)
		if integerWidth(t) > 0 {
			format = 1
		}
		b = binary.BigEndian.AppendUint16(b, format)
	}
	return b
}

// prepared is what was kept of the statement that call i performs.
func prepared(b *sqlwire.Batch, i int) *statement { return b.Statement(i).Prepared.(*statement) }

// executeLength is the length of the Execute message at the end of tail.
const executeLength = 10

// message appends a message whose body f appends.
func (p *conn) message(kind byte, f func([]byte) []byte) {
	at := len(p.Out)
	p.Out = f(append(p.Out, kind, 0, 0, 0, 0))
	binary.BigEndian.PutUint32(p.Out[at+1:], uint32(len(p.Out)-at-1))
}

// Do implements sqlwire.Conn: Bind and Execute for each statement, one Sync for all.
func (p *conn) Do(b *sqlwire.Batch) (*sqlwire.Results, error) {
	p.Begin()
	for i := range b.Len() {
		if err := p.bind(b, i); err != nil {
			return nil, err
		}
	}
	p.Out = append(p.Out, 'S', 0, 0, 0, 4)
	if err := p.Send(1); err != nil {
		return nil, err
	}
	if err := p.answers(b); err != nil {
		return nil, err
	}
	return &p.results, p.results.FirstError()
}

func (p *conn) bind(b *sqlwire.Batch, i int) error {
	values, err := b.Arguments(i)
	if err != nil {
		return err
	}
	s := prepared(b, i)
	at := len(p.Out)
	p.Out = append(p.Out, 'B', 0, 0, 0, 0)
	p.Out = append(p.Out, s.head...)
	for j, v := range values {
		if err := p.argument(b, v, integerWidth(s.types[j])); err != nil {
			return fmt.Errorf("argument %d of %q: %w", j+1, b.Statement(i).SQL(), err)
		}
	}
	p.Out = append(p.Out, s.tail...)
	binary.BigEndian.PutUint32(p.Out[at+1:], uint32(len(p.Out)-at-1-executeLength))
	return nil
}

// argument appends a value: an integer of the parameter's width, or text.
func (p *conn) argument(b *sqlwire.Batch, v sqlwire.Value, width int) error {
	at := len(p.Out)
	p.Out = append(p.Out, 0, 0, 0, 0)
	switch {
	case v.IsText && width > 0:
		return errors.New("text for an integer")
	case v.IsText:
		p.Out = append(p.Out, b.TextOf(v)...)
	case width == 0:
		p.Out = strconv.AppendInt(p.Out, v.Number, 10)
	default:
		if bits := 8*width - 1; v.Number>>bits != v.Number>>63 {
			return fmt.Errorf("%d does not fit an integer of %d bytes", v.Number, width)
		}
		p.Out = binary.BigEndian.AppendUint64(p.Out, uint64(v.Number)<<(64-8*width))
		p.Out = p.Out[:at+4+width]
	}
	binary.BigEndian.PutUint32(p.Out[at:], uint32(len(p.Out)-at-4))
	return nil
}

// next returns the next message; its body is valid until more is read.
func (p *conn) next() (kind byte, body []byte, err error) {
	if err := p.Need(messageHeader); err != nil {
		return 0, nil, err
	}
	head := p.In[p.Parsed:]
	length := int(binary.BigEndian.Uint32(head[1:])) + 1
	if length < messageHeader {
		return 0, nil, p.Fail(fmt.Errorf("message %q of %d bytes", head[0], length))
	}
	if err := p.Need(length); err != nil {
		return 0, nil, err
	}
	message := p.In[p.Parsed : p.Parsed+length]
	p.Parsed += length
	return message[0], message[messageHeader:], nil
}

// answers reads up to ReadyForQuery, which ends every batch.
func (p *conn) answers(b *sqlwire.Batch) error {
	r := &p.results
	r.Reset()
	for {
		kind, body, err := p.next()
		if err != nil {
			return p.because(err)
		}
		if kind == 'Z' {
			break
		}
		if !p.answer(b, kind, body) {
			return p.Fail(sqlwire.ErrMalformed)
		}
	}
	if r.Begun() != b.Len() {
		return p.Fail(sqlwire.ErrMalformed)
	}
	r.KeepTexts(p.In)
	return nil
}

// answer takes one message; it is false if the message makes no sense here.
// Notices, notifications and changes of settings may come at any time and say
// nothing to a driver.
func (p *conn) answer(b *sqlwire.Batch, kind byte, body []byte) bool {
	r := &p.results
	begun := r.Begun()
	switch kind {
	case '2': // BindComplete
		if begun == b.Len() {
			return false
		}
		r.Begin(len(prepared(b, begun).kinds))
	case 'D': // DataRow
		return begun > 0 && p.row(prepared(b, begun-1).kinds, body)
	case 'C': // CommandComplete
		if begun == 0 {
			return false
		}
		r.Last().Affected, r.Last().Done = commandCount(body), true
	case 'E': // ErrorResponse
		p.refuse(b, body)
	}
	return true
}

// because prefers what the server said before it closed the connection.
func (p *conn) because(lost error) error {
	if err := p.results.FirstError(); err != nil {
		return fmt.Errorf("%w: %w", lost, err)
	}
	return lost
}

// refuse records the error of the running statement, which may come before or
// after its BindComplete, and that the server will skip those after it.
func (p *conn) refuse(b *sqlwire.Batch, body []byte) {
	r := &p.results
	if n := r.Begun(); n == 0 || r.Last().Done && n < b.Len() {
		r.Begin(0)
	}
	failed := r.Last()
	failed.Err = serverError(body, b.Statement(r.Begun()-1).SQL())
	r.Skip(b.Len())
}

// Close implements sqlwire.Conn with Terminate.
func (p *conn) Close() error { return p.Farewell([]byte{'X', 0, 0, 0, 4}) }
