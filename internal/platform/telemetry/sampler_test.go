package telemetry

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
)

// The test binary is also the processes that the tests watch.
const helperVariable = "PLIMSOLL_TELEMETRY_HELPER"

func TestMain(m *testing.M) {
	helpers := map[string]func(){"busy": busy, "parent": parent, "writer": writer, "idle": idle}
	if do, ok := helpers[os.Getenv(helperVariable)]; ok {
		do()
		return
	}
	os.Exit(m.Run())
}

// busy uses CPU until its parent ends.
func busy() {
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline) && os.Getppid() != 1; {
		for range 1_000_000 { //nolint:revive // using CPU is the point
		}
	}
}

// parent starts busy children one after the other, each ended and waited for.
func parent() {
	for os.Getppid() != 1 {
		child := helper("busy")
		if child.Start() != nil {
			return
		}
		time.Sleep(150 * time.Millisecond)
		child.Process.Kill() //nolint:errcheck // it is waited for next
		child.Wait()         //nolint:errcheck // killed
	}
}

// writer writes and syncs a file in its working directory.
func writer() {
	for os.Getppid() != 1 {
		f, err := os.Create("written")
		if err != nil {
			return
		}
		f.Write(make([]byte, 1<<20)) //nolint:errcheck // what matters is what telemetry sees
		f.Sync()                     //nolint:errcheck
		f.Close()                    //nolint:errcheck
		time.Sleep(20 * time.Millisecond)
	}
}

// idle waits to be ended.
func idle() {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM)
	<-ended
}

func helper(what string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), helperVariable+"="+what)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// begin starts a helper that is ended with the test.
func begin(t testing.TB, what, dir string) *exec.Cmd {
	t.Helper()
	cmd := helper(what)
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill() //nolint:errcheck // it is waited for next
		cmd.Wait()         //nolint:errcheck // killed
	})
	return cmd
}

func watched(name string, pids ...int) Watched {
	return Watched{Name: name, PIDs: func() []int { return pids }}
}

func these(w ...Watched) func() []Watched { return func() []Watched { return w } }

// sampleUntil samples until enough holds for the known values sampled so far, however long
// that takes on a busy machine.
func sampleUntil(t *testing.T, c Config, what string, enough func([]result.Series) bool) []result.Series {
	t.Helper()
	const patience = 2 * time.Minute
	shown, known := make(chan struct{}), []result.Series(nil)
	c.Interval, c.Start = 100*time.Millisecond, time.Now()
	c.Seen = func(some []result.Series) {
		select {
		case <-shown:
			return
		default:
		}
		if known = Join(append(known, some...)); enough(known) {
			close(shown)
		}
	}
	s := Start(t.Context(), c)
	select {
	case <-shown:
	case <-time.After(patience):
		t.Errorf("telemetry does not show %s within %v", what, patience)
	}
	return s.Stop()
}

// ticker counts the samples of a sampler through its list of drivers, so that
// tests can wait for samples instead of for time.
type ticker struct {
	list  func() []Watched
	taken atomic.Int64
}

func (k *ticker) drivers() []Watched {
	k.taken.Add(1)
	if k.list == nil {
		return nil
	}
	return k.list()
}

// wait waits until n more samples have been taken.
func (k *ticker) wait(t *testing.T, n int64) {
	t.Helper()
	until := k.taken.Load() + n + 1 // one may be under way
	for deadline := time.Now().Add(time.Minute); k.taken.Load() < until; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the sampler takes no samples")
		}
	}
}

func find(all []result.Series, kind, name, metric string) result.Series {
	i := slices.IndexFunc(all, func(s result.Series) bool { return s.Kind == kind && s.Name == name && s.Metric == metric })
	if i < 0 {
		return result.Series{}
	}
	return all[i]
}

func highest(s result.Series) float64 {
	most := math.NaN()
	for _, v := range s.Values {
		most = maxKnown(most, v)
	}
	return most
}

