package mariadb_test

import (
	"testing"

	"plimsoll/internal/app/mariadb"
	"plimsoll/internal/conformance/apptest"
	"plimsoll/test/quick"
)

func TestSettingsAreJudgedByTheServer(t *testing.T) {
	quick.Skip(t, quick.Servers)
	apptest.JudgesSettings(t, mariadb.Engine{}, map[string]apptest.Setting{
		"misspelt":         {Name: "innodb_flush_log_at_trx_comit", Value: "1", Reason: "has no setting innodb_flush_log_at_trx_comit", Hint: `did you mean "innodb_flush_log_at_trx_commit"?`},
		"impossible value": {Name: "innodb_flush_method", Value: "banana", Reason: "banana", Hint: ""},
		"out of range":     {Name: "innodb_flush_log_at_trx_commit", Value: "9", Reason: "adjusted to 3", Hint: ""},
		"set by Plimsoll":  {Name: "datadir", Value: "/var/lib/mysql", Reason: "Plimsoll sets datadir", Hint: "remove it"},
		"right":            {Name: "innodb_io_capacity", Value: "400", Reason: "", Hint: ""},
		"with hyphens":     {Name: "innodb-io-capacity", Value: "400", Reason: "", Hint: ""},
	})
}
