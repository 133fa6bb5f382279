package sqlconn

import (
	"errors"
	"strings"
	"testing"

	"github.com/microsoft/go-mssqldb"
	"github.com/microsoft/go-mssqldb/msdsn"

	"plimsoll/internal/describe/endpoint"
)

func TestSQLServersAreReachedAsTheStudySays(t *testing.T) {
	e := endpoint.Endpoint{Kind: sqlserverKind, Network: "tcp", Address: "db1.example:1433", User: "me", Password: "secret", Lent: true, Payload: endpoint.With(endpoint.SQL{Database: "DS2"})}
	if _, err := SQLServer(e, nil); !errors.Is(err, errUnhidden) || !strings.Contains(err.Error(), "tls: verify-full") || strings.Contains(err.Error(), "secret") {
		t.Errorf("a password for another machine: %v", err)
	}
	e.TLS = endpoint.TLSVerifyFull
	c, err := sqlserverConfig(e)
	if err != nil || c.Encryption != msdsn.EncryptionRequired || c.TLSConfig.InsecureSkipVerify || c.TLSConfig.ServerName != "db1.example" || c.Port != 1433 || c.Database != "DS2" || c.Password != "secret" {
		t.Errorf("%+v, %v", c, err)
	}
	e.TLS, e.Address = "", "127.0.0.1:1433"
	if _, err := sqlserverConfig(e); !errors.Is(err, errUnhidden) {
		t.Errorf("a password for whoever listens on a port of the loopback: %v", err)
	}
	e.Lent = false
	for address, ok := range map[string]bool{"127.0.0.1:1433": true, "[::1]:1433": true, "localhost:1433": true, "localhost": false, "localhost:x": false} {
		e.Address = address
		if _, err := sqlserverConfig(e); (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		}
	}
	e.Network = "unix"
	if _, err := sqlserverConfig(e); err == nil {
		t.Error("there are no unix sockets")
	}
}

func TestRefusalsOfSQLServerSayWhatToChange(t *testing.T) {
	e := endpoint.Endpoint{Kind: sqlserverKind, Network: "tcp", Address: "db1.example:1433", User: "me", Lent: true, TLS: endpoint.TLSRequire}
	for number, want := range map[int32]string{18456: "password_env", 4060: "make the database", 916: "user of the database", 17809: "no connection left"} {
		err := Failed(e, mssql.Error{Number: number, Message: "no"})
		if text := err.Error(); !strings.Contains(text, want) || !strings.Contains(text, "db1.example:1433") {
			t.Errorf("%d: %s", number, text)
		}
	}
}
