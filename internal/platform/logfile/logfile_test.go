package logfile

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestLogTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.log")
	if err := os.WriteFile(path, []byte("of the last start\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	log, f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := log.WithTail(errors.New("it ended")); !strings.Contains(err.Error(), "is empty") {
		t.Errorf("an empty log: %v", err)
	}
	if _, err := f.WriteString(strings.Repeat("line\n", 10000) + "last\n"); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(log.Tail(), "\n")
	if len(lines) != tailLines || lines[tailLines-1] != "last" {
		t.Errorf("%d lines, the last is %q", len(lines), lines[len(lines)-1])
	}
}

// What an installer advises must not push out what the server says.
func TestErrorsHaveTheServersOwnWords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.log")
	log, f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("Starting\n0 [ERROR] unknown value 'x' of y\n" + strings.Repeat("Examine the logs\n", 2*tailLines)); err != nil {
		t.Fatal(err)
	}
	log.Complaints = regexp.MustCompile(`\[ERROR\]`)
	if err, want := log.WithTail(errors.New("it ended")), "it ended; its log x.log says:\n0 [ERROR] unknown value 'x' of y"; err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
