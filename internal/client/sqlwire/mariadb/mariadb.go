// Package mariadb speaks the protocol of MariaDB and MySQL, with its binary statements, as
// the MariaDB documentation describes it in "Client/Server Protocol".
package mariadb

import (
	"context"
	"crypto/tls"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"reflect"
	"strconv"

	"github.com/go-sql-driver/mysql"

	"plimsoll/internal/client/socket"
	"plimsoll/internal/client/sqlconn"
	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/describe/endpoint"
)

// conn is one connection.
type conn struct {
	*socket.Link
	library driver.Conn // it authenticated and encrypts; nil where nothing is encrypted
	results sqlwire.Results
	// cached reports that column definitions come only when they have changed
	// (capability MARIADB_CLIENT_CACHE_METADATA).
	cached bool
}

// statement is what an execute command needs.
type statement struct {
	id      uint32
	order   []uint16 // which argument each placeholder takes
	bound   []byte   // types of the last execution's arguments
	columns []columnKind
}

// Commands and the first bytes of answers.
const (
	commandQuit    = 0x01
	commandPrepare = 0x16
	commandExecute = 0x17
	answerOK       = 0x00
	answerEnd      = 0xfe // an OK packet that ends the rows
	answerError    = 0xff
)

// Capabilities of the protocol: rows end with an OK packet instead of an EOF
// packet, and, of MariaDB's own, see conn.cached.
const (
	capabilityMySQL         = 1 << 0 // set by MySQL, not by MariaDB
	capabilityTLS           = 1 << 11
	capabilityDeprecateEOF  = 1 << 24
	capabilityCacheMetadata = 1 << 4 // bit 36 of all
)

// leastAnswer is how many bytes the shortest answer to a statement has: OK, whose numbers
// take a byte each. An error has two more, and columns come before an OK.
const leastAnswer = 11

// packetHeader is three bytes of length and one of sequence number.
const packetHeader = 4

// Open connects to an endpoint and authenticates.
func Open(ctx context.Context, t endpoint.Endpoint) (sqlwire.Conn, error) {
	var heard *listener
	connector, err := sqlconn.MariaDB(t, func(c *mysql.Config) {
		c.MaxAllowedPacket = 1 << 20 // or the library would ask the server
		c.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
			heard = &listener{Conn: conn}
			return heard, err
		}
	})
	if err != nil {
		return nil, err
	}
	library, err := connector.Connect(ctx)
	if err != nil {
		return nil, sqlwire.NotConnected(t, err, refusal(err))
	}
	m, err := heard.takeOver(library)
	if err != nil {
		_ = library.Close()
		return nil, sqlconn.Failed(t, err)
	}
	return m, nil
}

// refusal is what the server said when it did not let a connection in, nil where it
// said nothing.
func refusal(err error) *sqlwire.Error {
	if e, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return classed(&sqlwire.Error{State: string(e.SQLState[:]), Number: int(e.Number), Message: e.Message, Fatal: true})
	}
	return nil
}

// listener notes the capabilities that the library agrees with the server,
// which it does not tell: they are in the first packet that it sends.
type listener struct {
	net.Conn
	response []byte
	taken    bool // the library says farewell to nobody
}

// responseLength is how much of the handshake response holds capabilities:
// 4 bytes of them, 4 of packet size, 1 of character set, 19 of filler and 4 of
// MariaDB's own capabilities.
const responseLength = packetHeader + 32

func (l *listener) Write(b []byte) (int, error) {
	if l.taken {
		return len(b), nil
	}
	if l.response == nil {
		l.response = append([]byte{}, b[:min(len(b), responseLength)]...)
	}
	return l.Conn.Write(b)
}

// Close implements net.Conn.
func (l *listener) Close() error {
	if l.taken {
		return nil
	}
	return l.Conn.Close()
}

