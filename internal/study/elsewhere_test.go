package study

import "testing"

func TestAPathElsewhereIsFound(t *testing.T) {
	for value, want := range map[string]string{
		"/etc/shadow":                         "/etc/shadow",
		"/some/dir keys_zone=a:1m":            "/some/dir",
		"keys_zone=a:1m path=/some/dir":       "/some/dir",
		"unix:/run/socket":                    "/run/socket",
		"5;0600;/tmp/sessions":                "/tmp/sessions",
		"$libdir:/tmp":                        "/tmp",
		"'/tmp/x.so'":                         "/tmp/x.so",
		"../../etc/passwd":                    "../../etc/passwd",
		"log/../../x":                         "log/../../x",
		"..":                                  "..",
		"~postgres/x":                         "~postgres/x",
		"php://input":                         "//input",
		"http://127.0.0.1/x":                  "//127.0.0.1/x",
		"ibdata1:10M;/dev/sda:1Graw":          "/dev/sda",
		"/":                                   "/",
		"\t/x":                                "/x",
		"/usr/bin/env sh -c id":               "/usr/bin/env",
		"":                                    "",
		"on":                                  "",
		"4 32k":                               "",
		"Europe/Berlin":                       "",
		"cache levels=1:2 keys_zone=a:1m":     "",
		"log/today":                           "",
		"%m [%p] ":                            "",
		"TLSv1.2 TLSv1.3":                     "",
		"shared:tls:1m":                       "",
		"ibdata1:10M:autoextend":              "",
		"STRICT_TRANS_TABLES,NO_ZERO_IN_DATE": "",
		"a..b":                                "",
		"+00:00":                              "",
	} {
		if got := Elsewhere(value); got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}
