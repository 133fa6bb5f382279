package mariadb

import (
	"strings"
	"testing"

	"plimsoll/internal/app"
)

func TestSettingsAreJudgedByTheServer(t *testing.T) {
	in, err := Engine{}.Find(t.Context(), "", true)
	if err != nil {
		t.Skip(err)
	}
	for name, c := range map[string]struct{ setting, value, reason, hint string }{
		"misspelt":         {"innodb_flush_log_at_trx_comit", "1", "has no setting innodb_flush_log_at_trx_comit", `did you mean "innodb_flush_log_at_trx_commit"?`},
		"impossible value": {"innodb_flush_method", "banana", "banana", ""},
		"out of range":     {"innodb_flush_log_at_trx_commit", "9", "adjusted to 3", ""},
		"set by Plimsoll":  {"datadir", "/var/lib/mysql", "Plimsoll sets datadir", "remove it"},
		"right":            {"innodb_io_capacity", "400", "", ""},
		"with hyphens":     {"innodb-io-capacity", "400", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := Engine{}.CheckConfig(t.Context(), in, app.Config{Settings: map[string]string{c.setting: c.value}})
			if err != nil {
				t.Fatal(err)
			}
			if c.reason == "" {
				if len(found) > 0 {
					t.Errorf("refused: %v", found)
				}
				return
			}
			if len(found) != 1 || !strings.Contains(found[0].Reason, c.reason) || found[0].Hint != c.hint {
				t.Errorf("got %+v", found)
			}
		})
	}
}
