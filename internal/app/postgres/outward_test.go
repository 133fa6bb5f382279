package postgres_test

import (
	"testing"

	"plimsoll/internal/app/postgres"
	"plimsoll/internal/conformance/apptest"
)

func TestSettingsStayWithinTheInstance(t *testing.T) {
	apptest.KeepsWithin(t, postgres.Engine{}, map[string]string{
		"config_file":               "/etc/shadow",
		"Config_File":               "postgresql.conf",
		"include":                   "'/etc/shadow'",
		"include_dir":               "x",
		"include_if_exists":         "x",
		"hba_file":                  "/tmp/open",
		"ident_file":                "x",
		"data_directory":            "/var/lib/postgresql",
		"external_pid_file":         "x",
		"log_directory":             "/etc/cron.d",
		"log_filename":              "../../x",
		"archive_command":           "cp %p /tmp",
		"archive_library":           "x",
		"restore_command":           "id",
		"recovery_end_command":      "id",
		"archive_cleanup_command":   "id",
		"ssl_passphrase_command":    "id",
		"shared_preload_libraries":  "/tmp/x.so",
		"session_preload_libraries": "$libdir/../x",
		"local_preload_libraries":   "plugins/x",
		"jit_provider":              "../x",
		"dynamic_library_path":      "x",
		"ssl_key_file":              "/etc/ssl/private/ssl-cert-snakeoil.key",
		"ssl_cert_file":             "../x",
		"krb_server_keyfile":        "FILE:/etc/krb5.keytab",
		"unix_socket_directories":   "/tmp",
		"stats_temp_directory":      "/dev/shm",
		"plperl.on_init":            "system(1)",
		"work_mem = 1\ninclude":     "/etc/shadow",
		"work_mem":                  "8MB'\ninclude '/etc/shadow",
	}, map[string]string{
		"work_mem": "8MB", "shared_preload_libraries": "pg_stat_statements, auto_explain", "pg_stat_statements.max": "1000",
		"timezone": "Europe/Berlin", "log_directory": "log", "log_line_prefix": "%m [%p] ", "log_filename": "${VOLUME}/log/x",
	})
}
