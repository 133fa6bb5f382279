package confine_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/host/confine"
	"plimsoll/internal/platform/local/localtest"
)

func script(t *testing.T, text string, files map[string]string) string {
	t.Helper()
	out, err := confine.Run(t.Context(), confine.Program{Path: "/bin/sh", Args: []string{"-c", text}, Files: files})
	if err != nil {
		t.Fatal(err)
	}
	return out.Text
}

func TestAProgramReadsAndWritesItsOwnDirectoryAlone(t *testing.T) {
	home, err := os.MkdirTemp("", "plimsoll-confine-") // other tests leave files in the common one
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(home)
	if err := os.Chmod(home, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", home)
	if got := script(t, `cat given; pwd -P; echo new > new && cat ${RUNTIME}/new`, map[string]string{"given": "in ${RUNTIME}\n"}); strings.Contains(got, "${RUNTIME}") || strings.Count(got, "\n") != 3 || !strings.HasSuffix(got, "new\n") {
		t.Errorf("%q", got)
	}
	left, err := os.ReadDir(home)
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// A misbehaving program can neither be root, nor write, nor see anything outside the
// system's files, nor reach a network, nor outlive the call.
func TestAProgramHasNothingOfRoots(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, who has something to lose")
	}
	if !confine.Apart() {
		t.Skip("root may not make namespaces here")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	for what, text := range map[string]string{
		"is root":               "test $(id -u) = 0",
		"has a group of root's": "id -G | grep -qw 0",
		"reads /etc/shadow":     "cat /etc/shadow",
		"sees a file of others": "cat " + secret,
		"writes beside it":      "echo x > " + dir + "/new",
		"writes to /tmp":        "mkdir -p /tmp && echo x > /tmp/plimsoll-confine",
		"writes to /":           "echo x > /new",
		"writes to /etc":        "echo x > /etc/plimsoll-confine",
		"has a network":         "bash -c 'exec 3<>/dev/tcp/127.0.0.1/" + port + "'",
		"sees processes":        "test -e /proc/1",
		"has memory at will":    "test $(ulimit -v) = unlimited",
		"fills a disk":          "head -c 100000000 /dev/zero > big",
	} {
		if got := script(t, "if ("+text+") >/dev/null 2>&1; then echo IT DOES; fi", nil); strings.Contains(got, "IT DOES") {
			t.Errorf("a confined program %s", what)
		}
	}
}

func TestOutputAndTimeAreBounded(t *testing.T) {
	const outputLimit = 4 << 20
	if got := script(t, "yes | head -c 10000000", nil); len(got) != outputLimit {
		t.Errorf("%d bytes were kept", len(got))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := confine.Run(ctx, confine.Program{Path: "/bin/sh", Args: []string{"-c", "sleep 1000 & sleep 1000"}}); err == nil {
		t.Error("a program that never ends was waited for")
	}
}

func TestAPlainUsersProgramIsBounded(t *testing.T) {
	localtest.AsPlainUser(t, "^Test(AProgramReadsAndWrites|OutputAndTime)")
}
