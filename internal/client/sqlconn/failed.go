package sqlconn

import (
	"context"
	"crypto/tls"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"syscall"

	"plimsoll/internal/describe/endpoint"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/microsoft/go-mssqldb"
)

// Failed says of a connection that could not be made what was tried, why that failed
// and, where it is known, what to change.
func Failed(e endpoint.Endpoint, err error) error {
	if err == nil {
		return nil
	}
	return &Failure{Endpoint: e, Cause: err}
}

// Failure is a connection that could not be made.
type Failure struct {
	Endpoint endpoint.Endpoint
	Cause    error
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Cause }

// Error names the server, the user, the database and the encryption.
func (f *Failure) Error() string {
	text := fmt.Sprintf("connect to %s as user %q, database %q%s: %s", f.Endpoint.Address, f.Endpoint.User, endpoint.Database(f.Endpoint), encryption(f.Endpoint), cause(f.Cause))
	if hint := f.Hint(); hint != "" {
		text += " (" + hint + ")"
	}
	return text
}

// encryption says how the connection was to be encrypted.
func encryption(e endpoint.Endpoint) string {
	switch {
	case e.TLS != "":
		return ", tls: " + e.TLS
	case e.Lent && e.Network != "unix":
		return ", without TLS"
	}
	return ""
}

// cause leaves out what the libraries say of the place.
func cause(err error) string {
	if answer, ok := errors.AsType[*pgconn.PgError](err); ok {
		return answer.Message + " (" + answer.Code + ")"
	}
	if answer, ok := errors.AsType[mssql.Error](err); ok {
		return fmt.Sprintf("%s (%d)", answer.Message, answer.Number)
	}
	if untrusted, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return untrusted.Error()
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Error()
	}
	if refused, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		err = refused.Unwrap()
	}
	if strings.Contains(err.Error(), "require_auth") {
		return "without TLS the password is proved by SCRAM only, and the server asks for it in another way; it was not sent"
	}
	return strings.Join(strings.Fields(err.Error()), " ")
}

// Codes of PostgreSQL (manual, appendix A) and numbers of MariaDB and MySQL ("MariaDB Error
// Codes", "Server Error Message Reference").
const (
	postgresAuthorization = "28000"
	postgresPassword      = "28P01"
	postgresNoDatabase    = "3D000"
	postgresPrivilege     = "42501"
	postgresTooMany       = "53300"

	mariadbTooMany         = 1040
	mariadbNoRight         = 1044
	mariadbDenied          = 1045
	mariadbNoDatabase      = 1049
	mariadbTooManyOfUser   = 1203
	mariadbUserLimit       = 1226
	mysqlTransportRequired = 3159
)

// What to change.
const (
	wantsTLS   = "if the server wants TLS, set tls: require, or verify-full with ca_file, beside existing.servers"
	encrypt    = "set tls: verify-full, or require, beside existing.servers, or name the server's unix socket"
	noTLS      = "the server does not speak TLS there: turn it on, or leave tls away beside existing.servers"
	password   = "look at user, and at the password that password_env or password_file gives"
	noDatabase = "make the database, or correct the name after the / in existing.servers"
	tooMany    = "the server has no connection left: raise its limits, or lower load.users or the ladder"
	trust      = "ca_file beside existing.servers names the certificates to trust; tls: verify-ca does not look at the name"
	wantsOwn   = "if the user must show a certificate, set client_cert and client_key beside existing.servers"
	distrusts  = "the server may not trust client_cert: it must be signed by an authority that the server knows, and have those that lead to it after it"
	listens    = "see whether the server runs and listens there, and correct existing.servers"
)

// Hint says what to change, as far as it is known. For servers that Plimsoll starts
// nobody has to change anything.
func (f *Failure) Hint() string {
	e, err := f.Endpoint, f.Cause
	if !e.Lent {
		return ""
	}
	if answer, ok := errors.AsType[*pgconn.PgError](err); ok {
		return postgresHint(answer, e)
	}
	if answer, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return mariadbHint(answer.Number, e)
	}
	if answer, ok := errors.AsType[mssql.Error](err); ok {
		return sqlserverHint(answer.Number)
	}
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	_, unknown := errors.AsType[*net.DNSError](err)
	switch {
	case untrusted, strings.Contains(err.Error(), "TLS Handshake failed"): // of the library of SQL Server, which keeps the cause to itself
		return trust
	case e.ClientCertificate != "" && brokenOff(err):
		return distrusts
	case errors.Is(err, errUnvouched), errors.Is(err, errUnhidden), strings.Contains(err.Error(), "require_auth"):
		return encrypt
	case errors.Is(err, mysql.ErrNoTLS), strings.Contains(err.Error(), "server refused TLS connection"), strings.Contains(err.Error(), "server does not support encryption"):
		return noTLS
	case errors.Is(err, mysql.ErrCleartextPassword), errors.Is(err, mysql.ErrOldPassword), errors.Is(err, mysql.ErrUnknownPlugin):
		return "give the user a password of mysql_native_password, ed25519 or caching_sha2_password"
	case unknown:
		return "correct the host in existing.servers"
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTSOCK), errors.Is(err, syscall.EHOSTUNREACH),
		errors.Is(err, context.DeadlineExceeded):
		return listens
	}
	return ""
}

// brokenOff reports whether the server ended a TLS connection when it had
// seen the client's certificate. MariaDB's library does not say how.
func brokenOff(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	alert := ok && op.Op == "remote error" // so crypto/tls calls it
	reset := errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
	unwritten := strings.HasSuffix(err.Error(), "bad connection") // of the library of MySQL, which does not export it
	return alert || reset || unwritten || errors.Is(err, driver.ErrBadConn) || errors.Is(err, mysql.ErrInvalidConn)
}

// open reports whether a connection is not encrypted although it leaves the machine.
func open(e endpoint.Endpoint) bool { return e.TLS == "" && e.Network != "unix" }

// showsNothing reports whether an encrypted connection could show a certificate and does
// not.
func showsNothing(e endpoint.Endpoint) bool { return e.TLS != "" && e.ClientCertificate == "" }

func postgresHint(answer *pgconn.PgError, e endpoint.Endpoint) string {
	switch code := answer.Code; {
	case code == postgresAuthorization && open(e):
		return wantsTLS
	case code == postgresAuthorization && showsNothing(e) && strings.Contains(answer.Message, "certificate"):
		return wantsOwn
	case code == postgresPassword, code == postgresAuthorization:
		return password
	case code == postgresNoDatabase:
		return noDatabase
	case code == postgresTooMany:
		return tooMany
	case code == postgresPrivilege:
		return "grant connect on the database to the user"
	}
	return ""
}

func mariadbHint(number uint16, e endpoint.Endpoint) string {
	switch number {
	case mysqlTransportRequired:
		return wantsTLS
	case mariadbDenied:
		switch {
		case open(e):
			return password + "; " + wantsTLS
		case showsNothing(e):
			return password + "; " + wantsOwn
		}
		return password
	case mariadbNoRight:
		return "the server does not say whether it has that database: make it, if not, and grant the user all rights on it"
	case mariadbNoDatabase:
		return noDatabase
	case mariadbTooMany, mariadbTooManyOfUser, mariadbUserLimit:
		return tooMany
	}
	return ""
}
