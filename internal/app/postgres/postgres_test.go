package postgres_test

import (
	"context"
	"database/sql"
	"net"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"plimsoll/internal/app/postgres"
	"plimsoll/internal/conformance/apptest"
	"plimsoll/internal/conformance/apptest/sqltest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform/local/localtest"
)

func TestEngine(t *testing.T) {
	testEngine(t, "", false)
}

// TestEngineAsPlainUser does without another user, control groups and
// namespaces.
func TestEngineAsPlainUser(t *testing.T) {
	localtest.AsPlainUser(t, "^TestEngine$/(described|restart|kill|copy)")
}

// TestEmbedded tries a build that another version of the server came from.
func TestEmbedded(t *testing.T) {
	apptest.Fetching(t)
	testEngine(t, "16", true)
}

func testEngine(t *testing.T, version string, fetch bool) {
	sqltest.Run(t, sqltest.Suite{
		Suite: apptest.Suite{
			Engine: postgres.Engine{}, Version: version, Fetch: fetch, Platform: localtest.Platform, Volume: localtest.Volume,
			Least: 48 << 20, Largest: 45e6,
		},
		Connect: open,
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
