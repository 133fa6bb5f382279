package mariadb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/go-sql-driver/mysql"

	"plimsoll/internal/app"
	"plimsoll/internal/client/sqlconn"
	"plimsoll/internal/describe/endpoint"
)

// ready asks the server for an answer as its declared user.
func ready(ctx context.Context, t endpoint.Endpoint) error {
	db, err := open(t)
	if err != nil {
		return fmt.Errorf("%w: %w", err, app.ErrHopeless)
	}
	defer db.Close()
	return explain(db.PingContext(ctx), t)
}

func open(t endpoint.Endpoint) (*sql.DB, error) {
	connector, err := sqlconn.MariaDB(t, nil)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

// Error numbers of MariaDB (manual, "MariaDB Error Codes").
const (
	accessDeniedToDatabase = 1044
	accessDenied           = 1045
	noSuchDatabase         = 1049
)

// explain tells a server that is not up yet from one that will never let this
// user in.
func explain(err error, t endpoint.Endpoint) error {
	var answer *mysql.MySQLError
	if !errors.As(err, &answer) {
		return err
	}
	switch answer.Number {
	case accessDenied, accessDeniedToDatabase:
		return fmt.Errorf("%w: the volume was not initialised for user %q with this password: %w", err, t.User, app.ErrHopeless)
	case noSuchDatabase:
		return fmt.Errorf("%w: the volume was not initialised for database %q: %w", err, endpoint.Database(t), app.ErrHopeless)
	}
	return err
}
