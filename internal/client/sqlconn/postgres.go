package sqlconn

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"plimsoll/internal/describe/endpoint"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// postgresSession sets what a session depends on, whatever the server, the database or
// the role has been given as a default: how values are written, that transactions may
// write and how they are isolated, that nothing ends them. Settings that a version does
// not have are passed over. Tables are made in the usual schemas, if the user may make
// any there, and else where the role's own path leads.
const postgresSession = `select set_config(v.name, v.value, false) from (values
	('client_encoding', 'UTF8'), ('datestyle', 'ISO, MDY'), ('intervalstyle', 'postgres'), ('timezone', 'UTC'),
	('standard_conforming_strings', 'on'), ('bytea_output', 'hex'), ('transform_null_equals', 'off'),
	('default_transaction_isolation', 'read committed'), ('default_transaction_read_only', 'off'), ('default_transaction_deferrable', 'off'),
	('statement_timeout', '0'), ('lock_timeout', '0'), ('idle_in_transaction_session_timeout', '0'), ('idle_session_timeout', '0'), ('transaction_timeout', '0'),
	('search_path', case when has_schema_privilege(to_regnamespace(quote_ident(current_user)), 'create') or has_schema_privilege(to_regnamespace('public'), 'create')
		then '"$user", public' else current_setting('search_path') end)
) as v (name, value) where current_setting(v.name, true) is not null`

// Postgres configures a connection to PostgreSQL.
func Postgres(e endpoint.Endpoint) (*pgx.ConnConfig, error) {
	if errUnset != nil {
		return nil, fmt.Errorf("prepare the connection to PostgreSQL: %w", errUnset)
	}
	c := unset.Copy()
	var err error
	c.Database, c.User, c.Password = endpoint.Database(e), e.User, e.Password
	if c.Host, c.Port, err = postgresAddress(e); err != nil {
		return nil, Failed(e, err)
	}
	if c.TLSConfig, err = TLS(e); err != nil {
		return nil, Failed(e, err)
	}
	if bare(e) {
		c.RequireAuth = provingOnly
	}
	c.RuntimeParams = map[string]string{"application_name": "plimsoll", "datestyle": "ISO"}
	c.LookupFunc = func(_ context.Context, host string) ([]string, error) { return []string{host}, nil }
	c.DialFunc = (&net.Dialer{}).DialContext
	if e.Lent {
		c.AfterConnect = func(ctx context.Context, p *pgconn.PgConn) error {
			if err := p.Exec(ctx, postgresSession).Close(); err != nil {
				return fmt.Errorf("set what the session depends on: %w", err)
			}
			return nil
		}
	}
	return c, nil
}

// provingOnly are the methods by which a server is not given the password: it is sent as
// it is by "password", and by "md5" as what lets anybody in who has it (PostgreSQL's
// manual, "Password Authentication").
const provingOnly = "scram-sha-256,none"

const defaultPostgresPort = "5432"

// socketName matches the file names of PostgreSQL's sockets.
var socketName = regexp.MustCompile(`/\.s\.PGSQL\.(\d+)$`)

// socketPort is the port after a socket's directory.
var socketPort = regexp.MustCompile(`:(\d+)$`)

// postgresAddress names a server as the library does: a unix socket by its directory
// and the port at the end of its name, .s.PGSQL.5432. It may be given as the socket
// itself, or as the directory with or without a port.
func postgresAddress(e endpoint.Endpoint) (host string, port uint16, err error) {
	host, number := e.Address, defaultPostgresPort
	switch {
	case e.Network != "unix":
		if host, number, err = net.SplitHostPort(e.Address); err != nil {
			return "", 0, err
		}
	case socketName.MatchString(e.Address):
		host, number = filepath.Dir(e.Address), strings.TrimPrefix(filepath.Ext(e.Address), ".")
	case socketPort.MatchString(e.Address):
		at := strings.LastIndexByte(e.Address, ':')
		host, number = e.Address[:at], e.Address[at+1:]
	}
	n, err := strconv.ParseUint(number, 10, 16)
	if err != nil {
		return "", 0, fmt.Errorf("%q does not end in a port: %w", e.Address, err)
	}
	return host, uint16(n), nil
}
