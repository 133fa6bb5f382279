package wire

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
	"unique"

	"github.com/go-sql-driver/mysql"

	"plimsoll/internal/endpoint"
	"plimsoll/internal/sqlconn"
)

// mariadb is a connection that speaks the MariaDB client/server protocol with
// its binary statements. MySQL speaks the same.
type mariadb struct {
	*link
	library driver.Conn // it authenticated
	results Results
	// cached says that column definitions come only when they have changed
	// (capability MARIADB_CLIENT_CACHE_METADATA).
	cached bool
}

// mariadbStatement is what an execute command needs.
type mariadbStatement struct {
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
// packet, and, of MariaDB's own, see mariadb.cached.
const (
	capabilityMySQL         = 1 << 0 // set by MySQL, not by MariaDB
	capabilityTLS           = 1 << 11
	capabilityDeprecateEOF  = 1 << 24
	capabilityCacheMetadata = 1 << 4 // bit 36 of all
)

// packetHeader is three bytes of length and one of sequence number.
const packetHeader = 4

func openMariaDB(ctx context.Context, t endpoint.Endpoint) (Conn, error) {
	var socket *listener
	connector, err := sqlconn.MariaDB(t, func(c *mysql.Config) {
		c.MaxAllowedPacket = 1 << 20 // or the library would ask the server
		c.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
			socket = &listener{Conn: conn}
			return socket, err
		}
	})
	if err != nil {
		return nil, err
	}
	library, err := connector.Connect(ctx)
	if err != nil {
		return nil, notConnected(t, err, mariadbAnswer(err))
	}
	m, err := socket.takeOver(library)
	if err != nil {
		library.Close()
		return nil, sqlconn.Failed(t, err)
	}
	return m, nil
}

// mariadbAnswer is as postgresAnswer.
func mariadbAnswer(err error) *Error {
	if e, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return &Error{State: string(e.SQLState[:]), Number: int(e.Number), Message: e.Message, Fatal: true}
	}
	return nil
}

// listener notes the capabilities that the library agrees with the server,
// which it does not tell: they are in the first packet that it sends.
type listener struct {
	net.Conn
	response []byte
}

// responseLength is how much of the handshake response holds capabilities:
// 4 bytes of them, 4 of packet size, 1 of character set, 19 of filler and 4 of
// MariaDB's own capabilities.
const responseLength = packetHeader + 32

func (l *listener) Write(b []byte) (int, error) {
	if l.response == nil {
		l.response = append([]byte{}, b[:min(len(b), responseLength)]...)
	}
	return l.Conn.Write(b)
}

