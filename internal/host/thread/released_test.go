package thread

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// With the runtime that was tried and with one that nobody knows, calls do the same.
func TestCallsWithAnyRuntime(t *testing.T) {
	for name, own := range map[string]bool{"tried": ownRuntime, "unknown": false} {
		t.Run(name, func(t *testing.T) {
			defer func(before bool) { ownRuntime = before }(ownRuntime)
			ownRuntime = own
			defer Settings{Blocked: mostBlocked + 1}.Use()()
			movesAll(t)
			polls(t)
		})
	}
}

// movesAll writes and reads more than a long call.
func movesAll(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text := []byte(strings.Repeat("0123456789abcdef", 2*longCall/16))
	if n, err := Pwrite(int(f.Fd()), text, 16); n != len(text) || err != nil {
		t.Errorf("wrote %d, %v", n, err)
	}
	back := make([]byte, len(text)+32)
	if n, err := Pread(int(f.Fd()), back, 0); n != len(text)+16 || err != nil || string(back[16:n]) != string(text) {
		t.Errorf("read %d, %v", n, err)
	}
	if _, err := Pread(-1, back, 0); err != syscall.EBADF {
		t.Errorf("of no file: %v", err)
	}
}

func polls(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	go func() { w.Close() }()
	p := unix.PollFd{Fd: int32(r.Fd()), Events: unix.POLLIN}
	for errno := syscall.EINTR; errno == syscall.EINTR; {
		errno = Poll(&p)
	}
	if p.Revents&unix.POLLHUP == 0 {
		t.Errorf("events %x", p.Revents)
	}
}

func TestTheMonitorOfAnUnknownRuntimeIsLeftAlone(t *testing.T) {
	defer func(before bool) { ownRuntime = before }(ownRuntime)
	ownRuntime = false
	if err := CalmMonitor(); err == nil || !strings.Contains(err.Error(), "go1.") && !strings.Contains(err.Error(), "devel") {
		t.Errorf("%v", err)
	}
}
