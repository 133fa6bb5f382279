package machine

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"plimsoll/internal/app/mariadb"
	"plimsoll/internal/app/postgres"
	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/storage/directory"
	"plimsoll/internal/storage/disk"
	"plimsoll/internal/storage/gluster"
)

// The test binary also runs the doctor as another user.
const helperVariable = "PLIMSOLL_MACHINE_HELPER"

// It also says what else can be used.
const containedVariable = "PLIMSOLL_MACHINE_CONTAINED"

// kinds have checks of every sort.
func kinds() []doctor.Checker {
	return []doctor.Checker{postgres.Engine{}, mariadb.Engine{}, directory.Kind{}, disk.Kind{}, gluster.Kind{}}
}

func TestMain(m *testing.M) {
	if work := os.Getenv(helperVariable); work != "" {
		var found any = Doctor(context.Background(), DoctorOptions{Work: work, Checkers: kinds()})
		if os.Getenv(containedVariable) != "" {
			memory, _ := UsableMemory()
			found = looked{
				Checks:    Doctor(context.Background(), DoctorOptions{Work: work}),
				Inventory: Inventory(context.Background(), nil), Cores: UsableCores(), Memory: memory, Notes: LimitTexts(),
			}
		}
		if json.NewEncoder(os.Stdout).Encode(found) != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestInventoryDescribesThisMachine(t *testing.T) {
	m := Inventory(t.Context(), kinds())
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

func TestDoctorExplainsEveryLack(t *testing.T) {
	checks := Doctor(t.Context(), DoctorOptions{Work: t.TempDir(), Checkers: kinds()})
	names := map[string]bool{}
	for _, c := range checks {
		if c.Name == "" || c.Found == "" || names[c.Name] {
			t.Errorf("check %+v", c)
		}
		names[c.Name] = true
		if good := c.Status == doctor.OK; good != (c.Means == "") || good != (c.Fix == "") {
			t.Errorf("check %s is %s, yet means %q and is repaired by %q", c.Name, c.Status, c.Means, c.Fix)
		}
		if c.Status == doctor.Fail {
			t.Errorf("the tests run here, so the quickstart should: %+v", c)
		}
	}
}

func TestDoctorFailsWithoutAPlaceToWrite(t *testing.T) {
	checks := Doctor(t.Context(), DoctorOptions{Work: "/proc/no-such-place"})
	i := slices.IndexFunc(checks, func(c doctor.Check) bool { return c.Name == "work directory" })
	if checks[i].Status != doctor.Fail {
		t.Errorf("a work directory that cannot be written to: %+v", checks[i])
	}
}

func TestDoctorOfAPlainUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("changing the user needs root; TestDoctorExplainsEveryLack covers a plain user then")
	}
	work := t.TempDir()
	for _, dir := range []string{filepath.Dir(work), work} {
		if err := os.Chmod(dir, fs.ModeSticky|0o777); err != nil { //nolint:gosec // another user writes there
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
	var checks []doctor.Check
	if err := json.Unmarshal(out, &checks); err != nil {
		t.Fatal(err)
	}
	status := map[string]doctor.Status{}
	for _, c := range checks {
		status[c.Name] = c.Status
		if c.Status == doctor.Fail {
			t.Errorf("the quickstart runs without root: %+v", c)
		}
	}
	for _, name := range []string{"root", "loop devices", "network namespaces"} {
		if status[name] != doctor.Warn {
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
	for _, c := range []struct {
		path, dir string
		want      bool
	}{{"/a/b", "/a", true}, {"/ab", "/a", false}, {"/a", "/a", true}, {"/x", "/", true}} {
		if below(c.path, c.dir) != c.want {
			t.Errorf("below(%q, %q) = %t", c.path, c.dir, !c.want)
		}
	}
}

// wantsTape is a kind that package machine has never heard of.
type wantsTape struct{}

func (wantsTape) Checks(context.Context) []doctor.Check {
	return []doctor.Check{
		{Name: "tape", Status: doctor.Warn, Found: "no drive", Means: "no tapes", Fix: "buy one"},
		doctor.Root("no tapes"),
	}
}

func (wantsTape) Programs() []doctor.Program { return []doctor.Program{{Name: "sh"}} }

func TestDoctorAndInventoryAskTheKinds(t *testing.T) {
	o := DoctorOptions{Work: t.TempDir()}
	before := Doctor(t.Context(), o)
	o.Checkers = []doctor.Checker{wantsTape{}}
	if after := Doctor(t.Context(), o); len(after) != len(before)+1 || !slices.ContainsFunc(after, func(c doctor.Check) bool { return c.Name == "tape" }) {
		t.Errorf("from %+v to %+v", before, after)
	}
	if m := Inventory(t.Context(), o.Checkers); len(m.Programs) != 1 || m.Programs["sh"] == "" {
		t.Errorf("programs %v", m.Programs)
	}
}
