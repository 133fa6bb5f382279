package mariadb_test

import (
	"testing"

	"plimsoll/internal/app/mariadb"
	"plimsoll/internal/conformance/apptest"
)

func TestSettingsStayWithinTheInstance(t *testing.T) {
	apptest.KeepsWithin(t, mariadb.Engine{}, map[string]string{
		"plugin_load":               "x.so",
		"plugin-load-add":           "x.so",
		"loose-plugin-load":         "x.so",
		"plugin_loa":                "x.so", // the server completes names
		"PLUGIN_DIR":                "x",
		"init_file":                 "x.sql",
		"skip_grant_tables":         "",
		"skip-grant-tables":         "1",
		"datadir":                   "/var/lib/mysql",
		"datad":                     "x",
		"tmpdir":                    "/tmp",
		"socket":                    "x",
		"bind-addr":                 "0.0.0.0",
		"general_log_file":          "/etc/cron.d/x",
		"slow_query_log_file":       "../../x",
		"log_error":                 "/tmp/x",
		"log_bin":                   "/tmp/x",
		"relay_log":                 "/tmp/x",
		"innodb_data_file_path":     "ibdata1:10M;/dev/sda:1Graw",
		"innodb_data_home_dir":      "/tmp",
		"innodb_log_group_home_dir": "/tmp",
		"innodb_undo_directory":     "..",
		"secure_file_priv":          "/",
		"ssl_key":                   "/etc/ssl/private/ssl-cert-snakeoil.key",
		"wsrep_provider":            "x.so",
		"wsrep_notify_cmd":          "id",
		"user":                      "root",
		"chroot":                    "x",
		"defaults_extra_file":       "x",
		"debug":                     "d:t:o,x",
		"!include":                  "/etc/shadow",
		"!includedir /etc":          "",
		"x\n!include /etc/shadow":   "",
		"[mysqld]":                  "",
		"character_sets_dir":        "/etc",
	}, map[string]string{
		"innodb_io_capacity": "400", "sql_mode": "STRICT_TRANS_TABLES,NO_ZERO_IN_DATE", "general_log": "on", "general_log_file": "log",
		"log_bin": "binlog", "default_time_zone": "+00:00", "skip_name_resolve": "", "lc_messages": "en_US", "init_connect": "SET NAMES utf8mb4",
		"innodb_data_file_path": "ibdata1:10M:autoextend",
	})
}
