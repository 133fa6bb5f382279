package dial_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"plimsoll/internal/client/sqlconn"
	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/client/sqlwire/dial"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload/sqldb"
)

// mysql8 is as much of a MySQL 8 server as a login with caching_sha2_password needs, because
// distributions have none that could be installed (MySQL's internals manual, "Connection
// Phase" and "Caching SHA-2 pluggable authentication").
type mysql8 struct {
	fast     bool // the password is in the server's cache
	password string
	tls      *tls.Config
	key      *rsa.PrivateKey
}

// Capabilities of the protocol.
const (
	longPassword, withDatabase, protocol41 = 1 << 0, 1 << 3, 1 << 9
	withTLS, transactions, secure          = 1 << 11, 1 << 13, 1 << 15
	pluginAuth, lengthEncoded, noEOF       = 1 << 19, 1 << 21, 1 << 24
)

// Packets that a server begins with.
const (
	okPacket, errPacket, moreData = 0, 0xff, 1
	fastDone, fullAuthentication  = 3, 4
)

const plugin = "caching_sha2_password"

// packets reads and writes packets in turn.
type packets struct {
	net.Conn
	sequence byte
}

func (p *packets) read() ([]byte, error) {
	var header [4]byte
	if _, err := io.ReadFull(p, header[:]); err != nil {
		return nil, err
	}
	p.sequence = header[3] + 1
	body := make([]byte, int(header[0])|int(header[1])<<8|int(header[2])<<16)
	_, err := io.ReadFull(p, body)
	return body, err
}

func (p *packets) write(body ...byte) error {
	_, err := p.Write(append([]byte{byte(len(body)), byte(len(body) >> 8), byte(len(body) >> 16), p.sequence}, body...))
	p.sequence++
	return err
}

func (p *packets) ok() error { return p.write(okPacket, 0, 0, 2, 0, 0, 0) }

// listen serves on an address until the test ends.
func (m *mysql8) listen(t *testing.T, network, address string) endpoint.Endpoint {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_ = m.serve(&packets{Conn: c}) // clients end it
			}()
		}
	}()
	return endpoint.Endpoint{
		Role: "db", Kind: sqlwire.MariaDB, Network: network, Address: l.Addr().String(), User: "shop", Password: "secret", Lent: true,
		Payload: endpoint.With(endpoint.SQL{Database: "shop"}),
	}
}

// serve lets a client in and answers that all its statements are done.
func (m *mysql8) serve(p *packets) error {
	nonce := []byte("12345678abcdefghijkl")
	capabilities := uint32(longPassword | withDatabase | protocol41 | transactions | secure | pluginAuth | lengthEncoded | noEOF)
	if m.tls != nil {
		capabilities |= withTLS
	}
	hello := append([]byte{10}, "8.0.40\x00\x01\x00\x00\x00"...)
	hello = append(append(hello, nonce[:8]...), 0)
	hello = binary.LittleEndian.AppendUint16(hello, uint16(capabilities))
	hello = append(hello, 45, 2, 0)
	hello = binary.LittleEndian.AppendUint16(hello, uint16(capabilities>>16))
	hello = append(append(hello, 21), make([]byte, 10)...)
	hello = append(append(append(append(hello, nonce[8:]...), 0), plugin...), 0)
	if err := p.write(hello...); err != nil {
		return err
	}
	response, err := p.read()
	if err != nil {
		return err
	}
	private := p.LocalAddr().Network() == "unix"
	if binary.LittleEndian.Uint32(response)&withTLS != 0 {
		p.Conn, private = tls.Server(p.Conn, m.tls), true
		if response, err = p.read(); err != nil {
			return err
		}
	}
	if err := m.authenticate(p, response, nonce, private); err != nil {
		refused := append([]byte{errPacket, 0x15, 0x04}, "#28000Access denied for user 'shop'"...) // 1045
		return errors.Join(err, p.write(refused...))
	}
	for {
		command, err := p.read()
		if err != nil || command[0] == 1 { // COM_QUIT
			return err
		}
		if err := p.ok(); err != nil {
			return err
		}
	}
}

var errDenied = errors.New("denied")

func (m *mysql8) authenticate(p *packets, response, nonce []byte, private bool) error {
	once := sha256.Sum256([]byte(m.password))
	twice := sha256.Sum256(once[:])
	mixed := sha256.Sum256(append(twice[:], nonce...))
	subtle.XORBytes(mixed[:], mixed[:], once[:])
	if m.fast {
		if !bytes.Contains(response, mixed[:]) {
			return errDenied
		}
		return errors.Join(p.write(moreData, fastDone), p.ok())
	}
	if err := p.write(moreData, fullAuthentication); err != nil {
		return err
	}
	answer, err := p.read()
	if err != nil {
		return err
	}
	if !private {
		if answer, err = m.decrypted(p, answer, nonce); err != nil {
			return err
		}
	}
	if string(answer) != m.password+"\x00" {
		return errDenied
	}
	return p.ok()
}

