package untrusted_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"plimsoll/internal/host/owner"
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

// A password that another user owns is one that he knows, and chooses. Root's and one's own are
// taken, and others' where nobody else has processes.
func TestASecretOfAnotherUserIsRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("gives a file to another user: needs root")
	}
	t.Setenv(owner.AloneVariable, "")
	t.Setenv("SUDO_UID", "65533")
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func(string) (string, error){"secret": untrusted.Secret, "line": untrusted.Line, "token": untrusted.Token} {
		for uid, taken := range map[int]bool{0: true, 65533: true, 65534: false} {
			if err := os.Chown(path, uid, 0); err != nil {
				t.Fatal(err)
			}
			text, err := read(path)
			if (err == nil) != taken || !taken && (text != "" || !strings.Contains(err.Error(), "chown 0 "+path)) {
				t.Errorf("%s of uid %d: %q, %v", name, uid, text, err)
			}
		}
	}
	t.Setenv(owner.AloneVariable, "1")
	if _, err := untrusted.Line(path); err != nil {
		t.Error(err)
	}
}

// Platforms mount the token of a service for all to read, and nobody else may change it.
func TestATokenThatOthersMayChangeIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, taken := range map[os.FileMode]bool{0o600: true, 0o644: true, 0o664: false, 0o646: false} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := untrusted.Token(path); (err == nil) != taken {
			t.Errorf("%o: %v", mode, err)
		}
	}
}
