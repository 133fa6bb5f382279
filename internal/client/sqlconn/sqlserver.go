package sqlconn

import (
	"fmt"
	"net"
	"strconv"

	"github.com/microsoft/go-mssqldb"
	"github.com/microsoft/go-mssqldb/msdsn"

	"plimsoll/internal/describe/endpoint"
)

// sqlserverSession sets what a session depends on, whatever the server, the database or
// the login has as a default. An error ends the transaction it is in, as on PostgreSQL.
const sqlserverSession = "set xact_abort on; set implicit_transactions off; set transaction isolation level read committed; " +
	"set lock_timeout -1; set deadlock_priority normal; set rowcount 0; set nocount off; set textsize 2147483647; " +
	"set language us_english; set dateformat mdy; set datefirst 7; " +
	"set ansi_nulls on; set ansi_padding on; set ansi_warnings on; set arithabort on; set concat_null_yields_null on; set quoted_identifier on; set numeric_roundabort off"

// SQLServer configures a connection to Microsoft SQL Server. The dialer makes the socket;
// nil is the library's own.
func SQLServer(e endpoint.Endpoint, dial mssql.Dialer) (*mssql.Connector, error) {
	c, err := sqlserverConfig(e)
	if err != nil {
		return nil, Failed(e, err)
	}
	connector := mssql.NewConnectorConfig(c)
	connector.SessionInitSQL = sqlserverSession
	connector.Dialer = dial
	return connector, nil
}

func sqlserverConfig(e endpoint.Endpoint) (c msdsn.Config, err error) {
	c = msdsn.Config{
		Database: endpoint.Database(e), User: e.User, Password: e.Password, AppName: "plimsoll", Protocols: []string{"tcp"},
		DisableRetry: true, // a statement that is sent again would count twice
		DialTimeout:  -1,   // whoever connects says how long that may take
		NoTraceID:    true,
		Encryption:   msdsn.EncryptionDisabled,
	}
	host, port, err := net.SplitHostPort(e.Address)
	if err != nil || e.Network != "tcp" {
		return c, fmt.Errorf("%q is not host:port, by which alone SQL Server is reached", e.Address)
	}
	c.Host = host
	if c.Port, err = strconv.ParseUint(port, 10, 16); err != nil {
		return c, fmt.Errorf("%q does not end in a port: %w", e.Address, err)
	}
	if c.TLSConfig, err = TLS(e); err != nil {
		return c, err
	}
	if c.TLSConfig != nil {
		c.Encryption = msdsn.EncryptionRequired
		return c, nil
	}
	if !endpoint.OnLoopback(host) {
		return c, errUnhidden
	}
	return c, Unhidden(e)
}

// Numbers of SQL Server's errors ("Database Engine events and errors").
const (
	sqlserverLogin      = 18456
	sqlserverUntrusted  = 18452
	sqlserverNoDatabase = 4060
	sqlserverNoRight    = 916
	sqlserverTooMany    = 17809
	sqlserverTooManyOf  = 10928 // of the resource group or service
)

func sqlserverHint(number int32) string {
	switch number {
	case sqlserverLogin, sqlserverUntrusted:
		return password + "; the server must let logins of its own in (mixed mode)"
	case sqlserverNoDatabase:
		return noDatabase + ", and make the login a user there"
	case sqlserverNoRight:
		return "make the login a user of the database"
	case sqlserverTooMany, sqlserverTooManyOf:
		return tooMany
	}
	return ""
}
