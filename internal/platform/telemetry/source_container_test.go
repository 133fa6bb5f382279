package telemetry

import (
	"maps"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"plimsoll/internal/describe"
)

// rewrite sets files of a control group.
func rewrite(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestContainerSourceComparesWithTheLimits(t *testing.T) {
	for version, c := range map[string]struct{ before, after map[string]string }{
		"2": {
			before: map[string]string{
				"cpu.stat":       "usage_usec 1000000\nnr_periods 10\nnr_throttled 5\nthrottled_usec 100000",
				"memory.current": "104857600", "memory.stat": "anon 5\ninactive_file 20971520\nactive_file 10485760",
				"memory.events": "low 0\nhigh 0\nmax 9\noom 1\noom_kill 1", "pids.current": "70",
			},
			after: map[string]string{
				"cpu.stat":      "usage_usec 2140000\nnr_periods 30\nnr_throttled 20\nthrottled_usec 900000",
				"memory.events": "low 0\nhigh 0\nmax 9\noom 1\noom_kill 5",
			},
		},
		"1": {
			before: map[string]string{
				"cpu.stat": "nr_periods 10\nnr_throttled 5\nthrottled_time 100000000", "cpuacct.usage": "1000000000",
				"memory.usage_in_bytes": "104857600", "memory.stat": "inactive_file 1\nactive_file 1\ntotal_inactive_file 20971520\ntotal_active_file 10485760",
				"memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 1", "pids.current": "70",
			},
			after: map[string]string{
				"cpu.stat": "nr_periods 30\nnr_throttled 20\nthrottled_time 900000000", "cpuacct.usage": "2140000000",
				"memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 5",
			},
		},
	} {
		t.Run("version "+version, func(t *testing.T) {
			dir := t.TempDir()
			rewrite(t, dir, c.before)
			at := map[string]string{"": dir}
			if version == "1" {
				at = map[string]string{"cpu": dir, "cpuacct": dir, "memory": dir, "tasks": dir}
			}
			b := newBook(0)
			s := newContainerSource(b, newFiles(), Container{Name: "/box", CPU: 0.6, Memory: 200 << 20, Tasks: 100, Cgroups: at})
			defer s.close()
			s.sample(2)
			rewrite(t, dir, c.after)
			s.sample(2)
			got := map[string]float64{}
			for _, one := range b.all() {
				got[one.Metric] = math.Round(1e6*one.Values[len(one.Values)-1]) / 1e6
			}
			want := map[string]float64{
				"cpu": 0.57, "cpu_limit": 0.6, "cpu_utilisation": 0.95, "throttled": 0.4, "periods": 10, "throttled_periods": 0.75,
				"memory": 70 << 20, "memory_limit": 200 << 20, "memory_utilisation": 0.35, "oom_kills": 2, "tasks": 70, "tasks_limit": 100,
			}
			if !maps.Equal(got, want) {
				t.Errorf("%v, want %v", got, want)
			}
		})
	}
}

// Version 1 may count CPU time in another group than it limits it in.
func TestContainerSourceCountsProcessesWhereNoGroupDoes(t *testing.T) {
	dir := t.TempDir()
	rewrite(t, dir, map[string]string{"cpu.stat": "nr_periods 10\nnr_throttled 5\nthrottled_time 0", "cgroup.procs": ""})
	below := filepath.Join(dir, "db-000")
	if err := os.Mkdir(below, 0o755); err != nil {
		t.Fatal(err)
	}
	rewrite(t, below, map[string]string{"cgroup.procs": strconv.Itoa(os.Getpid())})
	b := newBook(0)
	s := newContainerSource(b, newFiles(), Container{Name: "/box", CPU: 0.6, Cgroups: map[string]string{"cpu": dir}})
	defer s.close()
	s.sample(1)
	s.sample(1)
	used := b.column(describe.ContainerKind, "/box", "cpu").series.Values
	if math.IsNaN(used[len(used)-1]) {
		t.Error("the CPU time of this process is not known")
	}
}

func TestCPUSourceLeavesOutWhatItMayNotUse(t *testing.T) {
	stat := filepath.Join(t.TempDir(), "stat")
	files := newFiles()
	b := newBook(0)
	s := newCPUSource(b, files).(*cpuSource)
	s.close()
	s.file, s.allowed = files.file(stat), map[uint64]bool{1: true}
	defer s.close()
	for _, text := range []string{
		"cpu  0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0",
		"cpu  80 0 0 120 0 0 0 0\ncpu0 0 0 0 100 0 0 0 0\ncpu1 80 0 0 20 0 0 0 0",
	} {
		rewrite(t, filepath.Dir(stat), map[string]string{"stat": text})
		s.sample(1)
	}
	for metric, want := range map[string]float64{"utilisation": 0.8, "busy": 0.8, "core_max": 0.8} {
		values := b.column(describe.CPUKind, "", metric).series.Values
		if got := values[len(values)-1]; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s = %v, want %v", metric, got, want)
		}
	}
}
