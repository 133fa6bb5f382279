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

	"plimsoll/internal/host/namespace/namespacetest"
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
	root, err := Find("/")
	if err != nil || root.Point != "/" {
		t.Fatalf("%+v, %v", root, err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("/proc", link); err != nil {
		t.Fatal(err)
	}
	if m, err := Find(link); err != nil || m.Type != "proc" {
		t.Errorf("/proc through a link: %+v, %v", m, err)
	}
	if m, err := Find("/no/such/place"); err == nil {
		t.Errorf("a place that is not there: %+v", m)
	}
	if memory, err := Find("/dev/shm"); err == nil && memory.InMemory() && len(memory.Devices()) > 0 {
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

// Writes to an overlay go to its upper layer, whatever is below.
func TestOverlaysAreFollowed(t *testing.T) {
	if !namespacetest.OnNewMachine(t) {
		return
	}
	memory, disk := t.TempDir(), t.TempDir()
	made := func(parts ...string) string {
		t.Helper()
		dir := filepath.Join(parts...)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	mount(t, "plimsoll-test", memory, "tmpfs", 0, "size=16m")
	overlay := func(name, lower, upper string) string {
		t.Helper()
		at := made(disk, name)
		mount(t, "overlay", at, "overlay", 0, fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s", lower, made(upper, name+"-upper"), made(upper, name+"-work")))
		return at
	}
	bound := made(disk, "bound")
	mount(t, memory, bound, "", unix.MS_BIND, "")
	plain, err := Find(disk)
	if err != nil || plain.InMemory() {
		t.Skipf("temporary files are in memory here: %+v, %v", plain, err)
	}
	for name, c := range map[string]struct {
		at   string
		want bool
	}{
		"a file system in memory":                 {memory, true},
		"a mount of a directory in memory":        {bound, true},
		"a disk":                                  {disk, false},
		"an overlay whose changes go to memory":   {overlay("above", made(disk, "lower"), memory), true},
		"an overlay of memory":                    {overlay("below", made(memory, "lower"), disk), false},
		"an overlay that is not for writing":      {readOnly(t, made(disk, "read"), made(memory, "a"), made(memory, "b")), false},
		"an overlay whose layer is not seen here": {unseen(t, made(disk, "unseen"), memory), false},
	} {
		m, err := Find(c.at)
		if err != nil || m.InMemory() != c.want {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
}

// mount mounts until the test ends. Where it may not, the test is skipped.
func mount(t *testing.T, source, at, kind string, flags uintptr, options string) {
	t.Helper()
	if err := unix.Mount(source, at, kind, flags, options); err != nil {
		t.Skipf("mount %s at %s: %v", kind, at, err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(at, 0); err != nil {
			t.Error(err)
		}
	})
}

func readOnly(t *testing.T, at, a, b string) string {
	t.Helper()
	mount(t, "overlay", at, "overlay", 0, "lowerdir="+a+":"+b)
	return at
}

// unseen is an overlay whose layers were somewhere else when it was mounted.
func unseen(t *testing.T, at, memory string) string {
	t.Helper()
	dir := filepath.Join(memory, "hidden")
	for _, d := range []string{"l", "u", "w"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	mount(t, "overlay", at, "overlay", 0, fmt.Sprintf("lowerdir=%[1]s/l,upperdir=%[1]s/u,workdir=%[1]s/w", dir))
	if err := os.Rename(dir, dir+"-moved"); err != nil {
		t.Skip(err)
	}
	return at
}

// Devices are followed to their parts. No machine has all of them: here stand their
// directories below /sys.
func TestDevicesAreFollowed(t *testing.T) {
	memory, err := Find("/dev/shm")
	if err != nil || !memory.InMemory() {
		t.Skipf("/dev/shm is not in memory here: %v", err)
	}
	sys, disk := t.TempDir(), t.TempDir()
	on, err := Find(disk)
	if err != nil || on.InMemory() {
		t.Skipf("temporary files are in memory here: %v", err)
	}
	device := func(name string, files map[string]string, slaves ...string) string {
		t.Helper()
		at := filepath.Join(sys, name)
		for file, text := range files {
			file = filepath.Join(at, file)
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text+"\n"), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.MkdirAll(filepath.Join(at, "slaves"), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, s := range slaves {
			if err := os.Symlink(s, filepath.Join(at, "slaves", filepath.Base(s))); err != nil {
				t.Fatal(err)
			}
		}
		return at
	}
	zram, sda := device("zram0", nil), device("sda", map[string]string{"device/model": "ST4000"})
	loop := device("loop0", map[string]string{"loop/backing_file": "/dev/shm"})
	for name, c := range map[string]struct {
		sys  string
		want bool
	}{
		"a compressed disk in memory":   {zram, true},
		"its partition":                 {device("zram0/zram0p1", map[string]string{"partition": "1"}), true},
		"a disk in memory":              {device("ram3", nil), true},
		"a disk that keeps nothing":     {device("nullb0", nil), true},
		"a disk of the kernel's tests":  {device("sdq", map[string]string{"device/model": "scsi_debug"}), true},
		"a disk":                        {sda, false},
		"a disk with another name":      {device("rambus0", nil), false},
		"a file in memory":              {loop, true},
		"a file on a disk":              {device("loop1", map[string]string{"loop/backing_file": disk}), false},
		"a file that is not seen here":  {device("loop2", map[string]string{"loop/backing_file": "/nowhere (deleted)"}), false},
		"a mapping over memory":         {device("dm-0", nil, loop), true},
		"an array of memory":            {device("md0", nil, zram, loop), true},
		"an array of memory and a disk": {device("md1", nil, zram, sda), false},
		"a mapping over nothing":        {device("dm-1", nil), false},
	} {
		if got := deviceInMemory(c.sys, mostLayers); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
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
	here, err := Find(".")
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
		if got := NameFull(other, "file"); got != other { //nolint:errorlint // it is the same, unwrapped
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
