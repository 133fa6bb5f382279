package disk_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/conformance/storagetest"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/disk"
	"plimsoll/test/quick"
)

// flushRecords appends records to a file and flushes each.
func flushRecords(t *testing.T, path string, count int) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range count {
		if err := binary.Write(f, binary.LittleEndian, uint64(i+1)); err != nil {
			t.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			t.Fatal(err)
		}
	}
}

// leaveUnflushed writes past the page cache and flushes nothing.
func leaveUnflushed(t *testing.T, path string) {
	t.Helper()
	const size = 4 << 10
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|unix.O_DIRECT, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	// Memory of its own mapping is aligned as direct I/O wants it.
	buffer, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(buffer) }()
	for i := range int64(50) {
		if _, err := f.WriteAt(buffer, i*size); err != nil {
			t.Fatal(err)
		}
	}
}

// powerCycle flushes records on a new volume of a class, cuts the power and returns any
// defect found afterwards.
func powerCycle(t *testing.T, class storage.Class, seed uint64) (loss storage.PowerLoss, wrong error) {
	t.Helper()
	v, err := class.Provision(t.Context(), storage.Claim{Name: fmt.Sprintf("volume-%d", seed)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := class.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	const records = 50
	path := filepath.Join(v.Path, "records")
	flushRecords(t, path, records)
	leaveUnflushed(t, filepath.Join(v.Path, "unflushed"))
	cutter := class.Capabilities().Power
	if loss, err = cutter.CutPower(t.Context(), "", seed); err != nil {
		t.Fatal(err)
	}
	if f, err := os.OpenFile(path, os.O_WRONLY|os.O_SYNC, 0); err == nil {
		if _, err := f.Write([]byte("x")); err == nil {
			t.Error("a medium without power takes data")
		}
		_ = f.Close()
	}
	if err := cutter.RestorePower(t.Context()); err != nil {
		return loss, err
	}
	return loss, storagetest.CheckRecords(path, records)
}

// A medium that acknowledges flushes falsely is caught: acknowledged data is missing, or
// its file system does not come back.
func TestPowerCutCatchesLies(t *testing.T) {
	quick.Skip(t, quick.Media)
	for _, fs := range []string{"xfs", "ext4", "btrfs"} {
		t.Run(fs, func(t *testing.T) {
			// The losses of one cut are random; a new medium for each.
			for seed := range uint64(5) {
				class, _ := up(t, fmt.Sprintf("lies-%s-%d-test", fs, seed), &disk.Parameters{Media: "ssd-sas", FileSystem: fs, Lies: true})
				loss, wrong := powerCycle(t, class, seed)
				t.Logf("seed %d: %s; %v", seed, loss, wrong)
				if wrong != nil {
					return
				}
			}
			t.Error("five power cuts did not show that the medium lies")
		})
	}
}

// What was not flushed may be lost, and a medium that keeps its word loses
// nothing else, power cut after power cut.
func TestPowerCutKeepsPromises(t *testing.T) {
	quick.Skip(t, quick.Media)
	for _, fs := range []string{"xfs", "ext4", "btrfs"} {
		t.Run(fs, func(t *testing.T) {
			volatile := false
			class, _ := up(t, "power-"+fs+"-test", &disk.Parameters{Media: "ssd-sas", FileSystem: fs, Protected: &volatile})
			for seed := range uint64(3) {
				loss, wrong := powerCycle(t, class, seed)
				if t.Logf("seed %d: %s", seed, loss); wrong != nil || loss.Lost == 0 {
					t.Errorf("%d writes lost; %v", loss.Lost, wrong)
				}
			}
		})
	}
}

// A copy of the mount in another mount namespace keeps the old file system alive after the
// cut: power returns only when the copy is gone, and the error names its holder.
func TestPowerWaitsForOtherNamespaces(t *testing.T) {
	quick.Skip(t, quick.Media)
	class, _ := up(t, "held-test", &disk.Parameters{Media: "ssd-sas"})
	cutter := class.Capabilities().Power
	who, end := held(t)
	if _, err := cutter.CutPower(t.Context(), "", 1); err != nil {
		t.Fatal(err)
	}
	impatient, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := cutter.RestorePower(impatient); err == nil || !strings.Contains(err.Error(), who) {
		t.Errorf("%q is not said: %v", who, err)
	}
	end()
	if err := cutter.RestorePower(t.Context()); err != nil {
		t.Error(err)
	}
}

// held has another mount namespace hold copies of all mounts until it is ended. It returns
// the name that an error should have.
func held(t *testing.T) (who string, end func()) {
	t.Helper()
	holder := exec.Command("unshare", "--mount", "--propagation", "private", "sleep", "600")
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	end = sync.OnceFunc(func() {
		_ = holder.Process.Kill()
		_ = holder.Wait()
	})
	t.Cleanup(end)
	for copied := false; !copied; time.Sleep(10 * time.Millisecond) {
		name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", holder.Process.Pid))
		copied = string(name) == "sleep\n"
	}
	return fmt.Sprintf("the mount namespace of sleep (pid %d)", holder.Process.Pid), end
}
