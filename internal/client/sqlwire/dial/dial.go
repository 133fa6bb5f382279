// Package dial connects to an SQL server by the protocol that its endpoint's kind names.
package dial

import (
	"context"
	"fmt"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/client/sqlwire/mariadb"
	"plimsoll/internal/client/sqlwire/postgres"
	"plimsoll/internal/client/sqlwire/sqlserver"
	"plimsoll/internal/describe/endpoint"
)

// Open connects to an endpoint and authenticates. Without TLS the connection reads and
// writes the socket itself; with it every message takes the library's way.
func Open(ctx context.Context, e endpoint.Endpoint) (sqlwire.Conn, error) {
	switch e.Kind {
	case sqlwire.Postgres:
		return postgres.Open(ctx, e)
	case sqlwire.MariaDB:
		return mariadb.Open(ctx, e)
	case sqlwire.SQLServer:
		return sqlserver.Open(ctx, e)
	}
	return nil, fmt.Errorf("connect to %s: no protocol for endpoints of kind %q; known: %s, %s, %s", e.Address, e.Kind, sqlwire.Postgres, sqlwire.MariaDB, sqlwire.SQLServer)
}
