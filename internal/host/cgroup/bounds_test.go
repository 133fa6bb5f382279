package cgroup

import (
	"os"
	"path/filepath"
	"testing"
)

// fakeGroups writes files of control groups, by path below a directory.
func fakeGroups(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestBoundsOfVersion2(t *testing.T) {
	root := fakeGroups(t, map[string]string{
		"cpu.max":                      "max 100000",
		"box/cpu.max":                  "60000 100000",
		"box/memory.max":               "max",
		"box/pids.max":                 "500",
		"box/pids.current":             "120",
		"box/service/cpu.max":          "150000 100000",
		"box/service/memory.max":       "314572800",
		"box/service/memory.high":      "209715200",
		"box/service/memory.current":   "104857600",
		"box/service/memory.stat":      "anon 1\nactive_file 10485760\ninactive_file 20971520",
		"box/service/memory.swap.max":  "0",
		"box/service/cgroup.procs":     "1",
		"other/cpu.max":                "10000 100000",
		"box/service/below/memory.max": "4096",
	})
	h := hierarchies{version: V2, mounts: []mount{{root: root, own: filepath.Join(root, "box/service")}}}
	bounds := tightestFirst(append(h.bounds(), h.bounds()...))
	if len(bounds) != 4 {
		t.Fatalf("%d bounds: %+v", len(bounds), bounds)
	}
	for _, c := range []struct {
		of          Resource
		group       string
		limit, left float64
	}{
		{CPU, "/box", 0.6, 0.6},
		{Memory, "/box/service", 200 << 20, 130 << 20},
		{Tasks, "/box", 500, 380},
	} {
		b, found := Tightest(bounds, c.of)
		if !found || b.Group != c.group || b.Limit != c.limit || b.Left() != c.left {
			t.Errorf("%s: %+v, %v left", c.of, b, b.Left())
		}
	}
	if cpu, _ := Tightest(bounds, CPU); cpu.Directories()[""] != filepath.Join(root, "box") {
		t.Errorf("the quota's group is counted in %v", cpu.Directories())
	}
}

func TestBoundsOfVersion1(t *testing.T) {
	root := fakeGroups(t, map[string]string{
		"cpu/cpu.cfs_quota_us":             "-1",
		"cpu/cpu.cfs_period_us":            "100000",
		"cpu/box/cpu.cfs_quota_us":         "25000",
		"cpu/box/cpu.cfs_period_us":        "50000",
		"cpu/box/run/cpu.cfs_quota_us":     "-1",
		"cpu/box/run/cpu.cfs_period_us":    "100000",
		"cpuacct/box/run/cpuacct.usage":    "1",
		"memory/memory.limit_in_bytes":     "9223372036854771712",
		"memory/box/memory.limit_in_bytes": "9223372036854771712",
		// The container's limit is out of sight.
		"memory/box/memory.stat":           "total_inactive_file 1048576\nhierarchical_memory_limit 314572800",
		"memory/box/memory.usage_in_bytes": "2097152",
		"pids/pids.max":                    "max",
	})
	in := func(controller, own string) mount {
		at := filepath.Join(root, controller)
		return mount{controllers: []string{controller}, root: at, own: filepath.Join(at, own)}
	}
	h := hierarchies{version: V1, mounts: []mount{in("cpu", "box/run"), in("cpuacct", "box/run"), in("memory", "box"), in("pids", "")}}
	bounds := tightestFirst(h.bounds())
	if len(bounds) != 2 {
		t.Fatalf("%d bounds: %+v", len(bounds), bounds)
	}
	cpu, _ := Tightest(bounds, CPU)
	if cpu.Limit != 0.5 || cpu.Group != "/box" || cpu.Directories()["cpuacct"] != filepath.Join(root, "cpuacct/box") {
		t.Errorf("%+v", cpu)
	}
	memory, _ := Tightest(bounds, Memory)
	if memory.Limit != 300<<20 || memory.Left() != 299<<20 {
		t.Errorf("%+v, %v left", memory, memory.Left())
	}
	if _, found := Tightest(bounds, Tasks); found {
		t.Error("a limit of tasks that is max")
	}

	elsewhere := hierarchies{version: V1, mounts: []mount{in("cpu", "box/run"), in("cpuacct", "")}}
	if cpu, _ := Tightest(elsewhere.bounds(), CPU); cpu.Directories()["cpuacct"] != "" {
		t.Errorf("CPU time of another group stands for it: %v", cpu.Directories())
	}
}
