package local_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform/local"
	"plimsoll/internal/platform/local/localtest"
	"plimsoll/internal/storage"
)

// machine is the state that a run must leave unchanged: the list of accounts and the mounts
// over it.
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

// Servers that root starts are users of their own.
func TestEveryRunHasUsersOfItsOwn(t *testing.T) {
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

// claimed is the first user of a block that the test reserves until it ends.
func claimed(t *testing.T) int {
	t.Helper()
	for first := 61184; first < 65000; first += local.BlockSize {
		if claim, err := local.ClaimBlock(first); err == nil {
			t.Cleanup(func() { claim.Close() })
			return first
		}
	}
	t.Fatal("no users can be claimed")
	return 0
}

func TestAUserThatIsInUseIsNotClaimed(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root runs servers as another user")
	}
	id := claimed(t) + 3
	orphan := exec.CommandContext(t.Context(), "sleep", "600") // as a server that outlived its run
	orphan.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(id), Gid: uint32(id)}}
	if err := orphan.Start(); err != nil {
		t.Fatal(err)
	}
	if free, err := local.Unused(id - 3); err != nil || slices.Contains(free, id) || !slices.Contains(free, id+1) {
		t.Errorf("users %v are free beside %d, %v", free, id, err)
	}
	if free, err := local.Unused(0); err != nil || slices.Contains(free, 0) || slices.Contains(free, 1) {
		t.Errorf("users %v are free although the machine has accounts for 0 and 1, %v", free, err)
	}
	_ = orphan.Process.Kill()
	_ = orphan.Wait()
	if free, err := local.Unused(id - 3); err != nil || !slices.Contains(free, id) {
		t.Errorf("user %d is taken after its last process: %v, %v", id, free, err)
	}
}

func TestUsersAreGivenBack(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root runs servers as another user")
	}
	p, err := local.New(localtest.Env(t))
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := p.User("db-000")
	first := uid - (uid-61184)%local.BlockSize
	if claim, err := local.ClaimBlock(first); err == nil {
		claim.Close()
		t.Errorf("user %d was claimed twice", uid)
	}
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	claim, err := local.ClaimBlock(first)
	if err != nil {
		t.Fatalf("after the end of its run: %v", err)
	}
	claim.Close()
}

// Two runs at once and all of their servers are users of their own, whom the machine does
// not know; a name keeps its user, and so many names later there are no new ones.
func TestManyServersHaveUsersOfTheirOwn(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root runs servers as another user")
	}
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	whose := map[int]string{}
	for _, run := range []string{"a", "b"} {
		users, err := local.ClaimUsers(log)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := users.Release(); err != nil {
				t.Error(err)
			}
		})
		for n := range 2 * local.BlockSize {
			name := fmt.Sprintf("%s-%d", run, n)
			uid := users.UID(name)
			if whose[uid] != "" || uid < 61184 || uid > 65519 {
				t.Fatalf("%s is user %d, as is %q", name, uid, whose[uid])
			}
			if _, err := user.LookupId(strconv.Itoa(uid)); err == nil {
				t.Errorf("the machine has an account of user %d", uid)
			}
			whose[uid] = name
		}
		if n := run + "-7"; whose[users.UID(n)] != n {
			t.Errorf("%s has become user %d", n, users.UID(n))
		}
		if run == "b" {
			continue
		}
		seen := map[int]bool{}
		for n := range 3 * local.MostUsers {
			seen[users.UID(fmt.Sprint("later ", n))] = true
		}
		if len(seen) > local.MostUsers+local.BlockSize {
			t.Errorf("a run has %d users", len(seen))
		}
	}
}

// A server that was broken into gets to the sockets of those that it uses, and to nothing
// else of other servers: not their files, not their volumes, not their processes.
func TestABrokenIntoServerHasNothingOfOthers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root runs servers as another user")
	}
	p := localtest.Platform(t)
	defer func() {
		if err := p.Close(context.Background()); err != nil { // the test's own context has ended
			t.Error(err)
		}
	}()
	start := func(name string, v storage.Volume, peers ...endpoint.Endpoint) (endpoint.Endpoint, int) {
		s := app.Server{Name: name, Unprivileged: true, Socket: "way.sock", Stop: "TERM", Peers: peers,
			Command: []string{"/bin/sleep", "600"},
			Files:   []app.File{{Path: "${RUNTIME}/password", Content: "secret", Mode: 0o640}}}
		s.Ready = func(_ context.Context, e endpoint.Endpoint) error {
			way, err := net.Listen("unix", e.Address)
			if err != nil {
				return err
			}
			t.Cleanup(func() { way.Close() })
			return os.Chmod(e.Address, 0o666) // as databases do
		}
		proc, err := p.Start(t.Context(), s, v)
		if err != nil {
			t.Fatal(err)
		}
		return proc.Endpoint(), proc.(interface{ PIDs() []int }).PIDs()[0]
	}
	v := localtest.Volume(t, p, "db")
	if err := os.WriteFile(filepath.Join(v.Path, "table"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	db, dbPID := start("db", v)
	php, phpPID := start("php", storage.Volume{}, db)
	_, webPID := start("web", storage.Volume{}, php)
	_, otherPID := start("db-of-another-instance", localtest.Volume(t, p, "other"))
	dial := func(e endpoint.Endpoint) error {
		conn, err := net.Dial(e.Network, e.Address)
		if err == nil {
			conn.Close()
		}
		return err
	}
	for _, c := range []struct {
		who       string
		pid       int
		db, php   bool // whose sockets it may use
		signalled []int
	}{
		{"php", phpPID, true, true, []int{dbPID, webPID, otherPID}}, // of its own it is the master
		{"web", webPID, false, true, []int{dbPID, phpPID, otherPID}},
		{"another instance", otherPID, false, false, []int{dbPID, phpPID, webPID}},
	} {
		err := localtest.AsProcess(t, c.pid, func() (err error) {
			for e, may := range map[endpoint.Endpoint]bool{db: c.db, php: c.php} {
				if dialErr := dial(e); (dialErr == nil) != may {
					err = errors.Join(err, fmt.Errorf("to %s: %w", e.Address, dialErr))
				}
			}
			of := filepath.Dir(db.Address)
			for _, path := range []string{of, of + "/password", v.Path, v.Path + "/table"} {
				if f, openErr := os.Open(path); openErr == nil {
					f.Close()
					err = errors.Join(err, fmt.Errorf("it opens %s", path))
				}
			}
			if os.WriteFile(of+"/mine", nil, 0o600) == nil {
				err = errors.Join(err, fmt.Errorf("it writes to %s", of))
			}
			for _, pid := range c.signalled {
				if killErr := unix.Kill(pid, 0); killErr != unix.EPERM {
					err = errors.Join(err, fmt.Errorf("it may signal %d: %w", pid, killErr))
				}
			}
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", c.who, err)
		}
	}
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
