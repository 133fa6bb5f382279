package probe_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/conformance/storagetest"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/disk"
	"plimsoll/internal/storage/medium"
	"plimsoll/internal/storage/probe"
	"plimsoll/test/quick"
)

func TestMain(m *testing.M) {
	storagetest.Main(m, map[string]storagetest.Helper{
		"medium": func(ctx context.Context, arguments []string) error {
			return medium.Main(ctx, arguments[1], os.Stdin, os.Stdout)
		},
	})
}

// probeMedium probes a volume of a simulated medium.
func probeMedium(t *testing.T, p *disk.Parameters, o probe.Options) probe.Report {
	t.Helper()
	if err := (disk.Kind{}).Usable(p); err != nil {
		t.Skip(err)
	}
	runID := "probe-" + strings.ReplaceAll(filepath.Base(t.TempDir()), "/", "") + "-" + p.Media
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	class, err := disk.Kind{}.New("sim", p, storage.Env{
		RunID: runID, Scratch: filepath.Join(t.TempDir(), runID), Executable: executable, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := class.Down(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		for _, left := range journal.Leftovers(runID) {
			t.Errorf("left behind: %s", left)
		}
	}()
	if err := class.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	v, err := class.Provision(t.Context(), storage.Claim{Name: "one"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := class.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := probe.Probe(t.Context(), v.Path, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if inside, _ := os.ReadDir(v.Path); len(inside) > 0 {
		t.Errorf("the probe left %v", inside)
	}
	for _, f := range r.Findings {
		t.Logf("%-14s %1s %s", f.Key, f.Grade, f.Title)
	}
	return r
}

func finding(t *testing.T, r probe.Report, key string) probe.Finding {
	t.Helper()
	for _, f := range r.Findings {
		if f.Key == key {
			return f
		}
	}
	t.Fatalf("there is no finding on %s", key)
	return probe.Finding{}
}

var brief = probe.Options{Duration: 10 * time.Second, Size: 256 << 20}

func TestHonestDisk(t *testing.T) {
	quick.Skip(t, quick.Media)
	r := probeMedium(t, &disk.Parameters{Media: "hdd-7200"}, brief)
	if f := finding(t, r, "flush"); f.Grade != "A" {
		t.Errorf("a disk that flushes was called: %s %s", f.Grade, f.Title)
	}
	if f := finding(t, r, "parallel"); f.Grade < "C" {
		t.Errorf("a disk with one actuator was called: %s %s", f.Grade, f.Title)
	}
}

func TestLyingDisk(t *testing.T) {
	quick.Skip(t, quick.Media)
	r := probeMedium(t, &disk.Parameters{Media: "hdd-7200", Lies: true}, brief)
	f := finding(t, r, "flush")
	if f.Grade != "F" || !strings.Contains(f.Title, "cannot have reached") || r.Grade != "F" {
		t.Errorf("a lying disk was called: %s %s; the report %s", f.Grade, f.Title, r.Grade)
	}
	vouched := brief
	vouched.Protected = true
	r = probeMedium(t, &disk.Parameters{Media: "hdd-7200", Lies: true}, vouched)
	if f := finding(t, r, "flush"); f.Grade != "A" || !strings.Contains(f.Title, "the protected cache that you declared") {
		t.Errorf("a disk whose cache is said to be protected was called: %s %s", f.Grade, f.Title)
	}
}

func TestFlash(t *testing.T) {
	quick.Skip(t, quick.Media)
	r := probeMedium(t, &disk.Parameters{Media: "ssd-sas"}, brief)
	if f := finding(t, r, "flush"); f.Grade != "A" {
		t.Errorf("flash that flushes was called: %s %s", f.Grade, f.Title)
	}
	if !r.Direct || r.FileSystem != "xfs" || len(r.Devices) != 1 || r.Devices[0].Rotates {
		t.Errorf("%+v", r)
	}
}

func TestMemory(t *testing.T) {
	quick.Skip(t, quick.Media)
	dir, err := os.MkdirTemp("/dev/shm", "plimsoll-probe-*")
	if err != nil {
		t.Skipf("no memory file system here: %v", err)
	}
	defer os.RemoveAll(dir)
	o := brief
	o.Duration = 2 * time.Second
	steps := 0
	r, err := probe.Probe(t.Context(), dir, o, func(string, float64) { steps++ })
	if err != nil {
		t.Fatal(err)
	}
	if f := finding(t, r, "flush"); f.Grade != "F" || r.Grade != "F" {
		t.Errorf("memory was called %s: %s", f.Grade, f.Title)
	}
	text, err := json.Marshal(r)
	if err != nil || !json.Valid(text) || steps < 8 {
		t.Errorf("%d steps, %v", steps, err)
	}
}

func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if _, err := probe.Probe(ctx, dir, brief, nil); err == nil {
		t.Error("an interrupted probe reports")
	}
	if inside, err := os.ReadDir(dir); err != nil || len(inside) > 0 {
		t.Errorf("left behind: %v (%v)", inside, err)
	}
	if _, err := probe.Probe(t.Context(), filepath.Join(dir, "none"), brief, nil); err == nil {
		t.Error("a place that is not there was probed")
	}
}

func TestMeasuresSayWhatTheProbeItselfTook(t *testing.T) {
	quick.Skip(t, quick.Media)
	r, err := probe.Probe(t.Context(), t.TempDir(), probe.Options{Duration: 3 * time.Second, Size: 64 << 20}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Measures {
		if m.Engine == "" || m.Threads < 1 || m.CPU <= 0 {
			t.Errorf("%s: engine %q, %d threads, %g cores: all must be told", m.Name, m.Engine, m.Threads, m.CPU)
		}
		// Little's law: the number of outstanding requests matches the pattern, apart from
		// the first and last moments, and from the overhead of timing a request that memory
		// serves within microseconds.
		least := 0.5 * float64(m.Depth)
		if m.Mean < 5e-6 {
			least = 0
		}
		if under := m.PerSecond * m.Mean; m.Operations > int64(100*m.Depth) && (under < least || under > 1.05*float64(m.Depth)) {
			t.Errorf("%s: %.1f requests were under way, not %d", m.Name, under, m.Depth)
		}
	}
}
