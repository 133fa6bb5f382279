package mariadb_test

import (
	"database/sql"
	"os"
	"testing"

	"github.com/go-sql-driver/mysql"

	"plimsoll/internal/app/apptest"
	"plimsoll/internal/app/mariadb"
	"plimsoll/internal/platform/local/localtest"
	"plimsoll/internal/workload"
)

func TestEngine(t *testing.T) {
	apptest.Run(t, apptest.Suite{
		Engine: mariadb.Engine{}, Platform: localtest.Platform, Volume: localtest.Volume,
		Open: open, Largest: 60e6,
	})
}

// TestEngineAsPlainUser does without another user, control groups and
// namespaces.
func TestEngineAsPlainUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("TestEngine has run as a plain user already")
	}
	localtest.AsPlainUser(t, "^TestEngine$/(described|restart|kill|copy)")
}

// TestEmbedded tries a build that another version of the server came from.
func TestEmbedded(t *testing.T) {
	apptest.Fetching(t)
	apptest.Run(t, apptest.Suite{
		Engine: mariadb.Engine{}, Version: "11.4", Fetch: true,
		Platform: localtest.Platform, Volume: localtest.Volume, Open: open, Largest: 60e6,
	})
}

func open(t workload.Target) (*sql.DB, error) {
	config := mysql.NewConfig()
	config.Net, config.Addr = t.Network, t.Address
	config.User, config.Passwd, config.DBName = t.User, t.Password, t.Database
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}
