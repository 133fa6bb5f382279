package nfs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestOptionsOfTheKernelsClient(t *testing.T) {
	c := Config{Address: "10.199.0.1:2050", MountAddress: "10.199.0.1:2051", Export: "/db-000", Path: "/x", Kernel: true}
	source, options, err := c.kernelOptions()
	if err != nil {
		t.Fatal(err)
	}
	if source != "10.199.0.1:/db-000" {
		t.Errorf("source %s", source)
	}
	want := "vers=3,proto=tcp,addr=10.199.0.1,port=2050,mountproto=tcp,mountaddr=10.199.0.1,mountport=2051,hard,nolock,sec=sys"
	if options != want {
		t.Errorf("options\n%s, want\n%s", options, want)
	}
	for _, bad := range []Config{
		{Address: "10.199.0.1", MountAddress: "10.199.0.1:2051"},
		{Address: "10.199.0.1:2050", MountAddress: "10.199.0.1"},
		{Address: "[fd00::1]:2050", MountAddress: "[fd00::1]:2051"},
	} {
		if _, _, err := bad.kernelOptions(); err == nil {
			t.Errorf("accepted %+v", bad)
		}
	}
}

// The kernel's own list decides whether it was detected rightly.
func TestTheKernelsClientIsDetected(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root may ask the kernel for a file system")
	}
	found := KernelClient() // loads it, if it is a module
	list, err := os.ReadFile("/proc/filesystems")
	if err != nil {
		t.Fatal(err)
	}
	listed := false
	for line := range strings.Lines(string(list)) {
		listed = listed || strings.TrimSpace(strings.TrimPrefix(line, "nodev")) == "nfs"
	}
	if found != listed {
		t.Errorf("found %t, but the kernel's list says %t", found, listed)
	}
}

func TestAKernelWithoutClientRefuses(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root mounts")
	}
	if KernelClient() {
		t.Skip("this kernel has an NFS client")
	}
	c := Config{Address: "127.0.0.1:2050", MountAddress: "127.0.0.1:2051", Export: "/x", Path: t.TempDir(), Kernel: true}
	path := filepath.Join(t.TempDir(), "config.json")
	must(t, c.Write(path))
	if err := Main(t.Context(), path); err == nil || !strings.Contains(err.Error(), "this kernel has no NFS client") {
		t.Errorf("error: %v", err)
	}
}

func TestTheKernelsClientServesFiles(t *testing.T) {
	if os.Geteuid() == 0 && !KernelClient() {
		t.Skip("this kernel has no NFS client")
	}
	s := newServer(t)
	s.kernel = true
	path := s.mounted(0)
	var st unix.Statfs_t
	must(t, unix.Statfs(path, &st))
	if st.Type != unix.NFS_SUPER_MAGIC {
		t.Errorf("mounted as a file system of type %x", st.Type)
	}
	must(t, os.WriteFile(filepath.Join(path, "file"), []byte("load line"), 0o600))
	if text, err := os.ReadFile(filepath.Join(s.export, "file")); err != nil || string(text) != "load line" {
		t.Errorf("the server has %q, %v", text, err)
	}
}

// Whatever the mount is, its watcher ends with it.
func TestTheEndOfAMountIsSeen(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root mounts")
	}
	dir := t.TempDir()
	must(t, unix.Mount("tmpfs", dir, "tmpfs", 0, ""))
	done := make(chan error, 1)
	go func() { done <- awaitUnmount(dir) }()
	select {
	case err := <-done:
		t.Fatalf("ended while it was mounted: %v", err)
	case <-time.After(200 * time.Millisecond):
	}
	must(t, unix.Unmount(dir, 0))
	must(t, <-done)
}
