package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each kind of thing is found by its name, and what was there before is not.
func TestWhatIsLeftIsNamed(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "mountinfo", "29 1 0:26 / /mnt/old rw - tmpfs tmpfs rw\n")
	before := things{}
	before.mounts(filepath.Join(dir, "mountinfo"))

	write(t, dir, "mountinfo", "29 1 0:26 / /mnt/old rw - tmpfs tmpfs rw\n30 1 0:27 / /mnt/new rw - tmpfs tmpfs rw\n")
	write(t, dir, "shm", "key shmid perms size cpid lpid nattch uid\n0 52 600 56 1 1 0 65534\n")
	write(t, dir, "proc/7/environ", "A=1\x00PLIMSOLL_OBJECT=x\x00")
	write(t, dir, "proc/7/comm", "postgres\n")
	write(t, dir, "proc/8/environ", "A=1\x00")
	write(t, dir, "cgroup/plimsoll-x/cgroup.procs", "")
	write(t, dir, "tmp/plimsoll-volume-1/queue", "")
	write(t, dir, "tmp/plimsoll.lock", "")
	write(t, dir, "tmp/other/file", "")
	after := things{}
	after.mounts(filepath.Join(dir, "mountinfo"))
	after.segments(filepath.Join(dir, "shm"))
	after.cgroups(filepath.Join(dir, "cgroup"))
	after.processes(filepath.Join(dir, "proc"))
	after.entries("temporary directory", filepath.Join(dir, "tmp"), "plimsoll-")

	want := []string{"control group " + dir + "/cgroup/plimsoll-x", "mount /mnt/new", "process 7 postgres", "shared memory segment 52 of user 65534", "temporary directory " + dir + "/tmp/plimsoll-volume-1"}
	if got, want := after.without(before).text(), "left behind:\n  "+strings.Join(want, "\n  ")+"\n"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if left := after.without(after); len(left) > 0 {
		t.Errorf("nothing is new, and %v is named", left)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestTheExitCodeIsTheCommands(t *testing.T) {
	for command, want := range map[string]int{"exit 0": 0, "exit 7": 7, "kill -9 $$": 1} {
		if code := run([]string{"sh", "-c", command}); code != want {
			t.Errorf("%s: exit code %d, want %d", command, code, want)
		}
	}
}