// takeOver takes the socket from the library once it has authenticated.
func (l *listener) takeOver(library driver.Conn) (sqlwire.Conn, error) {
	if len(l.response) < responseLength {
		return nil, sqlwire.ErrMalformed
	}
	common := binary.LittleEndian.Uint32(l.response[packetHeader:])
	own := binary.LittleEndian.Uint32(l.response[responseLength-4:])
	if common&capabilityDeprecateEOF == 0 {
		return nil, errors.New("the server is too old: MariaDB 10.2 or MySQL 5.7.5 is the oldest that can be driven")
	}
	below, err := l.below(library)
	if err != nil {
		return nil, err
	}
	link, err := socket.New(below)
	if err != nil {
		return nil, err
	}
	m := &conn{Link: link, library: library, cached: common&capabilityMySQL == 0 && own&capabilityCacheMetadata != 0}
	if common&capabilityTLS == 0 {
		// With a thousand users, what the library keeps of each is a fifth of the memory.
		l.taken, m.library = true, nil
		_ = library.Close() // nothing comes of it that could fail
	}
	return m, nil
}

// below is what the library writes to: the socket, or the TLS connection that it has
// made on it. That it keeps to itself, in a field of its connection.
func (l *listener) below(library driver.Conn) (net.Conn, error) {
	if binary.LittleEndian.Uint32(l.response[packetHeader:])&capabilityTLS == 0 {
		return l.Conn, nil
	}
	if v := reflect.ValueOf(library); v.Kind() == reflect.Pointer {
		if f := v.Elem().FieldByName("netConn"); f.IsValid() && f.CanAddr() {
			if conn, ok := reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem().Interface().(*tls.Conn); ok {
				return conn, nil
			}
		}
	}
	return nil, errors.New("the library does not give its TLS connection")
}

// Prepare implements sqlwire.Conn.
func (m *conn) Prepare(sql string) (*sqlwire.Statement, error) {
	text, order := placeholders(sql)
	m.Begin()
	at := m.command(commandPrepare)
	m.Out = append(m.Out, text...)
	m.finish(at)
	if err := m.Send(leastAnswer); err != nil {
		return nil, fmt.Errorf("prepare %q: %w", sql, err)
	}
	s := &statement{order: order}
	if err := m.prepareAnswer(s); err != nil {
		return nil, fmt.Errorf("prepare %q: %w", sql, err)
	}
	return sqlwire.NewStatement(sql, parameterCount(order), s), nil
}

// placeholders turns $1, $2, ... into question marks and tells which argument
// each of them takes.
func placeholders(sql string) (text string, order []uint16) {
	var b []byte
	for i := 0; i < len(sql); i++ {
		if sql[i] != '$' {
			b = append(b, sql[i])
			continue
		}
		end := i + 1
		for end < len(sql) && sql[end] >= '0' && sql[end] <= '9' {
			end++
		}
		n, _ := strconv.Atoi(sql[i+1 : end])
		order = append(order, uint16(n-1))
		b = append(b, '?')
		i = end - 1
	}
	return string(b), order
}

func parameterCount(order []uint16) int {
	n := 0
	for _, i := range order {
		n = max(n, int(i)+1)
	}
	return n
}

// prepareAnswer reads the statement's identifier and the definitions of
// parameters, which say nothing here, and columns.
func (m *conn) prepareAnswer(s *statement) error {
	p, err := m.next()
	if err != nil {
		return err
	}
	if p[0] == answerError {
		return serverError(p, "")
	}
	if len(p) < 9 {
		return m.Fail(sqlwire.ErrMalformed)
	}
	s.id = binary.LittleEndian.Uint32(p[1:])
	columns, parameters := int(binary.LittleEndian.Uint16(p[5:])), int(binary.LittleEndian.Uint16(p[7:]))
	for range parameters {
		if _, err := m.next(); err != nil {
			return err
		}
	}
	return m.definitions(s, columns)
}

// definitions reads column definitions.
func (m *conn) definitions(s *statement, n int) error {
	s.columns = s.columns[:0]
	for range n {
		p, err := m.next()
		if err != nil {
			return err
		}
		kind, ok := columnDefinition(p)
		if !ok {
			return m.Fail(sqlwire.ErrMalformed)
		}
		s.columns = append(s.columns, kind)
	}
	return nil
}

