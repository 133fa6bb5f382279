package local_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"plimsoll/internal/app"
	"plimsoll/internal/platform/local"
	"plimsoll/internal/platform/local/localtest"
)

// machine is what must be as it was after a run: the list of accounts and what
// is mounted over it.
func machine(t *testing.T) string {
	t.Helper()
	accounts, err := os.ReadFile("/etc/passwd")
	if err != nil {
		t.Fatal(err)
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	return string(accounts) + strconv.Itoa(strings.Count(string(mounts), "passwd"))
}

// Servers that root starts are users of their run's own.
func TestEveryRunHasAUserOfItsOwn(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root runs servers as another user")
	}
	before := machine(t)
	ran := map[string]bool{}
	for _, name := range []string{"first", "second"} {
		p, err := local.New(localtest.Env(t))
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := p.Close(context.Background()); err != nil { // the test's own context has ended
				t.Error(err)
			}
		}()
		v := localtest.Volume(t, p, name)
		s := app.Server{Name: name, Unprivileged: true, Named: true,
			Command: []string{"/bin/sh", "-c", `id -u > "${VOLUME}/uid"; id -un >> "${VOLUME}/uid"`}}
		if err := p.Run(t.Context(), s, v); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(v.Path + "/uid")
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Fields(string(text))
		if uid, err := strconv.Atoi(lines[0]); err != nil || uid < 61184 || uid > 65519 || lines[1] != "plimsoll" {
			t.Errorf("a server ran as %v", lines)
		}
		ran[lines[0]] = true
	}
	if len(ran) != 2 {
		t.Errorf("two runs at once had the users %v", ran)
	}
	if machine(t) != before {
		t.Error("the accounts of the machine or the mounts over them have changed")
	}
}

// claimed is a user that no run beside the test takes until it ends.
func claimed(t *testing.T) int {
	t.Helper()
	for id := 61200; id < 61300; id++ {
		if claim, err := local.ClaimID(id); err == nil {
			t.Cleanup(func() { claim.Close() })
			return id
		}
	}
	t.Fatal("no user can be claimed")
	return 0
}

func TestAUserThatIsInUseIsNotClaimed(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root runs servers as another user")
	}
	id := claimed(t)
	orphan := exec.CommandContext(t.Context(), "sleep", "600") // as a server that outlived its run
	orphan.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(id), Gid: uint32(id)}}
	if err := orphan.Start(); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[int]bool{id: true, 0: true} {
		if taken, err := local.Taken(id); err != nil || taken != want {
			t.Errorf("user %d taken: %t, %v", id, taken, err)
		}
	}
	_ = orphan.Process.Kill()
	_ = orphan.Wait()
	if taken, err := local.Taken(id); err != nil || taken {
		t.Errorf("user %d taken after its last process: %t, %v", id, taken, err)
	}
}

func TestAUserIsGivenBack(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root runs servers as another user")
	}
	p, err := local.New(localtest.Env(t))
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := p.User()
	if claim, err := local.ClaimID(uid); err == nil {
		claim.Close()
		t.Errorf("user %d was claimed twice", uid)
	}
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	claim, err := local.ClaimID(uid)
	if err != nil {
		t.Fatalf("after the end of its run: %v", err)
	}
	claim.Close()
}

// A program with a mount table of its own must not keep the disks of others
// from going.
func TestAProgramWithANameHoldsNoOtherDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root runs servers as another user")
	}
	p, err := local.New(localtest.Env(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(context.Background()); err != nil { // the test's own context has ended
			t.Error(err)
		}
	})
	disk := filepath.Join(t.TempDir(), "plimsoll-other")
	if err := os.Mkdir(disk, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(disk, unix.MNT_DETACH) })
	v := localtest.Volume(t, p, "table")
	s := app.Server{Name: "table", Unprivileged: true, Named: true,
		Command: []string{"/bin/sh", "-c", `cat /proc/self/mountinfo > "${VOLUME}/table"`}}
	if err := p.Run(t.Context(), s, v); err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile(filepath.Join(v.Path, "table"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(table), disk) || !strings.Contains(string(table), "/etc/passwd") {
		t.Errorf("the program's mount table:\n%s", table)
	}
}