func TestABusyProcessIsSeen(t *testing.T) {
	p := begin(t, "busy", "")
	all := sampleUntil(t, Config{Instances: these(watched("db-000", p.Process.Pid))}, "a busy process", func(all []result.Series) bool {
		return highest(find(all, "instance", "db-000", "cpu")) > 0.05 && highest(find(all, "cpu", "", "utilisation")) > 0
	})
	for _, metric := range []string{"rss", "memory", "processes"} {
		if v := highest(find(all, "instance", "db-000", metric)); !(v > 0) {
			t.Errorf("%s of the process = %g", metric, v)
		}
	}
	if u := highest(find(all, "cpu", "", "utilisation")); u > 1 {
		t.Errorf("utilisation of the CPU = %g, more than all of it", u)
	}
}

func TestChildrenThatEndedAreCounted(t *testing.T) {
	p := begin(t, "parent", "")
	sampleUntil(t, Config{Drivers: these(watched("driver-0", p.Process.Pid))}, "the CPU of children that ended", func(all []result.Series) bool {
		s := find(all, "driver", "driver-0", "cpu")
		sum := 0.0
		for _, v := range s.Values {
			if v > 50 {
				t.Errorf("a process cannot use %g cores", v)
			}
			if !math.IsNaN(v) {
				sum += v
			}
		}
		return sum > 0.5 // 50 ms at a sample each 100 ms; a machine may be very busy
	})
}

func TestWritesAreSeenAtProcessAndDevice(t *testing.T) {
	dir := t.TempDir()
	if len(physicalDisks()) == 0 {
		t.Skip("this machine shows no physical disk")
	}
	p := begin(t, "writer", dir)
	sampleUntil(t, Config{Instances: these(watched("db-000", p.Process.Pid))}, "the writing of a process", func(all []result.Series) bool {
		device := slices.ContainsFunc(all, func(s result.Series) bool {
			return s.Kind == "device" && s.Metric == "write_bytes" && highest(s) > 0
		})
		return device && highest(find(all, "instance", "db-000", "write_bytes")) > 0
	})
}

func TestLoopDevicesAreSampledWhenNamed(t *testing.T) {
	if !readable("/sys/class/block/loop0/stat") {
		t.Skip("this machine has no loop device")
	}
	sampleUntil(t, Config{Devices: []describe.Device{{Name: "/dev/loop0"}, {Name: "loop0"}, {Name: "no-such-device"}}}, "loop0", func(all []result.Series) bool {
		return len(find(all, "device", "loop0", "utilisation").Values) > 0
	})
}

func TestLoopbackTrafficIsSeen(t *testing.T) {
	sampleUntil(t, Config{}, "the loopback interface", func(all []result.Series) bool {
		return len(find(all, "network", "lo", "receive_bytes").Values) > 0
	})
}

func TestEverySeriesIsInTheTable(t *testing.T) {
	known := map[string]Metric{}
	for _, m := range Metrics() {
		key := m.Kind + " " + m.Name
		if _, twice := known[key]; twice {
			t.Errorf("%s is in the table twice", key)
		}
		known[key] = m
	}
	p := begin(t, "idle", "")
	k := ticker{list: these(watched("driver-0", os.Getpid()))}
	s := Start(t.Context(), Config{
		Interval: 50 * time.Millisecond, Start: time.Now(),
		Instances: these(watched("db-000", p.Process.Pid)),
		Drivers:   k.drivers,
		Nodes:     func() []storage.Node { return []storage.Node{{Name: "peer1", PIDs: []int{p.Process.Pid}, CPU: 2}} },
	})
	k.wait(t, 3)
	all := s.Stop()
	for _, series := range all {
		m, ok := known[series.Kind+" "+series.Metric]
		if !ok {
			t.Errorf("%s %s is not in the table", series.Kind, series.Metric)
		}
		if m.Unit == "" || m.Unit != series.Unit {
			t.Errorf("%s %s has unit %q, the table says %q", series.Kind, series.Metric, series.Unit, m.Unit)
		}
		if len(series.Times) != len(series.Values) || !slices.IsSorted(series.Times) {
			t.Errorf("%s %s %s: %d values at times %v", series.Kind, series.Name, series.Metric, len(series.Values), series.Times)
		}
	}
	for _, kind := range []string{"cpu", "machine", "network", "instance", "driver", "node", "self"} {
		if !slices.ContainsFunc(all, func(s result.Series) bool { return s.Kind == kind }) {
			t.Errorf("no series of kind %s", kind)
		}
	}
}

