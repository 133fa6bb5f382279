package local

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

const softVariable = "PLIMSOLL_LOCAL_SOFT_LIMIT"

// softLimitMain prints the soft limit that this process's children get. A limit applies to
// a whole process, so the test needs a process of its own.
func softLimitMain() {
	if os.Getenv(softVariable) == "" {
		return
	}
	raiseOpenFiles()
	cmd := exec.Command("sh", "-c", "ulimit -Sn")
	cmd.Stdout = os.Stdout
	if cmd.Run() != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// Servers do not get the low soft limit of a shell.
func TestServersGetTheHardLimitOfOpenFiles(t *testing.T) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `ulimit -Sn 256; exec "$0"`, os.Args[0])
	cmd.Env = append(os.Environ(), softVariable+"=1")
	out, err := cmd.CombinedOutput()
	if want := strconv.FormatUint(min(limit.Max, mostOpenFiles), 10); err != nil || strings.TrimSpace(string(out)) != want {
		t.Errorf("a server gets %s open files, not %s: %v", out, want, err)
	}
}