// takeOver takes the socket from the library once it has authenticated.
func (l *listener) takeOver(library driver.Conn) (Conn, error) {
	if len(l.response) < responseLength {
		return nil, errMalformed
	}
	common := binary.LittleEndian.Uint32(l.response[packetHeader:])
	own := binary.LittleEndian.Uint32(l.response[responseLength-4:])
	if common&capabilityDeprecateEOF == 0 {
		return nil, errors.New("the server is too old: MariaDB 10.2 or MySQL 5.7.5 is the oldest that can be driven")
	}
	conn, err := l.below(library)
	if err != nil {
		return nil, err
	}
	socket, err := newLink(conn)
	if err != nil {
		return nil, err
	}
	return &mariadb{link: socket, library: library, cached: common&capabilityMySQL == 0 && own&capabilityCacheMetadata != 0}, nil
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

// Prepare implements Conn.
func (m *mariadb) Prepare(sql string) (*Statement, error) {
	text, order := placeholders(sql)
	m.begin()
	at := m.command(commandPrepare)
	m.out = append(m.out, text...)
	m.finish(at)
	if err := m.send(); err != nil {
		return nil, fmt.Errorf("prepare %q: %w", sql, err)
	}
	s := &Statement{sql: unique.Make(sql), parameters: parameterCount(order), mariadb: &mariadbStatement{order: order}}
	if err := m.prepareAnswer(s); err != nil {
		return nil, fmt.Errorf("prepare %q: %w", sql, err)
	}
	return s, nil
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
func (m *mariadb) prepareAnswer(s *Statement) error {
	p, err := m.next()
	if err != nil {
		return err
	}
	if p[0] == answerError {
		return mariadbError(p, "")
	}
	if len(p) < 9 {
		return m.fail(errMalformed)
	}
	s.mariadb.id = binary.LittleEndian.Uint32(p[1:])
	columns, parameters := int(binary.LittleEndian.Uint16(p[5:])), int(binary.LittleEndian.Uint16(p[7:]))
	for range parameters {
		if _, err := m.next(); err != nil {
			return err
		}
	}
	return m.definitions(s, columns)
}

// definitions reads column definitions.
func (m *mariadb) definitions(s *Statement, n int) error {
	s.mariadb.columns = s.mariadb.columns[:0]
	for range n {
		p, err := m.next()
		if err != nil {
			return err
		}
		kind, ok := columnDefinition(p)
		if !ok {
			return m.fail(errMalformed)
		}
		s.mariadb.columns = append(s.mariadb.columns, kind)
	}
	return nil
}

// command starts a packet; its sequence number is 0.
func (m *mariadb) command(c byte) (at int) {
	at = len(m.out)
	m.out = append(m.out, 0, 0, 0, 0, c)
	return at
}

// finish writes the length of the packet that began at.
func (m *mariadb) finish(at int) {
	n := len(m.out) - at - packetHeader
	m.out[at], m.out[at+1], m.out[at+2] = byte(n), byte(n>>8), byte(n>>16)
}

// Do implements Conn: one execute command for each statement, all written at
// once; the server takes them one after the other.
func (m *mariadb) Do(b *Batch) (*Results, error) {
	m.begin()
	for i := range b.calls {
		if err := m.execute(b, i); err != nil {
			return nil, err
		}
	}
	if err := m.send(); err != nil {
		return nil, err
	}
	if err := m.answers(b); err != nil {
		return nil, err
	}
	return &m.results, m.results.firstError()
}

// Types of arguments as the protocol numbers them.
const (
	typeLongLong  = 8
	typeVarString = 253
)

// execute appends a COM_STMT_EXECUTE: identifier, no cursor, one iteration,
// no nulls, the types where they differ from the last execution's, values.
func (m *mariadb) execute(b *Batch, i int) error {
	s, values := b.calls[i].statement, b.arguments(i)
	if len(values) != s.parameters {
		return fmt.Errorf("%d arguments for the %d parameters of %q", len(values), s.parameters, s.text())
	}
	at := m.command(commandExecute)
	m.out = binary.LittleEndian.AppendUint32(m.out, s.mariadb.id)
	m.out = append(m.out, 0, 1, 0, 0, 0)
	if len(s.mariadb.order) > 0 {
		m.types(s.mariadb, values)
		for _, a := range s.mariadb.order {
			m.argument(b, values[a])
		}
	}
	m.finish(at)
	return nil
}

// types appends the bitmap of nulls and, if they are new, the types.
func (m *mariadb) types(s *mariadbStatement, values []value) {
	for range (len(s.order) + 7) / 8 {
		m.out = append(m.out, 0)
	}
	if s.isBound(values) {
		m.out = append(m.out, 0)
		return
	}
	m.out = append(m.out, 1)
	s.bound = s.bound[:0]
	for _, a := range s.order {
		kind := argumentType(values[a])
		s.bound = append(s.bound, kind)
		m.out = append(m.out, kind, 0)
	}
}

// isBound says that the server knows these types from the last execution.
func (s *mariadbStatement) isBound(values []value) bool {
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

func argumentType(v value) byte {
	if v.kind == integer {
		return typeLongLong
	}
	return typeVarString
}

func (m *mariadb) argument(b *Batch, v value) {
	if v.kind == integer {
		m.out = binary.LittleEndian.AppendUint64(m.out, uint64(v.number))
		return
	}
	m.out = appendLength(m.out, v.to-v.from)
	m.out = append(m.out, b.textOf(v)...)
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

// Close implements Conn.
func (m *mariadb) Close() error {
	err := m.farewell([]byte{1, 0, 0, 0, commandQuit})
	_ = m.library.Close() // ends what watches the connection; its own farewell finds the socket closed
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
