package journal_test

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"plimsoll/internal/host/flock"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/platform/local/localtest"
)

// Another user of the machine shuts nobody out of his run, nor out of the machine's unique
// resources: neither by a name that the kernel gives to whoever comes first, nor by taking
// the lock.
func TestStrangersClaimNothing(t *testing.T) {
	id, numbers := journal.NewRunID("strangers"), "test-"+journal.NewRunID("numbers")
	for what, take := range map[string]func() (interface{ Close() error }, error){
		journal.Name(id): func() (interface{ Close() error }, error) { return journal.Claim(id) },
		numbers:          func() (interface{ Close() error }, error) { return journal.Reserve(numbers) },
	} {
		err := localtest.AsOther(t, func() error {
			if taken, err := take(); err == nil {
				t.Errorf("another user took %s", what)
				taken.Close()
			}
			held, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Net: "unixgram", Name: "@" + what})
			if err == nil {
				t.Cleanup(func() { held.Close() })
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		mine, err := take()
		if err != nil {
			t.Fatalf("%s, of which another user holds the name: %v", what, err)
		}
		if _, err := take(); !errors.Is(err, journal.ErrClaimed) && !errors.Is(err, flock.ErrTaken) {
			t.Errorf("%s was taken twice: %v", what, err)
		}
		if err := mine.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A process with the marker of a run is a stray unless somebody works on that run: its owner,
// or root. That a third user has a file open that is called like the lock says nothing.
func TestStrangersMakeNoRunOneInProgress(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root starts processes as other users")
	}
	const owner, third = 65532, 65531
	for who, c := range map[string]struct {
		uid   uint32
		stray bool
	}{"its owner": {owner, false}, "root": {0, false}, "a third user": {third, true}} {
		id := journal.NewRunID("worked-on")
		dir := filepath.Join(t.TempDir(), "machine-of-"+id)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		lock, err := os.Create(filepath.Join(dir, id+flock.Suffix))
		if err != nil {
			t.Fatal(err)
		}
		marked := sleeping(t, owner, nil, journal.MarkerVariable+"="+id+"/server")
		found := func() bool {
			return slices.ContainsFunc(journal.Strays(nil), func(s journal.Stray) bool { return s.RunID == id })
		}
		if err := lock.Close(); err != nil {
			t.Fatal(err)
		}
		if !found() {
			t.Fatalf("process %d is no stray while nobody works on its run", marked)
		}
		if lock, err = os.Open(lock.Name()); err != nil {
			t.Fatal(err)
		}
		sleeping(t, c.uid, lock)
		lock.Close()
		if found() != c.stray {
			t.Errorf("it is a stray while %s has its lock open: %t", who, !c.stray)
		}
	}
}

// sleeping is a process of a user, which has a file open, until the end of the test.
func sleeping(t *testing.T, uid uint32, open *os.File, environ ...string) (pid int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sleep", "600")
	cmd.Env = environ
	if open != nil {
		cmd.ExtraFiles = []*os.File{open}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	if err := cmd.Start(); err != nil { // it has become the program by then
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it lives until here
		_ = cmd.Wait()
	})
	return cmd.Process.Pid
}
