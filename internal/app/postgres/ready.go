package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"plimsoll/internal/app"
	"plimsoll/internal/client/sqlconn"
	"plimsoll/internal/describe/endpoint"
)

// ready asks the server for an answer as its declared user.
func ready(ctx context.Context, t endpoint.Endpoint) error {
	conn, err := connect(ctx, t)
	if err != nil {
		return explain(err, t)
	}
	defer conn.Close(ctx)
	return conn.Exec(ctx, "SELECT 1").Close()
}

func connect(ctx context.Context, t endpoint.Endpoint) (*pgconn.PgConn, error) {
	config, err := sqlconn.Postgres(t)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, app.ErrHopeless)
	}
	conn, err := pgconn.ConnectConfig(ctx, &config.Config)
	return conn, sqlconn.Failed(t, err)
}

// Error codes of PostgreSQL (manual, appendix A).
const (
	invalidPassword      = "28P01"
	invalidAuthorization = "28000"
	noSuchDatabase       = "3D000"
)

// explain tells a server that is not up yet from one that will never let this
// user in.
func explain(err error, t endpoint.Endpoint) error {
	var answer *pgconn.PgError
	if !errors.As(err, &answer) {
		return err
	}
	switch answer.Code {
	case invalidPassword, invalidAuthorization:
		return fmt.Errorf("%w: the volume was not initialised for user %q with this password: %w", err, t.User, app.ErrHopeless)
	case noSuchDatabase:
		return fmt.Errorf("%w: the volume was not initialised for database %q: %w", err, endpoint.Database(t), app.ErrHopeless)
	}
	return err
}
