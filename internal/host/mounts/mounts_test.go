package mounts

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestParse(t *testing.T) {
	m, ok := parse(`36 35 98:0 /mnt1 /mnt\0402 rw,noatime master:1 - ext3 /dev/root rw,errors=continue` + "\n")
	if !ok || m.Point != "/mnt 2" || m.Type != "ext3" || m.Source != "/dev/root" || m.Major != 98 ||
		!slices.Equal(m.Options, []string{"rw", "noatime", "errors=continue"}) {
		t.Errorf("%+v, %v", m, ok)
	}
	for _, line := range []string{"", "1 2 3:4 / /", "- ext4 x y", "1 2 3:4 / /x rw - ext4"} {
		if m, ok := parse(line); ok {
			t.Errorf("%q was read as %+v", line, m)
		}
	}
}

func TestOfThisMachine(t *testing.T) {
	root, err := Of("/")
	if err != nil || root.Point != "/" {
		t.Fatalf("%+v, %v", root, err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("/proc", link); err != nil {
		t.Fatal(err)
	}
	if m, err := Of(link); err != nil || m.Type != "proc" {
		t.Errorf("/proc through a link: %+v, %v", m, err)
	}
	if m, err := Of("/no/such/place"); err == nil {
		t.Errorf("a place that is not there: %+v", m)
	}
	if memory, err := Of("/dev/shm"); err == nil && memory.InMemory() && len(memory.Devices()) > 0 {
		t.Errorf("memory lies on %v", memory.Devices())
	}
	for _, name := range root.Devices() {
		if _, err := os.Stat("/sys/block/" + name); err != nil {
			t.Errorf("the device of the root: %v", err)
		}
		if n, assumed := Actuators(name); n < 1 || assumed == "" {
			t.Errorf("%s has no actuator", name)
		}
	}
	if space, err := SpaceOf("/"); err != nil || space.Capacity <= 0 || space.Free > space.Capacity {
		t.Errorf("%+v, %v", space, err)
	}
}

func TestContains(t *testing.T) {
	for _, c := range []struct {
		dir, path string
		want      bool
	}{{"/", "/a", true}, {"/a", "/a", true}, {"/a", "/a/b", true}, {"/a", "/ab", false}, {"/a/b", "/a", false}} {
		if got := contains(c.dir, c.path); got != c.want {
			t.Errorf("contains(%s, %s) = %v", c.dir, c.path, got)
		}
	}
}

func TestNameFull(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := Of(".")
	if err != nil {
		t.Fatal(err)
	}
	full := &os.PathError{Op: "write", Path: "file", Err: unix.ENOSPC}
	named := NameFull(full, "file")
	if !errors.Is(named, unix.ENOSPC) || !strings.Contains(named.Error(), "the file system at "+here.Point+" ("+here.Type) {
		t.Errorf("%v", named)
	}
	if again := NameFull(fmt.Errorf("outer: %w", named), "/"); strings.Count(again.Error(), "file system") != 1 {
		t.Errorf("named twice: %v", again)
	}
	for _, other := range []error{nil, os.ErrNotExist} {
		if got := NameFull(other, "file"); got != other {
			t.Errorf("%v became %v", other, got)
		}
	}
}

func TestUnescape(t *testing.T) {
	for escaped, want := range map[string]string{
		`/a\040b\011c\012d\134e\043f`: "/a b\tc\nd\\e#f", `/plain`: "/plain", `/\303\244`: "/ä", `/x\08`: `/x\08`, `/\134040`: `/\040`,
	} {
		if got := Unescape(escaped); got != want {
			t.Errorf("%s: %q, want %q", escaped, got, want)
		}
	}
}
