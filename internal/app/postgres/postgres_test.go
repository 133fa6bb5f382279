package postgres_test

import (
	"context"
	"database/sql"
	"net"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"plimsoll/internal/app/apptest"
	"plimsoll/internal/app/postgres"
	"plimsoll/internal/endpoint"
	"plimsoll/internal/platform/local/localtest"
)

func TestEngine(t *testing.T) {
	apptest.Run(t, apptest.Suite{
		Engine: postgres.Engine{}, Platform: localtest.Platform, Volume: localtest.Volume,
		Open: open, Largest: 45e6,
	})
}

// TestEngineAsPlainUser does without another user, control groups and
// namespaces.
func TestEngineAsPlainUser(t *testing.T) {
	localtest.AsPlainUser(t, "^TestEngine$/(described|restart|kill|copy)")
}

// TestEmbedded tries a build that another version of the server came from.
func TestEmbedded(t *testing.T) {
	apptest.Fetching(t)
	apptest.Run(t, apptest.Suite{
		Engine: postgres.Engine{}, Version: "16", Fetch: true,
		Platform: localtest.Platform, Volume: localtest.Volume, Open: open, Largest: 45e6,
	})
}

func open(t endpoint.Endpoint) (*sql.DB, error) {
	config, err := pgx.ParseConfig("sslmode=disable")
	if err != nil {
		return nil, err
	}
	config.Database, config.User, config.Password = endpoint.Database(t), t.User, t.Password
	config.LookupFunc = func(_ context.Context, host string) ([]string, error) { return []string{host}, nil }
	config.DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, t.Network, t.Address)
	}
	return stdlib.OpenDB(*config), nil
}
