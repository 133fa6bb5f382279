package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/jackc/pgx/v5/pgconn"

	"plimsoll/internal/app"
	"plimsoll/internal/workload"
)

// ready asks the server for an answer as its declared user.
func ready(ctx context.Context, t workload.Endpoint) error {
	conn, err := connect(ctx, t)
	if err != nil {
		return explain(err, t)
	}
	defer conn.Close(ctx)
	return conn.Exec(ctx, "SELECT 1").Close()
}

func connect(ctx context.Context, t workload.Endpoint) (*pgconn.PgConn, error) {
	config, err := pgconn.ParseConfig("sslmode=disable")
	if err != nil {
		return nil, fmt.Errorf("prepare the connection: %w", err)
	}
	config.Database, config.User, config.Password = t.Database, t.User, t.Password
	config.Fallbacks = nil
	config.LookupFunc = func(_ context.Context, host string) ([]string, error) { return []string{host}, nil }
	config.DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, t.Network, t.Address)
	}
	return pgconn.ConnectConfig(ctx, config)
}

// Error codes of PostgreSQL (manual, appendix A).
const (
	invalidPassword      = "28P01"
	invalidAuthorization = "28000"
	noSuchDatabase       = "3D000"
)

// explain tells a server that is not up yet from one that will never let this
// user in.
func explain(err error, t workload.Endpoint) error {
	var answer *pgconn.PgError
	if !errors.As(err, &answer) {
		return err
	}
	switch answer.Code {
	case invalidPassword, invalidAuthorization:
		return fmt.Errorf("%w: the volume was not initialised for user %q with this password: %w", err, t.User, app.ErrHopeless)
	case noSuchDatabase:
		return fmt.Errorf("%w: the volume was not initialised for database %q: %w", err, t.Database, app.ErrHopeless)
	}
	return err
}
