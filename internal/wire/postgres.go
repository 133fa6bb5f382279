package wire

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"unique"

	"github.com/jackc/pgx/v5/pgconn"

	"plimsoll/internal/endpoint"
	"plimsoll/internal/sqlconn"
)

// postgres is a connection that speaks PostgreSQL's extended query protocol,
// version 3.
type postgres struct {
	*link
	results  Results
	prepared int
}

// postgresStatement is what a bind message needs.
type postgresStatement struct {
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

func openPostgres(ctx context.Context, t endpoint.Endpoint) (Conn, error) {
	c, err := sqlconn.Postgres(t)
	if err != nil {
		return nil, err
	}
	p, err := pgconn.ConnectConfig(ctx, &c.Config)
	if err != nil {
		return nil, notConnected(t, err, postgresAnswer(err))
	}
	return takeOver(ctx, p)
}

// postgresAnswer is what the server said when it did not let a connection in, nil where
// it said nothing.
func postgresAnswer(err error) *Error {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return &Error{State: e.Code, Message: e.Message, Fatal: true}
	}
	return nil
}

// takeOver takes the socket from the library once it has authenticated.
func takeOver(ctx context.Context, p *pgconn.PgConn) (Conn, error) {
	if err := p.SyncConn(ctx); err != nil {
		return nil, fmt.Errorf("settle the new connection: %w", err)
	}
	h, err := p.Hijack()
	if err != nil {
		return nil, fmt.Errorf("take over the new connection: %w", err)
	}
	l, err := newLink(h.Conn)
	if err != nil {
		h.Conn.Close()
		return nil, err
	}
	return &postgres{link: l}, nil
}

// Prepare implements Conn with Parse, Describe and Sync.
func (p *postgres) Prepare(sql string) (*Statement, error) {
	p.prepared++
	name := "s" + strconv.Itoa(p.prepared)
	p.begin()
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
	if err := p.send(); err != nil {
		return nil, fmt.Errorf("prepare %q: %w", sql, err)
	}
	return p.prepareAnswer(name, sql)
}

func (p *postgres) prepareAnswer(name, sql string) (*Statement, error) {
	s := &Statement{sql: unique.Make(sql), postgres: &postgresStatement{}}
	var refused error
	for {
		kind, body, err := p.next()
		if err != nil {
			return nil, fmt.Errorf("prepare %q: %w", sql, err)
		}
		switch kind {
		case 'E':
			refused = postgresError(body, sql)
		case 't':
			s.postgres.types = parameterTypes(body)
		case 'T':
			s.postgres.kinds = columnTypes(body)
		case 'Z':
			if refused != nil {
				return nil, fmt.Errorf("prepare a statement: %w", refused)
			}
			s.parameters = len(s.postgres.types)
			s.postgres.frame(name)
			return s, nil
		}
	}
}

