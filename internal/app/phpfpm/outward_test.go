package phpfpm

import (
	"testing"

	"plimsoll/internal/conformance/apptest"
)

func TestSettingsStayWithinTheInstance(t *testing.T) {
	apptest.KeepsWithin(t, Engine{}, map[string]string{
		"php_admin_value[auto_prepend_file]": "/etc/passwd",
		"php_value[memory_limit]":            "1G",
		"php_admin_flag":                     "1",
		"env[PATH]":                          "/tmp",
		"auto_prepend_file":                  "php://input",
		"Auto_Append_File":                   "data:,x",
		"allow_url_include":                  "1",
		"opcache.preload":                    "x.php",
		"opcache.file_cache":                 "x",
		"opcache.error_log":                  "/etc/cron.d/x",
		"error_log":                          "/tmp/x",
		"access.log":                         "x",
		"slowlog":                            "/tmp/x",
		"include":                            "x.conf",
		"extension":                          "x.so",
		"extension_dir":                      "x",
		"zend_extension":                     "x.so",
		"ffi.enable":                         "1",
		"sendmail_path":                      "id",
		"mail.log":                           "x",
		"session.save_path":                  "5;/tmp",
		"curl.cainfo":                        "/etc/shadow",
		"open_basedir":                       "/",
		"user_ini.filename":                  "x",
		"mysqlnd.debug":                      "t:O,/tmp/x",
		"listen":                             "9000",
		"chroot":                             "/",
		"memory_limit":                       "1M'\nauto_prepend_file = 'x",
		"[global]":                           "",
	}, map[string]string{
		"memory_limit": "96M; x", "opcache.jit": "tracing", "pm.max_requests": "500", "date.timezone": "Europe/Berlin", "session.save_path": "sessions",
	})
}
