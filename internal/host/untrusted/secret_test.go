package untrusted_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"plimsoll/internal/host/untrusted"
)

// The contents of a password file named by a study go to a server that it names: no key, no
// other file, and nothing of it in a message.
func TestOnlyAPasswordIsOne(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		mode os.FileMode
		want string // empty where it is refused
	}{
		"password":            {"hunter2\n", 0o600, "hunter2"},
		"with blanks":         {" hunter 2\r\n", 0o600, " hunter 2"},
		"without its end":     {"hunter2", 0o400, "hunter2"},
		"key":                 {"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaA\n-----END OPENSSH PRIVATE KEY-----\n", 0o600, ""},
		"two lines":           {"hunter2\nhunter3\n", 0o600, ""},
		"binary":              {"hunter2\x00\xff", 0o600, ""},
		"empty":               {"", 0o600, ""},
		"a line of nothing":   {"\n", 0o600, ""},
		"too long":            {strings.Repeat("hunter2", 1000), 0o600, ""},
		"readable for others": {"hunter2\n", 0o644, ""},
	} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(c.text), c.mode); err != nil {
			t.Fatal(err)
		}
		got, err := untrusted.Line(path)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if err != nil && (strings.Contains(err.Error(), "hunter") || strings.Contains(err.Error(), "BEGIN")) {
			t.Errorf("%s: %v", name, err)
		}
	}
	pipe, huge := filepath.Join(t.TempDir(), "pipe"), filepath.Join(t.TempDir(), "huge")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(huge, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(huge, 1<<40); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, huge, filepath.Dir(huge)} {
		if text, err := untrusted.Secret(path); err == nil {
			t.Errorf("%s: %q", path, text)
		}
	}
}