// frame prepares what is the same in every execution: the formats of
// parameters and columns (1 is binary) and the Execute message for all rows.
func (s *postgresStatement) frame(name string) {
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

// executeLength is the length of the Execute message at the end of tail.
const executeLength = 10

// message appends a message whose body f appends.
func (p *postgres) message(kind byte, f func([]byte) []byte) {
	at := len(p.out)
	p.out = f(append(p.out, kind, 0, 0, 0, 0))
	binary.BigEndian.PutUint32(p.out[at+1:], uint32(len(p.out)-at-1))
}

// Do implements Conn: Bind and Execute for each statement, one Sync for all.
func (p *postgres) Do(b *Batch) (*Results, error) {
	p.begin()
	for i := range b.calls {
		if err := p.bind(b, i); err != nil {
			return nil, err
		}
	}
	p.out = append(p.out, 'S', 0, 0, 0, 4)
	if err := p.send(); err != nil {
		return nil, err
	}
	if err := p.answers(b); err != nil {
		return nil, err
	}
	return &p.results, p.results.firstError()
}

func (p *postgres) bind(b *Batch, i int) error {
	s, values := b.calls[i].statement, b.arguments(i)
	if len(values) != s.parameters {
		return fmt.Errorf("%d arguments for the %d parameters of %q", len(values), s.parameters, s.text())
	}
	at := len(p.out)
	p.out = append(p.out, 'B', 0, 0, 0, 0)
	p.out = append(p.out, s.postgres.head...)
	for j, v := range values {
		if err := p.argument(b, v, integerWidth(s.postgres.types[j])); err != nil {
			return fmt.Errorf("argument %d of %q: %w", j+1, s.text(), err)
		}
	}
	p.out = append(p.out, s.postgres.tail...)
	binary.BigEndian.PutUint32(p.out[at+1:], uint32(len(p.out)-at-1-executeLength))
	return nil
}

// argument appends a value: an integer of the parameter's width, or text.
func (p *postgres) argument(b *Batch, v value, width int) error {
	at := len(p.out)
	p.out = append(p.out, 0, 0, 0, 0)
	switch {
	case v.kind == text && width > 0:
		return errors.New("text for an integer")
	case v.kind == text:
		p.out = append(p.out, b.textOf(v)...)
	case width == 0:
		p.out = strconv.AppendInt(p.out, v.number, 10)
	default:
		if bits := 8*width - 1; v.number>>bits != v.number>>63 {
			return fmt.Errorf("%d does not fit an integer of %d bytes", v.number, width)
		}
		p.out = binary.BigEndian.AppendUint64(p.out, uint64(v.number)<<(64-8*width))
		p.out = p.out[:at+4+width]
	}
	binary.BigEndian.PutUint32(p.out[at:], uint32(len(p.out)-at-4))
	return nil
}

// next gives the next message; its body is valid until more is read.
func (p *postgres) next() (kind byte, body []byte, err error) {
	if err := p.need(messageHeader); err != nil {
		return 0, nil, err
	}
	head := p.in[p.parsed:]
	length := int(binary.BigEndian.Uint32(head[1:])) + 1
	if length < messageHeader {
		return 0, nil, p.fail(fmt.Errorf("message %q of %d bytes", head[0], length))
	}
	if err := p.need(length); err != nil {
		return 0, nil, err
	}
	message := p.in[p.parsed : p.parsed+length]
	p.parsed += length
	return message[0], message[messageHeader:], nil
}

// answers reads up to ReadyForQuery, which ends every batch.
func (p *postgres) answers(b *Batch) error {
	r := &p.results
	r.reset()
	for {
		kind, body, err := p.next()
		if err != nil {
			return p.because(err)
		}
		if kind == 'Z' {
			break
		}
		if !p.answer(b, kind, body) {
			return p.fail(errMalformed)
		}
	}
	r.buffer = p.in
	if len(r.answers) != len(b.calls) {
		return p.fail(errMalformed)
	}
	return nil
}

// answer takes one message; it is false if the message makes no sense here.
// Notices, notifications and changes of settings may come at any time and say
// nothing to a driver.
func (p *postgres) answer(b *Batch, kind byte, body []byte) bool {
	r := &p.results
	begun := len(r.answers)
	switch kind {
	case '2': // BindComplete
		if begun == len(b.calls) {
			return false
		}
		r.begin(len(b.calls[begun].statement.postgres.kinds))
	case 'D': // DataRow
		return begun > 0 && p.row(b.calls[begun-1].statement.postgres.kinds, body)
	case 'C': // CommandComplete
		if begun == 0 {
			return false
		}
		r.last().affected, r.last().done = commandCount(body), true
	case 'E': // ErrorResponse
		p.refuse(b, body)
	}
	return true
}

// because prefers what the server said before it closed the connection.
func (p *postgres) because(lost error) error {
	if err := p.results.firstError(); err != nil {
		return fmt.Errorf("%w: %w", lost, err)
	}
	return lost
}

// refuse records the error of the running statement, which may come before or
// after its BindComplete, and that the server will skip those after it.
func (p *postgres) refuse(b *Batch, body []byte) {
	r := &p.results
	if n := len(r.answers); n == 0 || r.last().done && n < len(b.calls) {
		r.begin(0)
	}
	failed := r.last()
	failed.err = postgresError(body, b.calls[len(r.answers)-1].statement.text())
	for len(r.answers) < len(b.calls) {
		r.begin(0)
		r.last().err = errSkipped
	}
}

// Close implements Conn with Terminate.
func (p *postgres) Close() error { return p.farewell([]byte{'X', 0, 0, 0, 4}) }
