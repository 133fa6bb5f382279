package machine

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test binary also runs the doctor as another user.
const helperVariable = "PLIMSOLL_MACHINE_HELPER"

func TestMain(m *testing.M) {
	if work := os.Getenv(helperVariable); work != "" {
		if json.NewEncoder(os.Stdout).Encode(Doctor(context.Background(), DoctorOptions{Work: work})) != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestInventoryDescribesThisMachine(t *testing.T) {
	m := Inventory(t.Context())
	if m.Cores < 1 || m.MemoryBytes < 64<<20 || m.Kernel == "" || m.OS == "" || m.Arch != runtime.GOARCH {
		t.Errorf("inventory = %+v", m)
	}
	if m.Root != (os.Geteuid() == 0) {
		t.Errorf("root = %t", m.Root)
	}
	if !slices.Contains([]string{"v1", "v2", "hybrid", "none"}, m.Cgroup) {
		t.Errorf("cgroup = %q", m.Cgroup)
	}
	seen := map[string]bool{}
	for _, fs := range m.FileSystems {
		if fs.Mount == "" || fs.Bytes <= 0 || fs.Free < 0 || seen[fs.Mount] {
			t.Errorf("file system %+v", fs)
		}
		seen[fs.Mount] = true
	}
	for _, d := range m.Disks {
		if d.Bytes <= 0 || strings.HasPrefix(d.Name, "loop") {
			t.Errorf("disk %+v", d)
		}
	}
	for name, version := range m.Programs {
		if version == "" || version == "unknown" {
			t.Errorf("program %s has version %q", name, version)
		}
	}
}

func TestAvailableMemoryIsPartOfTheWhole(t *testing.T) {
	if got, all := AvailableMemory(), meminfo()["MemTotal"]; got <= 0 || got > all {
		t.Errorf("%d bytes available of %d", got, all)
	}
}

func TestProgramsThatHangDoNotHangTheInventory(t *testing.T) {
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
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			got := versionOf(ctx, path, nil)
			if want := strings.Contains(script, "1.2.3"); (got == "1.2.3") != want {
				t.Errorf("version %q", got)
			}
			if ctx.Err() != nil {
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

func TestDoctorExplainsEveryLack(t *testing.T) {
	checks := Doctor(t.Context(), DoctorOptions{Work: t.TempDir()})
	names := map[string]bool{}
	for _, c := range checks {
		if c.Name == "" || c.Found == "" || names[c.Name] {
			t.Errorf("check %+v", c)
		}
		names[c.Name] = true
		if good := c.Status == OK; good != (c.Means == "") || good != (c.Fix == "") {
			t.Errorf("check %s is %s, yet means %q and is repaired by %q", c.Name, c.Status, c.Means, c.Fix)
		}
		if c.Status == Fail {
			t.Errorf("the tests run here, so the quickstart should: %+v", c)
		}
	}
}

func TestDoctorFailsWithoutAPlaceToWrite(t *testing.T) {
	checks := Doctor(t.Context(), DoctorOptions{Work: "/proc/no-such-place"})
	i := slices.IndexFunc(checks, func(c Check) bool { return c.Name == "work directory" })
	if checks[i].Status != Fail {
		t.Errorf("a work directory that cannot be written to: %+v", checks[i])
	}
}

func TestDoctorOfAPlainUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("changing the user needs root; TestDoctorExplainsEveryLack covers a plain user then")
	}
	work := t.TempDir()
	for _, dir := range []string{filepath.Dir(work), work} {
		if err := os.Chmod(dir, 0o777); err != nil { //nolint:gosec // another user writes there
			t.Fatal(err)
		}
	}
	const nobody = 65534
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), helperVariable+"="+work)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var checks []Check
	if err := json.Unmarshal(out, &checks); err != nil {
		t.Fatal(err)
	}
	status := map[string]Status{}
	for _, c := range checks {
		status[c.Name] = c.Status
		if c.Status == Fail {
			t.Errorf("the quickstart runs without root: %+v", c)
		}
	}
	for _, name := range []string{"root", "loop devices", "network namespaces"} {
		if status[name] != Warn {
			t.Errorf("%s of a plain user is %s", name, status[name])
		}
	}
}

func TestStealShare(t *testing.T) {
	for text, want := range map[string]float64{
		"cpu  10 0 10 60 0 0 0 20 0 0\ncpu0 1 1": 0.2,
		"cpu  0 0 0 0 0 0 0 0 0 0":               0,
		"cpu  1 2":                               0,
		"":                                       0,
	} {
		if got := stealShare(text); got != want {
			t.Errorf("%q: %g, want %g", text, got, want)
		}
	}
}

func TestSmallParts(t *testing.T) {
	if got := chosen("none [mq-deadline] kyber"); got != "mq-deadline" {
		t.Errorf("chosen scheduler %q", got)
	}
	if got := chosen("60"); got != "60" {
		t.Errorf("a value without choice %q", got)
	}
	if got := unescape(`/mnt/my\040disk`); got != "/mnt/my disk" {
		t.Errorf("unescaped %q", got)
	}
	for _, c := range []struct {
		path, dir string
		want      bool
	}{{"/a/b", "/a", true}, {"/ab", "/a", false}, {"/a", "/a", true}, {"/x", "/", true}} {
		if below(c.path, c.dir) != c.want {
			t.Errorf("below(%q, %q) = %t", c.path, c.dir, !c.want)
		}
	}
}
