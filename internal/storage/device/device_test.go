package device

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"plimsoll/internal/conformance/storagetest"
	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/storage"
	"plimsoll/test/quick"
)

func TestMain(m *testing.M) { storagetest.Main(m, nil) }

// loop returns an empty loop device of so many bytes.
func loop(t *testing.T, size int64) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("loop devices need root")
	}
	image := filepath.Join(t.TempDir(), "image")
	f, err := os.Create(image)
	if err == nil {
		err = errors.Join(f.Truncate(size), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	path := run(t, "losetup", "--find", "--show", image)
	t.Cleanup(func() { run(t, "losetup", "--detach", path) })
	return path
}

// run runs a program of the system; a test that lacks it is skipped.
func run(t *testing.T, name string, arguments ...string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("this machine has no %s", name)
	}
	out, err := exec.Command(path, arguments...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v: %s", name, arguments, err, out)
	}
	return strings.TrimSpace(string(out))
}

const size = 256 << 20

func TestConformance(t *testing.T) {
	devices := []string{loop(t, size), loop(t, size), loop(t, size)}
	storagetest.RunDevices(t, func(env storage.Env) (storage.Class, error) {
		p := &Parameters{Devices: devices, Destroy: true}
		if wrong := (Kind{}).Validate(p); len(wrong) > 0 {
			t.Fatalf("%+v", wrong)
		}
		if err := (Kind{}).Usable(p); err != nil {
			return nil, err
		}
		return Kind{}.New("raw", p, env)
	})
}

func TestParameters(t *testing.T) {
	for _, c := range []struct {
		p    Parameters
		want string
	}{
		{Parameters{Destroy: true}, "devices: lists no device"},
		{Parameters{Devices: []string{"/dev/sdx"}}, "destroy: must be true"},
		{Parameters{Devices: []string{"/etc/passwd"}, Destroy: true}, "is not the path of a device"},
		{Parameters{Devices: []string{"/dev/../etc/passwd"}, Destroy: true}, "is not the path of a device"},
		{Parameters{Devices: []string{"/dev/sdx", "/dev/./sdx"}, Destroy: true}, "listed twice"},
		{Parameters{Devices: []string{"/dev/sdx"}, Destroy: true, Width: -1}, "width: must be"},
	} {
		found := ""
		for _, e := range (Kind{}).Validate(&c.p) {
			found += e.Path + ": " + e.Text + "\n"
		}
		if !strings.Contains(found, c.want) {
			t.Errorf("%+v: %q, want %q", c.p, found, c.want)
		}
	}
}

