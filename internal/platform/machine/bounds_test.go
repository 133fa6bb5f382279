package machine

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/host/cgroup"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/result"
)

// looked is what a process in a container found.
type looked struct {
	Checks    []doctor.Check
	Inventory result.Machine
	Cores     float64
	Memory    int64
	Notes     []string
}

// contained runs the doctor in a control group with limits.
func contained(t *testing.T, l cgroup.Limits) (found looked) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("making control groups needs root")
	}
	id := "bounds" + strconv.FormatInt(time.Now().UnixNano(), 36)
	j, err := journal.Open(filepath.Join(t.TempDir(), "journal.jsonl"), id)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	tree, err := cgroup.New(journal.Name(id), j)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := tree.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	if !tree.CPU() || !tree.Memory() {
		t.Skipf("no control groups with limits here: %v", tree.Notes())
	}
	group, err := tree.Group("container", l)
	if err != nil {
		t.Fatal(err)
	}
	var out, errors bytes.Buffer
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperVariable+"="+t.TempDir(), containedVariable+"=1")
	cmd.Stdout, cmd.Stderr = &out, &errors
	if err := group.Start(cmd); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, errors.String())
	}
	if err := group.Remove(t.Context()); err != nil {
		t.Error(err)
	}
	if err := json.Unmarshal(out.Bytes(), &found); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	return found
}

func TestLimitsOfAContainerAreSeen(t *testing.T) {
	found := contained(t, cgroup.Limits{CPU: 0.6, Memory: 300 << 20})
	for name, want := range map[string][]string{
		"cpu":    {"0.6 of " + strconv.Itoa(installedCores()) + " cores: CPU quota of control group ", "/container"},
		"memory": {"MiB available of 300 MiB: memory limit of control group ", "; the machine has "},
	} {
		at := slices.IndexFunc(found.Checks, func(c doctor.Check) bool { return c.Name == name })
		if at < 0 || found.Checks[at].Status == doctor.OK {
			t.Errorf("%s is no worry: %+v", name, found.Checks)
			continue
		}
		for _, text := range want {
			if !strings.Contains(found.Checks[at].Found, text) {
				t.Errorf("%s: %q is not in %q", name, text, found.Checks[at].Found)
			}
		}
	}
	if found.Cores != 0.6 || found.Memory <= 0 || found.Memory > 300<<20 {
		t.Errorf("%v cores and %d bytes can be used", found.Cores, found.Memory)
	}
	for of, value := range map[string]float64{"cpu": 0.6, "memory": 300 << 20} {
		if !slices.ContainsFunc(found.Inventory.Limits, func(l result.Limit) bool { return l.Of == of && l.Value == value }) {
			t.Errorf("no limit of %s is recorded: %+v", of, found.Inventory.Limits)
		}
	}
	if len(found.Notes) != 2 || !strings.Contains(found.Notes[0], "can be used: CPU quota of") || !strings.Contains(found.Notes[1], "300 MiB of") {
		t.Errorf("plan says %q", found.Notes)
	}
}

// A quota above what the machine has limits nothing, and a cpuset is one.
func TestCPUThatCanBeUsed(t *testing.T) {
	g := general{}
	if c := g.cpu(); (c.Status == doctor.OK) != (installedCores() == Cores()) {
		t.Errorf("%+v, with %d of %d cores", c, Cores(), installedCores())
	}
	cmd := exec.Command("taskset", "-c", "0", os.Args[0])
	cmd.Env = append(os.Environ(), helperVariable+"="+t.TempDir(), containedVariable+"=1")
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("taskset does not work here: %v", err)
	}
	var found looked
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(found.Checks, func(c doctor.Check) bool { return c.Name == "cpu" })
	if want := "1 of " + strconv.Itoa(installedCores()) + " cores"; installedCores() > 1 && !strings.Contains(found.Checks[at].Found, want) {
		t.Errorf("%+v", found.Checks[at])
	}
}
