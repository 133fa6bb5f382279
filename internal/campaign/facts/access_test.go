package facts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/study"
)

// What lets users into an existing server is read from files, and secrets from those that
// nobody else can read.
func TestAccess(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	x := study.Existing{
		User: "me", PasswordFile: file("password", "secret\n", 0o600), CAFile: file("ca", "authority", 0o644),
		ClientCert: file("cert", "certificate", 0o644), ClientKey: file("key", "key", 0o600),
	}
	if got, err := AccessTo(x); err != nil || got != (Access{"secret", "authority", "certificate", "key"}) {
		t.Errorf("%+v, %v", got, err)
	}
	for says, change := range map[string]func(*study.Existing){
		"the key of client_key: others can read":            func(x *study.Existing) { x.ClientKey = file("open", "key", 0o640) },
		"the password of me: others can read":               func(x *study.Existing) { x.PasswordFile = file("open", "key", 0o640) },
		"the certificate of client_cert: open":              func(x *study.Existing) { x.ClientCert = dir + "/none" },
		"the certificates of ca_file: " + dir + "/empty is": func(x *study.Existing) { x.CAFile = file("empty", "", 0o600) },
	} {
		other := x
		change(&other)
		if _, err := AccessTo(other); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("want %q: %v", says, err)
		}
	}
}
