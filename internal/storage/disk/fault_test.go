package disk_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/disk"
	"plimsoll/test/quick"
)

// up brings a class up in an environment of its own, in a run named after the test.
func up(t *testing.T, test string, p *disk.Parameters) (storage.Class, storage.Env) {
	t.Helper()
	needsMedia(t, p)
	dir, runID := t.TempDir(), journal.NewRunID(test)
	j, err := journal.Open(filepath.Join(dir, "journal.jsonl"), runID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	env := storage.Env{
		RunID: runID, Scratch: filepath.Join(dir, runID), Journal: j,
		Executable: executable, Log: slog.New(slog.DiscardHandler), PowerCuts: true,
	}
	class, err := disk.Kind{}.New("sim", p, env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
		defer cancel()
		if err := class.Down(ctx); err != nil {
			t.Error(err)
		}
		for _, left := range journal.Leftovers(runID) {
			t.Errorf("left behind: %s", left)
		}
	})
	if err := class.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	return class, env
}

// killMedium ends the medium's process as a crash would.
func killMedium(t *testing.T, runID string) {
	t.Helper()
	found := journal.Processes(runID)
	if len(found) != 1 {
		t.Fatalf("the run has the processes %v, one was expected", found)
	}
	process, err := os.FindProcess(found[0].PID)
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Kill(); err != nil {
		t.Fatal(err)
	}
}

// A medium dies when its process is killed: its users get errors, nothing hangs, and the
// remains can be removed.
func TestMediumKilled(t *testing.T) {
	quick.Skip(t, quick.Media)
	for _, fs := range []string{"xfs", "ext4"} {
		t.Run(fs, func(t *testing.T) {
			class, env := up(t, "kill-"+fs+"-test", &disk.Parameters{Media: "ssd-sas", FileSystem: fs})
			v, err := class.Provision(t.Context(), storage.Claim{Name: "one"})
			if err != nil {
				t.Fatal(err)
			}
			f, err := os.Create(filepath.Join(v.Path, "file"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			killMedium(t, env.RunID)
			deadline := time.Now().Add(time.Minute)
			for _, err = f.WriteString("x"); err == nil; _, err = f.WriteString("x") {
				if err = f.Sync(); err != nil {
					break
				}
				if time.Now().After(deadline) {
					t.Fatal("the dead medium goes on taking data")
				}
			}
			t.Logf("its user sees: %v", err)
			if _, err := class.Provision(t.Context(), storage.Claim{Name: "two"}); err == nil || !strings.Contains(err.Error(), "has ended") {
				t.Errorf("a dead medium makes volumes: %v", err)
			}
			if err := class.Delete(t.Context(), v); err != nil {
				t.Errorf("delete a volume of a dead medium: %v", err)
			}
			if err := f.Close(); err != nil {
				t.Logf("close: %v", err)
			}
		})
	}
}

// A volume that is still in use, such as by a server that hangs, is named with
// its user; when that is gone the rest goes too.
func TestDownWhileInUse(t *testing.T) {
	class, _ := up(t, "busy-test", &disk.Parameters{Media: "ssd-sas"})
	v, err := class.Provision(t.Context(), storage.Claim{Name: "one"})
	if err != nil {
		t.Fatal(err)
	}
	user := exec.Command("sleep", "600")
	user.Dir = v.Path
	if err := user.Start(); err != nil {
		t.Fatal(err)
	}
	impatient, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	err = class.Down(impatient)
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("sleep (pid %d)", user.Process.Pid)) {
		t.Errorf("taken down while in use: %v", err)
	}
	if err := user.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = user.Wait()
}

const holderCommand = "hold-a-class"

// hold is a Plimsoll that has a class up, with data on it that is not written
// back, until it is killed.
func hold(ctx context.Context, arguments []string) error {
	runID, dir := arguments[0], arguments[1]
	j, err := journal.Open(filepath.Join(dir, "journal.jsonl"), runID)
	if err != nil {
		return err
	}
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	class, err := disk.Kind{}.New("sim", &disk.Parameters{Media: "hdd-7200", Image: "memory"},
		storage.Env{RunID: runID, Scratch: filepath.Join(dir, runID), Journal: j, Executable: executable})
	if err != nil {
		return err
	}
	if err := class.Up(ctx); err != nil {
		return err
	}
	v, err := class.Provision(ctx, storage.Claim{Name: "one"})
	if err != nil {
		return err
	}
	if _, err := class.Settle(ctx); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(v.Path, "data"), make([]byte, 32<<20), 0o600); err != nil {
		return err
	}
	fmt.Println("ready")
	<-ctx.Done()
	return nil
}

// After kill -9 of Plimsoll the journal alone is enough to remove everything,
// and the medium, nobody's any more, does not delay it with simulated times.
func TestPlimsollKilled(t *testing.T) {
	quick.Skip(t, quick.Media)
	needsMedia(t, &disk.Parameters{})
	dir, runID := t.TempDir(), journal.NewRunID("killed-test")
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	plimsoll := exec.CommandContext(t.Context(), executable, holderCommand, runID, dir)
	plimsoll.Stderr = os.Stderr
	out, err := plimsoll.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := plimsoll.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("wait for the class: %v", err)
	}
	if err := plimsoll.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = plimsoll.Wait()
	if left := journal.Leftovers(runID); len(left) < 3 {
		t.Errorf("a killed Plimsoll leaves its process, mounts and loop device, found %v", left)
	}
	state, err := journal.Read(filepath.Join(dir, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	state.RunID = runID
	for _, r := range journal.Sweep(t.Context(), state) {
		if r.Err != nil {
			t.Errorf("sweep %s: %v", r.Object, r.Err)
		}
	}
	for _, left := range journal.Leftovers(runID) {
		t.Errorf("left behind: %s", left)
	}
	if left, _ := filepath.Glob("/dev/shm/*" + runID + "*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestUpSaysWhatFailed(t *testing.T) {
	p := &disk.Parameters{Media: "ssd-sas", MountOptions: "no-such-option"}
	needsMedia(t, p)
	runID := journal.NewRunID("bad-option-test")
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	class, err := disk.Kind{}.New("sim", p, storage.Env{RunID: runID, Scratch: filepath.Join(t.TempDir(), runID), Executable: executable})
	if err != nil {
		t.Fatal(err)
	}
	if err := class.Up(t.Context()); err == nil || !strings.Contains(err.Error(), "no-such-option") {
		t.Errorf("an unknown mount option: %v", err)
	}
	if err := class.Down(t.Context()); err != nil {
		t.Error(err)
	}
	if left := journal.Leftovers(runID); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
