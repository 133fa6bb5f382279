package mariadb_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"plimsoll/internal/app/mariadb"
	"plimsoll/internal/conformance/apptest"
	"plimsoll/internal/conformance/apptest/sqltest"
	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform/local/localtest"
	"plimsoll/internal/workload"
)

func TestEngine(t *testing.T) {
	testEngine(t, "", false)
}

// TestGrants reads the rights as the server has them.
func TestGrants(t *testing.T) {
	i := workloadtest.Start(t, mariadb.Engine{}, "db", workload.Loaded("db", "", workload.Contents{Database: "DS2", User: "web"}))
	for account, rights := range map[string]string{"web": "SELECT, INSERT, UPDATE, DELETE, EXECUTE", "plimsoll": "ALL PRIVILEGES"} {
		to := i.Target()
		if account == "plimsoll" {
			to = i.Admin()
		}
		db, err := open(to.Endpoint("db"))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		rows, err := db.QueryContext(t.Context(), "SHOW GRANTS")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		var all []string
		for rows.Next() {
			var line string
			if err := rows.Scan(&line); err != nil {
				t.Fatal(err)
			}
			all = append(all, line)
		}
		want := fmt.Sprintf("GRANT %s ON `DS2`.* TO `%s`@`localhost`", rights, account)
		everywhere := map[bool]string{true: "PROCESS", false: "USAGE"}[account == "plimsoll"] // the administrator sees what sessions wait for
		if len(all) != 2 || !strings.HasPrefix(all[0], "GRANT "+everywhere+" ON *.* TO") || all[1] != want {
			t.Errorf("%s: %q", account, all)
		}
	}
}

// TestEngineAsPlainUser does without another user, control groups and
// namespaces.
func TestEngineAsPlainUser(t *testing.T) {
	localtest.AsPlainUser(t, "^TestEngine$/(described|restart|kill|copy)")
}

// TestEmbedded tries a build that another version of the server came from.
func TestEmbedded(t *testing.T) {
	apptest.Fetching(t)
	testEngine(t, "11.4", true)
}

func testEngine(t *testing.T, version string, fetch bool) {
	sqltest.Run(t, sqltest.Suite{
		Suite: apptest.Suite{
			Engine: mariadb.Engine{}, Version: version, Fetch: fetch, Platform: localtest.Platform, Volume: localtest.Volume,
			Least: 96 << 20, Largest: 60e6, Alone: true,
		},
		Connect: open,
	})
}

func open(t endpoint.Endpoint) (*sql.DB, error) {
	config := mysql.NewConfig()
	config.Net, config.Addr = t.Network, t.Address
	config.User, config.Passwd, config.DBName = t.User, t.Password, endpoint.Database(t)
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}
