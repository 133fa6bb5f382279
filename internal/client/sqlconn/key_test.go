package sqlconn

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// No password goes, over a connection that is not encrypted, to whoever answers with a
// public key.
func TestNoKeyIsTakenFromWhoeverAnswers(t *testing.T) {
	far, server := net.Pipe() // whose addresses are not this machine's
	t.Cleanup(func() { far.Close(); server.Close() })
	go func() { _, _ = io.Copy(io.Discard, server) }()
	c := mysql.NewConfig()
	c.DialFunc = func(context.Context, string, string) (net.Conn, error) { return far, nil }
	guarded(c)
	conn, err := c.DialFunc(t.Context(), "tcp", "db1.example:3306")
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]struct {
		packet  string
		refused bool
	}{
		"caching_sha2_password asks": {"\x01\x00\x00\x03\x02", true},
		"sha256_password asks":       {"\x01\x00\x00\x03\x01", true},
		"sha256_password begins":     {"\x20\x00\x00\x01user\x00\x01\x01shop\x00sha256_password\x00", true},
		"caching_sha2_password":      {"\x20\x00\x00\x01user\x00\x01\x01shop\x00caching_sha2_password\x00", false},
		"COM_QUIT":                   {"\x01\x00\x00\x00\x01", false},
		"a statement":                {"\x09\x00\x00\x00\x03select 1", false},
	} {
		if _, err := conn.Write([]byte(p.packet)); errors.Is(err, errUnvouched) != p.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}