// command starts a packet; its sequence number is 0.
func (m *conn) command(c byte) (at int) {
	at = len(m.Out)
	m.Out = append(m.Out, 0, 0, 0, 0, c)
	return at
}

// finish writes the length of the packet that began at.
func (m *conn) finish(at int) {
	n := len(m.Out) - at - packetHeader
	m.Out[at], m.Out[at+1], m.Out[at+2] = byte(n), byte(n>>8), byte(n>>16)
}

// Do implements sqlwire.Conn: one execute command for each statement, all written at
// once; the server takes them one after the other.
func (m *conn) Do(b *sqlwire.Batch) (*sqlwire.Results, error) {
	m.Begin()
	for i := range b.Len() {
		if err := m.execute(b, i); err != nil {
			return nil, err
		}
	}
	if err := m.Send(leastAnswer * b.Len()); err != nil {
		return nil, err
	}
	if err := m.answers(b); err != nil {
		return nil, err
	}
	return &m.results, m.results.FirstError()
}

// prepared is what was kept of the statement that call i performs.
func prepared(b *sqlwire.Batch, i int) *statement { return b.Statement(i).Prepared.(*statement) }

// Types of arguments as the protocol numbers them.
const (
	typeLongLong  = 8
	typeVarString = 253
)

// execute appends a COM_STMT_EXECUTE: identifier, no cursor, one iteration,
// no nulls, the types where they differ from the last execution's, values.
func (m *conn) execute(b *sqlwire.Batch, i int) error {
	values, err := b.Arguments(i)
	if err != nil {
		return err
	}
	s := prepared(b, i)
	at := m.command(commandExecute)
	m.Out = binary.LittleEndian.AppendUint32(m.Out, s.id)
	m.Out = append(m.Out, 0, 1, 0, 0, 0)
	if len(s.order) > 0 {
		m.types(s, values)
		for _, a := range s.order {
			m.argument(b, values[a])
		}
	}
	m.finish(at)
	return nil
}

// types appends the bitmap of nulls and, if they are new, the types.
func (m *conn) types(s *statement, values []sqlwire.Value) {
	for range (len(s.order) + 7) / 8 {
		m.Out = append(m.Out, 0)
	}
	if s.isBound(values) {
		m.Out = append(m.Out, 0)
		return
	}
	m.Out = append(m.Out, 1)
	s.bound = s.bound[:0]
	for _, a := range s.order {
		kind := argumentType(values[a])
		s.bound = append(s.bound, kind)
		m.Out = append(m.Out, kind, 0)
	}
}

// isBound reports whether the server knows these types from the last execution.
func (s *statement) isBound(values []sqlwire.Value) bool {
	if len(s.bound) != len(s.order) {
		return false
	}
	for i, a := range s.order {
		if s.bound[i] != argumentType(values[a]) {
			return false
		}
	}
	return true
}

func argumentType(v sqlwire.Value) byte {
	if v.IsText {
		return typeVarString
	}
	return typeLongLong
}

func (m *conn) argument(b *sqlwire.Batch, v sqlwire.Value) {
	if !v.IsText {
		m.Out = binary.LittleEndian.AppendUint64(m.Out, uint64(v.Number))
		return
	}
	text := b.TextOf(v)
	m.Out = append(appendLength(m.Out, len(text)), text...)
}

// appendLength appends a length-encoded integer.
func appendLength(b []byte, n int) []byte {
	switch {
	case n < 251:
		return append(b, byte(n))
	case n < 1<<16:
		return append(b, 0xfc, byte(n), byte(n>>8))
	default:
		return append(b, 0xfd, byte(n), byte(n>>8), byte(n>>16))
	}
}

// Close implements sqlwire.Conn.
func (m *conn) Close() error {
	err := m.Farewell([]byte{1, 0, 0, 0, commandQuit})
	if m.library != nil {
		_ = m.library.Close() // ends what watches the connection; its own farewell finds the socket closed
	}
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