// refused claims a device that must not be given.
func refused(t *testing.T, path string, want ...string) {
	t.Helper()
	f, err := claim(path)
	if err == nil {
		_ = f.Close()
		t.Fatalf("%s was taken although it holds or is %v", path, want)
	}
	for _, w := range append(want, path) {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
	t.Log(err)
}

func accepted(t *testing.T, path string) {
	t.Helper()
	f, err := claim(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsNoDevice(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, make([]byte, 4096), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, file, "not a block device")
	refused(t, "/dev/null", "not a block device")
	refused(t, "/dev/no-such-device", "lsblk")
}

func TestFileSystemsAreKept(t *testing.T) {
	quick.Skip(t, quick.Media)
	for _, c := range []struct{ tool, want string }{
		{"mkfs.ext4", "ext4"}, {"mkfs.xfs", "XFS"}, {"mkfs.btrfs", "Btrfs"}, {"mkswap", "swap"},
	} {
		t.Run(c.tool, func(t *testing.T) {
			path := loop(t, 512<<20)
			accepted(t, path)
			run(t, c.tool, path)
			refused(t, path, c.want, "wipefs -a")
		})
	}
}

func TestMountedDevicesAreKept(t *testing.T) {
	path, dir := loop(t, size), t.TempDir()
	run(t, "mkfs.ext4", "-q", path)
	if err := unix.Mount(path, dir, "ext4", 0, ""); err != nil {
		t.Skipf("cannot mount here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	refused(t, path, "mounted on "+dir, "umount")
}

func TestSwapIsKept(t *testing.T) {
	path := loop(t, size)
	run(t, "mkswap", path)
	if out, err := exec.Command("swapon", path).CombinedOutput(); err != nil {
		t.Skipf("cannot add swap here: %v: %s", err, out)
	}
	t.Cleanup(func() { run(t, "swapoff", path) })
	refused(t, path, "swap")
}

func TestDevicesInUseAreKept(t *testing.T) {
	path := loop(t, size)
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_EXCL, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	refused(t, path, "in use")
}

func TestAClaimedDeviceCannotBeTaken(t *testing.T) {
	path, dir := loop(t, size), t.TempDir()
	f, err := claim(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if other, err := os.OpenFile(path, os.O_RDWR|unix.O_EXCL, 0); err == nil {
		_ = other.Close()
		t.Error("another process could claim it")
	}
	if err := unix.Mount(path, dir, "ext4", 0, ""); !errors.Is(err, unix.EBUSY) {
		t.Errorf("mounting it gives %v", err)
	}
}

// put writes bytes to a device.
func put(t *testing.T, path string, offset int64, bytes []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteAt(bytes, offset)
		err = errors.Join(err, f.Sync(), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestEverySignatureIsFound(t *testing.T) {
	quick.Skip(t, quick.Media)
	path := loop(t, size)
	for _, s := range signatures() {
		at := medium{size: size}.absolute(s.offset)
		put(t, path, at, []byte(s.magic))
		f, err := claim(path)
		if err == nil {
			_ = f.Close()
			t.Errorf("%s at %d was not found", s.kind, s.offset)
		}
		put(t, path, at, make([]byte, len(s.magic)))
	}
	for _, at := range []int64{size - 64<<10, size - 8<<10} { // md 0.90 and 1.0
		put(t, path, at, []byte("\xfc\x4e\x2b\xa9"))
		refused(t, path, "md RAID")
		put(t, path, at, make([]byte, 4))
	}
	accepted(t, path)
}

func TestPartitionTablesAreKept(t *testing.T) {
	mbr := make([]byte, 512)
	mbr[510], mbr[511] = 0x55, 0xaa
	entry := mbr[446:]
	entry[4] = 0x83
	binary.LittleEndian.PutUint32(entry[8:], 2048)
	binary.LittleEndian.PutUint32(entry[12:], 4096)
	path := loop(t, size)
	put(t, path, 0, mbr)
	refused(t, path, "partition table (MBR)", "wipefs -a")
	put(t, path, 0, make([]byte, 512))
	put(t, path, 512, []byte("EFI PART"))
	refused(t, path, "GUID partition table")
	put(t, path, 512, make([]byte, 512))
	put(t, path, size-512, []byte("EFI PART"))
	refused(t, path, "copy of a GUID partition table")
}

// What holds a device shows below holders in /sys: LVM, md, dm-crypt.
func TestHeldDevicesAreKept(t *testing.T) {
	path := loop(t, size)
	name := fmt.Sprintf("plimsoll-test-%d", os.Getpid())
	if out, err := exec.Command("dmsetup", "create", name, "--table", fmt.Sprintf("0 %d linear %s 0", size/512, path)).CombinedOutput(); err != nil {
		t.Skipf("this machine has no device mapper: %v: %s", err, out)
	}
	t.Cleanup(func() { run(t, "dmsetup", "remove", name) })
	refused(t, path, "is part of dm-")
}

// Blocks that Plimsoll wrote hold whatever random bytes come: what looks like a
// signature within them is none, but what was written over them is.
func TestOwnBlocksAreNoSignature(t *testing.T) {
	path := loop(t, size)
	block := make([]byte, 4096)
	for offset := range int64(64) {
		blockcheck.Random(block, uint64(offset))
		if offset == 0 {
			copy(block[0x438:], "\x53\xef") // as if an ext4 file system were there
		}
		blockcheck.Stamp{Volume: 1, Offset: offset * 4096, Generation: 1}.Write(block)
		put(t, path, offset*4096, block)
	}
	accepted(t, path)
	put(t, path, 0x10040, []byte("_BHRfS_M"))
	refused(t, path, "Btrfs")
}

func TestDeviceThatVanishes(t *testing.T) {
	p := &Parameters{Devices: []string{loop(t, size), "/dev/no-such-device"}, Destroy: true}
	c, err := Kind{}.New("raw", p, storage.Env{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Up(t.Context()); err == nil || !strings.Contains(err.Error(), "no-such-device") {
		t.Errorf("%v", err)
	}
	accepted(t, p.Devices[0]) // the first one was given back
}
