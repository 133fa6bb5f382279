package namespace

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/namespace/namespacetest"
)

// mounts counts the mounts at or below the directory.
func mounts(t *testing.T) (at, below int) {
	t.Helper()
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		switch path := strings.Fields(line)[4]; {
		case path == directory:
			at++
		case strings.HasPrefix(path, directory+"/"):
			below++
		}
	}
	return at, below
}

func remove(t *testing.T, name string) {
	t.Helper()
	if found, err := Remove(name); err != nil || !found {
		t.Errorf("remove %s: found %t, %v", name, found, err)
	}
	if _, below := mounts(t); below != 0 {
		t.Errorf("%d namespaces are left", below)
	}
	if files, err := os.ReadDir(directory); err != nil || len(files) != 0 {
		t.Errorf("files left: %v, %v", files, err)
	}
	if found, err := Remove(name); err != nil || found {
		t.Errorf("remove %s again: found %t, %v", name, found, err)
	}
}

func TestTheFirstIPCommandHidesNothing(t *testing.T) {
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("the program ip is not installed")
	}
	if !namespacetest.OnNewMachine(t) {
		return
	}
	if err := Make("ours"); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"netns", "add", "theirs"}, {"-n", "ours", "link"}, {"netns", "delete", "theirs"}} {
		if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
			t.Fatalf("ip %v: %v %s", args, err, out)
		}
	}
	if at, below := mounts(t); at != 1 || below != 1 {
		t.Errorf("%d mounts of the directory with %d namespaces, want one of each", at, below)
	}
	remove(t, "ours")
}

func TestANamespaceBelowLaterMountsIsRemoved(t *testing.T) {
	if !namespacetest.OnNewMachine(t) {
		return
	}
	for name, hide := range map[string]func() error{
		"by its own directory": func() error { return unix.Mount(directory, directory, "", unix.MS_BIND|unix.MS_REC, "") },
		"without its mounts":   func() error { return unix.Mount(directory, directory, "", unix.MS_BIND, "") },
		"by something else":    func() error { return unix.Mount("tmpfs", directory, "tmpfs", 0, "") },
	} {
		t.Run(name, func(t *testing.T) {
			if err := Make("hidden"); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := hide(); err != nil {
					t.Fatal(err)
				}
			}
			before, _ := mounts(t)
			remove(t, "hidden")
			if after, _ := mounts(t); after != before {
				t.Errorf("%d mounts of the directory became %d", before, after)
			}
			for range 2 {
				if err := unix.Unmount(directory, 0); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestProcessesPrepareTheDirectoryOnce(t *testing.T) {
	if name := os.Getenv("PLIMSOLL_TEST_MAKE"); name != "" {
		if err := Make(name); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !namespacetest.OnNewMachine(t) {
		return
	}
	var all []*exec.Cmd
	for i := range 8 {
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		c.Env = append(os.Environ(), fmt.Sprintf("PLIMSOLL_TEST_MAKE=n%d", i))
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	for i, c := range slices.Backward(all) {
		if err := c.Wait(); err != nil {
			t.Errorf("process %d: %v", i, err)
		}
	}
	if at, below := mounts(t); at != 1 || below != len(all) {
		t.Errorf("%d mounts of the directory with %d namespaces, want 1 with %d", at, below, len(all))
	}
	for i := range all {
		if found, err := Remove(fmt.Sprintf("n%d", i)); err != nil || !found {
			t.Errorf("n%d: found %t, %v", i, found, err)
		}
	}
}

func TestTheProcessStaysInItsNamespaces(t *testing.T) {
	if !namespacetest.OnNewMachine(t) {
		return
	}
	now := func() (all []string) {
		for _, kind := range []string{"net", "mnt"} {
			link, err := os.Readlink("/proc/self/ns/" + kind)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, link)
		}
		return all
	}
	before := now()
	for range 20 {
		if err := Make("name"); err != nil {
			t.Fatal(err)
		}
		remove(t, "name")
	}
	if after := now(); !slices.Equal(before, after) {
		t.Errorf("namespaces %v became %v", before, after)
	}
}