func TestTheTableIsInTheDocumentation(t *testing.T) {
	text, err := os.ReadFile("../../../docs/telemetry.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range Metrics() {
		if row := fmt.Sprintf("| %s | `%s` | %s |", m.Kind, m.Name, m.Unit); !strings.Contains(string(text), row) {
			t.Errorf("docs/telemetry.md has no row %s", row)
		}
	}
}

func TestGroupsMayComeAndGo(t *testing.T) {
	p, q := begin(t, "idle", ""), begin(t, "idle", "")
	calls := 0
	list := func() []Watched {
		calls++
		switch {
		case calls < 4:
			return []Watched{watched("db-000", p.Process.Pid)}
		case calls < 8:
			return nil
		}
		return []Watched{watched("db-000", q.Process.Pid), watched("db-001", p.Process.Pid), {Name: "db-002"}, watched("db-003", 1<<22-1)}
	}
	all := sampleUntil(t, Config{Instances: list}, "a group that comes later", func(all []result.Series) bool {
		return len(find(all, "instance", "db-001", "cpu").Values) > 0
	})
	if n := highest(find(all, "instance", "db-002", "processes")); n != 0 {
		t.Errorf("a group without processes has %g", n)
	}
}

func TestAProcessThatDiesIsNotAnError(t *testing.T) {
	p := helper("idle")
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	var k ticker
	s := Start(t.Context(), Config{Interval: 20 * time.Millisecond, Start: time.Now(), Instances: these(watched("db-000", p.Process.Pid)), Drivers: k.drivers})
	k.wait(t, 3)
	p.Process.Kill() //nolint:errcheck // it is waited for next
	p.Wait()         //nolint:errcheck // killed
	k.wait(t, 3)
	counts := find(s.Stop(), "instance", "db-000", "processes").Values
	if len(counts) == 0 || counts[len(counts)-1] != 0 {
		t.Errorf("processes of a dead instance: %v", counts)
	}
}

func TestASamplerThatFellBehindSaysSo(t *testing.T) {
	k := ticker{list: func() []Watched { time.Sleep(120 * time.Millisecond); return nil }}
	s := Start(t.Context(), Config{Interval: 20 * time.Millisecond, Start: time.Now(), Drivers: k.drivers})
	k.wait(t, 3)
	if notes := s.Notes(); len(notes) == 0 || !strings.Contains(notes[len(notes)-1], "fell behind") {
		t.Errorf("notes = %q", notes)
	}
}

func TestStopIsIdempotentAndLeavesNothing(t *testing.T) {
	before := openDescriptors(t)
	ctx, cancel := context.WithCancel(t.Context())
	k := ticker{list: these(watched("driver-0", os.Getpid()))}
	s := Start(ctx, Config{Interval: 10 * time.Millisecond, Start: time.Now(), Drivers: k.drivers})
	k.wait(t, 3)
	cancel()
	first := s.Stop()
	if second := s.Stop(); len(first) == 0 || len(second) != len(first) {
		t.Errorf("stopped twice: %d and %d series", len(first), len(second))
	}
	if after := openDescriptors(t); after > before {
		t.Errorf("%d files are open, %d were before", after, before)
	}
}

func openDescriptors(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

func TestTimesCountFromTheCommonStart(t *testing.T) {
	var k ticker
	s := Start(t.Context(), Config{Interval: 100 * time.Millisecond, Start: time.Now().Add(time.Hour), Drivers: k.drivers})
	k.wait(t, 3)
	series := find(s.Stop(), "cpu", "", "utilisation")
	if len(series.Times) == 0 || series.Times[0] > 0 {
		t.Fatalf("times before the common start are not negative: %v", series.Times)
	}
}

func TestFewOpenFilesAreEnough(t *testing.T) {
	f := newFiles()
	f.most = 1
	path := filepath.Join(t.TempDir(), "number")
	if err := os.WriteFile(path, []byte("42\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a, b := f.file(path), f.file(path)
	for range 2 {
		if single(a) != 42 || single(b) != 42 {
			t.Fatal("a file that is not kept open reads differently")
		}
	}
	if f.open != 1 || b.fd >= 0 {
		t.Errorf("%d files are kept open, want 1", f.open)
	}
	a.close()
	b.close()
}
