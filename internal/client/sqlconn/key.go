package sqlconn

import (
	"bytes"
	"context"
	"errors"
	"net"

	"github.com/go-sql-driver/mysql"
)

// errUnvouched means that a password was not sent.
var errUnvouched = errors.New("the server wants the password encrypted with a public key that nobody vouches for; it was not sent")

// guarded dials so that no password goes to whoever listens there or is in between:
// where a connection is not encrypted, anybody may answer with a public key of his own
// when the server is asked for one. Unix sockets are not guarded.
func guarded(c *mysql.Config) {
	dial := c.DialFunc
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	c.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil || conn.RemoteAddr().Network() == "unix" {
			return conn, err
		}
		asked, _ := ctx.Value(askedKey{}).(*bool)
		return guard{conn, asked}, nil
	}
}

// askedKey is the context key of a *bool. It is set to true when a public key would have
// been requested, because the library does not say why a packet was not written.
type askedKey struct{}

// guard refuses to ask for a public key.
type guard struct {
	net.Conn
	asked *bool // nil where nobody wants to know
}

// Write implements net.Conn.
func (g guard) Write(packet []byte) (int, error) {
	if asksForKey(packet) {
		if g.asked != nil {
			*g.asked = true
		}
		return 0, errUnvouched
	}
	return g.Conn.Write(packet)
}

// asksForKey knows the client's packets that ask for one, of caching_sha2_password and of
// sha256_password, which asks already when it says who it is (MySQL's internals manual,
// "Authentication Methods"). Commands have 0 for their number.
func asksForKey(packet []byte) bool {
	const header, number = 4, 3
	if len(packet) == header+1 && packet[number] > 0 {
		return packet[header] == 1 || packet[header] == 2
	}
	return bytes.Contains(packet, []byte("\x00sha256_password\x00"))
}
