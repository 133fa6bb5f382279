package nginx

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"plimsoll/internal/conformance/apptest"
)

func TestSettingsStayWithinTheInstance(t *testing.T) {
	apptest.KeepsWithin(t, Engine{}, map[string]string{
		"proxy_cache_path":        "/some/dir keys_zone=a:1m",
		"fastcgi_cache_path":      "cache/../../.. keys_zone=a:1m",
		"include":                 "/etc/shadow",
		"include ":                "x",
		"load_module":             "modules/x.so",
		"access_log":              "/tmp/x",
		"error_log":               "/tmp/x",
		"root":                    "/",
		"alias":                   "/etc",
		"client_body_temp_path":   "x",
		"proxy_store":             "/etc/x",
		"ssl_certificate_key":     "/etc/ssl/private/ssl-cert-snakeoil.key",
		"ssl_trusted_certificate": "/etc/ssl/x",
		"ssl_password_file":       "/etc/shadow",
		"ssl_dhparam":             "/etc/shadow",
		"auth_basic_user_file":    "/etc/shadow",
		"perl_modules":            "x",
		"js_import":               "x.js",
		"lua_package_path":        "x",
		"init_by_lua":             "os.execute(1)",
		"gzip":                    "on;\ninclude /etc/shadow",
		"gzip on; include":        "/etc/shadow",
		"user":                    "root",
	}, map[string]string{
		"gzip": "on", "keepalive_timeout": "75s 60s", "proxy_cache_path": "cache levels=1:2 keys_zone=a:1m", "ssl_session_cache": "shared:tls:1m",
		"open_file_cache": "max=1000 inactive=20s", "types_hash_max_size": "2048",
	})
}

// A setting that is not refused by its name does nothing to the machine. An nginx run by
// root gives a cache's directory to nobody and reads any file.
func TestACheckActsOnNothing(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, who could act on something")
	}
	in, err := Engine{}.Find(t.Context(), "", true)
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	if _, err := try(t.Context(), in, "proxy_cache_path", dir+" keys_zone=a:1m"); err != nil {
		t.Fatal(err)
	}
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil || st.Uid != 0 {
		t.Errorf("the directory of a study's cache belongs to uid %d now: %v", st.Uid, err)
	}
	found, err := try(t.Context(), in, "include", "/etc/shadow")
	if err != nil || found == nil || !strings.Contains(found.Text, "Permission denied") {
		t.Errorf("include /etc/shadow: %+v, %v", found, err)
	}
}
