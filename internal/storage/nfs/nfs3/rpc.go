package nfs3

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// rpcClient calls one program of a server over TCP: ONC remote procedure calls
// (RFC 5531) with record marking, any number of them under way at once. A
// connection that breaks is made anew and what was under way is sent again
// with its old number, by which the server knows a repetition.
type rpcClient struct {
	address          string
	program, version uint32
	patience         time.Duration // how long a call is tried

	mu      sync.Mutex
	conn    *connection
	xid     uint32
	machine string
}

// connection is one TCP connection with the calls under way on it.
type connection struct {
	net.Conn
	write   sync.Mutex
	mu      sync.Mutex
	waiting map[uint32]chan []byte
	broken  chan struct{}
}

// reconnectPause is the time between attempts to reach a server again.
const reconnectPause = 200 * time.Millisecond

// call returns the results of a procedure, and whether it had to be sent more
// than once: then the first may have been carried out unseen.
func (c *rpcClient) call(ctx context.Context, procedure uint32, arguments []byte) (results []byte, repeated bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	xid, record := c.record(procedure, arguments)
	for {
		results, err = c.attempt(ctx, xid, record)
		if err == nil {
			results, err = accepted(results)
			return results, repeated, err
		}
		repeated = true
		select {
		case <-ctx.Done():
			return nil, repeated, fmt.Errorf("no answer from %s: %w", c.address, err)
		case <-time.After(reconnectPause):
		}
	}
}

// record is a call with its mark and header.
func (c *rpcClient) record(procedure uint32, arguments []byte) (xid uint32, record []byte) {
	c.mu.Lock()
	c.xid++
	xid = c.xid
	c.mu.Unlock()
	e := encoder{b: make([]byte, 4, 128+len(arguments))}
	for _, word := range []uint32{xid, 0, 2, c.program, c.version, procedure} { // CALL, RPC version 2
		e.uint32(word)
	}
	e.uint32(1) // AUTH_SYS, as root: the mount's owner decides who may pass
	var auth encoder
	auth.uint32(0)
	auth.string(c.machine)
	auth.uint32(0) // uid
	auth.uint32(0) // gid
	auth.uint32(0) // no further groups
	e.opaque(auth.b)
	e.uint32(0) // AUTH_NONE as verifier
	e.uint32(0)
	e.fixed(arguments)
	binary.BigEndian.PutUint32(e.b, 1<<31|uint32(len(e.b)-4)) // last fragment
	return xid, e.b
}

func (c *rpcClient) attempt(ctx context.Context, xid uint32, record []byte) ([]byte, error) {
	conn, err := c.connected(ctx)
	if err != nil {
		return nil, err
	}
	answer := conn.expect(xid)
	defer conn.forget(xid)
	if err := conn.send(record); err != nil {
		_ = conn.Close()
		return nil, err
	}
	select {
	case results := <-answer:
		return results, nil
	case <-conn.broken:
		select { // the answer may have been the last thing that came
		case results := <-answer:
			return results, nil
		default:
		}
		return nil, errors.New("the connection broke")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *rpcClient) connected(ctx context.Context) (*connection, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != nil && !c.conn.isBroken() {
		return c.conn, nil
	}
	var d net.Dialer
	raw, err := d.DialContext(ctx, "tcp", c.address)
	if err != nil {
		return nil, err
	}
	c.conn = &connection{Conn: raw, waiting: map[uint32]chan []byte{}, broken: make(chan struct{})}
	go c.conn.receive()
	return c.conn, nil
}

func (c *rpcClient) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != nil {
		_ = c.conn.Close()
		<-c.conn.broken
	}
}

func (c *connection) isBroken() bool {
	select {
	case <-c.broken:
		return true
	default:
		return false
	}
}

func (c *connection) expect(xid uint32) <-chan []byte {
	answer := make(chan []byte, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting[xid] = answer
	return answer
}

func (c *connection) forget(xid uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, xid)
}

func (c *connection) send(record []byte) error {
	c.write.Lock()
	defer c.write.Unlock()
	_, err := c.Write(record)
	return err
}

// receive hands answers to who waits for them, until the connection ends.
func (c *connection) receive() {
	defer close(c.broken)
	defer c.Close()
	for {
		record, err := readRecord(c)
		if err != nil || len(record) < 4 {
			return
		}
		xid := binary.BigEndian.Uint32(record)
		c.mu.Lock()
		answer := c.waiting[xid]
		c.mu.Unlock()
		if answer == nil {
			continue // its caller has given up
		}
		select {
		case answer <- record[4:]:
		default: // answered twice
		}
	}
}

// longestRecord bounds the memory that a broken server can make this process use, in bytes.
const longestRecord = 4 << 20

func readRecord(r io.Reader) ([]byte, error) {
	var record []byte
	for {
		var mark [4]byte
		if _, err := io.ReadFull(r, mark[:]); err != nil {
			return nil, err
		}
		head := binary.BigEndian.Uint32(mark[:])
		n := int(head &^ (1 << 31))
		if len(record)+n > longestRecord {
			return nil, errors.New("the server's answer is too long")
		}
		at := len(record)
		record = append(record, make([]byte, n)...)
		if _, err := io.ReadFull(r, record[at:]); err != nil {
			return nil, err
		}
		if head>>31 == 1 {
			return record, nil
		}
	}
}

// accepted takes the header off an answer (RFC 5531, section 9).
func accepted(answer []byte) ([]byte, error) {
	d := decoder{b: answer}
	if d.uint32() != 1 {
		return nil, errors.New("the server sent something that is not a reply")
	}
	if d.uint32() != 0 {
		return nil, errors.New("the server refused the call's protocol version or its credentials")
	}
	d.uint32() // verifier
	d.opaque()
	state := d.uint32()
	if d.err != nil {
		return nil, d.err
	}
	if state != 0 {
		what := map[uint32]string{1: "has no such program", 2: "has another version of the program", 3: "has no such procedure",
			4: "does not understand the arguments", 5: "had an error of its own"}[state]
		return nil, fmt.Errorf("the server %s", what)
	}
	return d.b, nil
}