// decrypted gives the client, who asks for it, the public key, and reads the password.
func (m *mysql8) decrypted(p *packets, answer, nonce []byte) ([]byte, error) {
	if !bytes.Equal(answer, []byte{2}) {
		return nil, errDenied
	}
	der, err := x509.MarshalPKIXPublicKey(&m.key.PublicKey)
	if err != nil {
		return nil, err
	}
	key := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	if err := p.write(append([]byte{moreData}, key...)...); err != nil {
		return nil, err
	}
	if answer, err = p.read(); err != nil {
		return nil, err
	}
	if answer, err = rsa.DecryptOAEP(sha1.New(), nil, m.key, answer, nil); err != nil {
		return nil, err
	}
	for i := range answer {
		answer[i] ^= nonce[i%len(nonce)]
	}
	return answer, nil
}

// MySQL 8 authenticates users by caching_sha2_password: from the server's cache, over TLS
// and over a unix socket. The client never encrypts a password with an unverified public
// key, which any local user who listens on the port could have sent.
func TestCachingSHA2(t *testing.T) {
	certified := httptest.NewTLSServer(nil)
	t.Cleanup(certified.Close)
	authority := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certified.Certificate().Raw}))
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		fast, socket bool
		mode         string
	}{
		"known to the cache":     {fast: true},
		"known, by TLS":          {fast: true, mode: endpoint.TLSVerifyFull},
		"by TLS":                 {mode: endpoint.TLSVerifyFull},
		"by TLS with whoever":    {mode: endpoint.TLSRequire},
		"by a socket":            {socket: true},
		"by a socket, and known": {socket: true, fast: true},
	} {
		t.Run(name, func(t *testing.T) {
			server := &mysql8{fast: c.fast, password: "secret", tls: &tls.Config{Certificates: certified.TLS.Certificates}, key: key}
			network, address := "tcp", "127.0.0.1:0"
			if c.socket {
				network, address = "unix", filepath.Join(t.TempDir(), "s")
			}
			e := server.listen(t, network, address)
			if c.mode != "" {
				e.TLS, e.Certificate = c.mode, authority
			}
			open(t, e)
			pool, err := sqldb.Open(t.Context(), e, 1)
			if err != nil {
				t.Fatal(err)
			}
			pool.Close()
			e.Password = "another"
			conn, err := dial.Open(t.Context(), e)
			if err == nil {
				conn.Close()
				t.Fatal("connected with another password")
			}
			if !strings.Contains(err.Error(), "1045") || !strings.Contains(err.Error(), "look at user, and at the password") {
				t.Errorf("the error does not help: %v", err)
			}
		})
	}
	plain := &mysql8{password: "secret", key: key}
	e := plain.listen(t, "tcp", "127.0.0.1:0")
	if _, err := dial.Open(t.Context(), e); err == nil || !strings.Contains(err.Error(), "it was not sent") || !strings.Contains(err.Error(), "tls: verify-full") {
		t.Errorf("a server with a public key: %v", err)
	}
	e = plain.listen(t, "tcp", "127.0.0.1:0")
	e.TLS = endpoint.TLSRequire
	if _, err := dial.Open(t.Context(), e); err == nil || !strings.Contains(err.Error(), "the server does not speak TLS") {
		t.Errorf("a server without TLS: %v", err)
	}
}

// afar is a connection that leaves the machine.
type afar struct{ net.Conn }

func (afar) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 3306} }

// A password is not encrypted with the key of whoever answers on the network.
func TestThePublicKeyOfAnotherMachine(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for _, fast := range []bool{true, false} {
		e := (&mysql8{fast: fast, password: "secret", key: key}).listen(t, "tcp", "127.0.0.1:0")
		connector, err := sqlconn.MariaDB(e, func(c *mysql.Config) {
			c.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
				return afar{conn}, err
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		conn, err := connector.Connect(t.Context())
		if err == nil {
			conn.Close()
		}
		if answer := fmt.Sprint(sqlconn.Failed(e, err)); fast != (err == nil) || !fast && (!strings.Contains(answer, "nobody vouches for") || !strings.Contains(answer, "set tls: verify-full")) {
			t.Errorf("known to the cache: %t: %s", fast, answer)
		}
	}
}
