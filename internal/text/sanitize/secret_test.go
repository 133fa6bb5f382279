package sanitize

import "testing"

func TestMasked(t *testing.T) {
	for text, want := range map[string]string{
		"parse \"http://me:s3cret@host/path\": bad":    "parse \"http://***@host/path\": bad",
		"open postgres://me:s3 cret@db/shop: no":       "open postgres://***@db/shop: no",
		"https://s3cret@host":                          "https://***@host",
		"postgres://me:s3/c@r#et@db:5432/shop":         "postgres://***@db:5432/shop",
		"me:s3cret@tcp(db:3306)/shop?tls=true":         "***@tcp(db:3306)/shop?tls=true",
		"\"me:s3cret@db:5432/shop\" is not a place":    "\"***@db:5432/shop\" is not a place",
		"host=db user=me password=s3cret port=5432":    "host=db user=me password=*** port=5432",
		`host=db password='s3 c\'ret' port=5432`:       "host=db password=*** port=5432",
		"http://h/?token=s3cret&x=1":                   "http://h/?token=***&x=1",
		"jdbc:mysql://db/shop?user=me&password=s3cret": "jdbc:mysql://db/shop?user=me&password=***",
		"plimsoll:1.0@sha256:0123":                     "plimsoll:1.0@sha256:0123",
		"see http://127.0.0.1:4318/v1/metrics":         "see http://127.0.0.1:4318/v1/metrics",
		"me@host has no password: set PGPASSWORD":      "me@host has no password: set PGPASSWORD",
		"[2001:db8::1]:5432/shop: refused":             "[2001:db8::1]:5432/shop: refused",
	} {
		if got := Masked(text); got != want {
			t.Errorf("%s is masked as %s, not %s", text, got, want)
		}
	}
}
