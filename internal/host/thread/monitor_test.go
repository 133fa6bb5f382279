package thread

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The monitor is the thread that sleeps for a time: no other waits in nanosleep(2).
func TestMonitorIsTheThreadThatSleeps(t *testing.T) {
	id, err := monitor()
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		where, err := os.ReadFile("/proc/self/task/" + id + "/wchan")
		if err != nil || string(where) == "0" && os.Geteuid() != 0 {
			t.Skipf("where threads wait is not told: %q, %v", where, err)
		}
		if strings.Contains(string(where), "nanosleep") {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("thread %s never slept for a time", id)
}

func TestCalmMonitor(t *testing.T) {
	id, err := monitor()
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(slackFile(id))
	if err != nil && !errors.Is(err, fs.ErrPermission) {
		t.Fatal(err)
	}
	if err := CalmMonitor(); errors.Is(err, fs.ErrPermission) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := os.WriteFile(slackFile(id), before, 0); err != nil {
			t.Error(err)
		}
	}()
	after, err := os.ReadFile(slackFile(id))
	if want := strconv.FormatInt(monitorSlack.Nanoseconds(), 10); err != nil || strings.TrimSpace(string(after)) != want {
		t.Errorf("it may wake %q ns late, not %s: %v", after, want, err)
	}
}
