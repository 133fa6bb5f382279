package doctor

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/test/quick"
)

func TestMergeJoinsWhatALackMeans(t *testing.T) {
	got := Merge([]Check{
		{Name: "FUSE", Status: Warn, Found: "missing", Means: "no disks", Fix: "modprobe fuse"},
		{Name: "clock", Status: OK, Found: "tsc", Means: "slow", Fix: "another"},
		{Name: "FUSE", Status: Warn, Found: "missing", Means: "no pools", Fix: "modprobe fuse"},
		{Name: "FUSE", Status: Warn, Found: "missing", Means: "no pools", Fix: "modprobe fuse"},
		{Name: "clock", Status: Warn, Found: "hpet", Means: "slow", Fix: "tsc"},
	})
	want := []Check{
		{Name: "FUSE", Status: Warn, Found: "missing", Means: "no disks; no pools", Fix: "modprobe fuse"},
		{Name: "clock", Status: Warn, Found: "hpet", Means: "slow", Fix: "tsc"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestInstalledNamesThePackagesOfWhatIsMissing(t *testing.T) {
	c := Installed("tools", "all there", "no work", map[string]string{
		"sh": "dash", "no-such-program-1": "one", "no-such-program-2": "one",
	})
	if c.Status != Warn || c.Found != "not installed: no-such-program-1, no-such-program-2" || !strings.Contains(c.Fix, " one") || strings.Contains(c.Fix, "one one") {
		t.Errorf("%+v", c)
	}
	if c := Installed("tools", "all there", "no work", map[string]string{"sh": "dash"}); c.Status != OK || c.Found != "all there" {
		t.Errorf("%+v", c)
	}
}

func TestProgramsThatHangDoNotHangTheInventory(t *testing.T) {
	quick.Skip(t, quick.Commands)
	for name, script := range map[string]string{
		"never answers":             "#!/bin/sh\nsleep 600 & echo $! > \"$0.pid\"; wait\n",
		"leaves a child behind":     "#!/bin/sh\nsleep 600 & echo $! > \"$0.pid\"\necho version 1.2.3\n",
		"prints nothing and fails":  "#!/bin/sh\nexit 1\n",
		"answers although it fails": "#!/bin/sh\necho 1.2.3 >&2; exit 1\n",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "program")
			if err := os.WriteFile(path, []byte(script), 0o700); err != nil { //nolint:gosec // it must be executable
				t.Fatal(err)
			}
			patience := time.Minute
			if name == "never answers" {
				patience = 2 * time.Second
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			got := versionOf(ctx, path)
			if want := strings.Contains(script, "1.2.3"); (got == "1.2.3") != want {
				t.Errorf("version %q", got)
			}
			if patience == time.Minute && ctx.Err() != nil {
				t.Error("it took a minute")
			}
			if pid, err := os.ReadFile(path + ".pid"); err == nil && running(strings.TrimSpace(string(pid))) {
				t.Errorf("its child %s is still running", pid)
			}
		})
	}
}

// running gives the kernel a moment to end what was killed.
func running(pid string) bool {
	for range 100 {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return false
		}
		time.Sleep(50 * time.Millisecond)
	}
	return true
}
