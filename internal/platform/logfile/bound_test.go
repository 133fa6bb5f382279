package logfile

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A server that fills the disk with complaints continues to write, and its log keeps its
// start and its last messages.
func TestLogsAreBounded(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.log")
	log, f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	write := func(text string) {
		if _, err := io.WriteString(f, text); err != nil {
			t.Fatal(err)
		}
	}
	write("it starts\n")
	for range 3 {
		write(strings.Repeat("it complains\n", (keptHead+2*keptTail)/13))
		if err := boundAll(dir); errors.Is(err, unix.EOPNOTSUPP) {
			t.Skip("this file system cannot free the middle of a file")
		} else if err != nil {
			t.Fatal(err)
		}
	}
	write("it ends\n")
	var now unix.Stat_t
	if err := unix.Stat(path, &now); err != nil {
		t.Fatal(err)
	}
	if taken := now.Blocks * 512; taken > 2*(keptHead+keptTail) {
		t.Errorf("%d bytes are taken", taken)
	}
	reader, err := log.Reader()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	text, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(text, []byte("it starts\n")) || !bytes.HasSuffix(text, []byte("it complains\nit ends\n")) || bytes.ContainsRune(text, 0) {
		t.Errorf("%q ... %q", text[:20], text[len(text)-40:])
	}
	if !bytes.Contains(text, []byte("bytes of this log were left out")) || len(text) > keptHead+keptTail+200 {
		t.Errorf("%d bytes, which do not say that there were more", len(text))
	}
	if _, err := os.Stat(path); err != nil || !strings.HasSuffix(log.Tail(), "it ends") {
		t.Errorf("%v, the tail is %q", err, log.Tail())
	}
}
