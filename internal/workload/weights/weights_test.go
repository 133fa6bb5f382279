package weights

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// small is a model of three shards, through the page cache, which every file system has.
// The last read of each shard is a short one.
func small(change func(*Parameters)) *Parameters {
	p := defaults()
	p.Size, p.Shards, p.Loads, p.Readers, p.BlockSize, p.IO = 60<<10, 3, 0, 2, 8<<10, buffered
	change(p)
	return p
}

func TestConformance(t *testing.T) {
	for name, change := range map[string]func(*Parameters){
		"until the phases end": func(*Parameters) {},
		"fixed":                func(p *Parameters) { p.Loads, p.Readers = 12, 5 },
	} {
		t.Run(name, func(t *testing.T) {
			workloadtest.Run(t, workloadtest.Suite{
				Workload: Workload{}, Parameters: small(change), Environment: workloadtest.Here(),
				Wrong: map[string]workload.Parameters{
					"model":      small(func(p *Parameters) { p.Model = "13b" }),
					"size":       small(func(p *Parameters) { p.Size = -1 }),
					"shards":     small(func(p *Parameters) { p.Shards = -1 }),
					"loads":      small(func(p *Parameters) { p.Loads = -1 }),
					"readers":    small(func(p *Parameters) { p.Readers = 0 }),
					"block_size": small(func(p *Parameters) { p.BlockSize = 1000 }),
					"io":         small(func(p *Parameters) { p.IO = "mapped" }),
				},
			})
		})
	}
}

// Models are as large as published, in as many files.
func TestPublishedSizes(t *testing.T) {
	for name, want := range map[string]struct {
		size   int64
		shards int
	}{"8b": {16_060_522_496, 4}, "70b": {141_107_412_992, 30}, "405b": {811_706_777_600, 191}} {
		p := defaults()
		p.Model = name
		if more := p.whole() - want.size; p.shards() != want.shards || more < 0 || more >= int64(want.shards)*block || strings.Contains(p.describe(), "scaled") {
			t.Errorf("%s: %d bytes, %s", name, p.whole(), p.describe())
		}
	}
	p := defaults()
	p.Size = 160_605_225
	if text := p.describe(); !strings.Contains(text, "scaled to 1 % of its 16.1 GB") {
		t.Errorf("%q", text)
	}
}

// eventRecorder is what a pod reports.
type eventRecorder struct {
	workload.Recorder
	counts [2]int
	failed int
	load   time.Duration // the longest
	shard  time.Duration // the same
	bytes  int64
}

func (r *eventRecorder) Observe(operation int, _ time.Time, d time.Duration, outcome workload.Outcome) {
	r.counts[operation]++
	switch {
	case outcome == workload.Failed:
		r.failed++
	case operation == opLoad:
		r.load = max(r.load, d)
	default:
		r.shard = max(r.shard, d)
	}
}
func (r *eventRecorder) Moved(_ int, bytes int64) { r.bytes += bytes }

// prepared is a volume with a model.
func prepared(t *testing.T, p *Parameters) (target workload.Target, dir string) {
	t.Helper()
	volume := t.TempDir()
	target = workload.Target{Users: 1, Endpoints: []endpoint.Endpoint{endpoint.OfDirectory(fileio.VolumeRole, volume)}}
	if err := (Workload{}).Prepare(t.Context(), target, p, 1, func(float64) {}); err != nil && strings.Contains(err.Error(), "no direct I/O") {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	return target, filepath.Join(volume, top)
}

func start(t *testing.T, target workload.Target, p *Parameters) workload.Session {
	t.Helper()
	pod, err := Workload{}.Open(t.Context(), target, p, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pod.Close(); err != nil {
			t.Error(err)
		}
	})
	return pod
}

// A pod reads all of the model each time, and is done after as many loads as it is to make.
func TestLoads(t *testing.T) {
	for _, io := range []string{buffered, direct} {
		t.Run(io, func(t *testing.T) {
			p := small(func(p *Parameters) { p.Loads, p.IO = 2, io })
			target, _ := prepared(t, p)
			pod, r := start(t, target, p), &eventRecorder{}
			for range 2 {
				if err := pod.Do(t.Context(), r); err != nil {
					t.Fatal(err)
				}
			}
			if err := pod.Do(t.Context(), r); !errors.Is(err, workload.ErrFinished) {
				t.Errorf("after two loads: %v", err)
			}
			if r.counts != [2]int{2, 6} || r.bytes != 2*p.whole() || r.load < r.shard {
				t.Errorf("%+v", r)
			}
		})
	}
}

// A model that is not as it was written is an error, and the pod loads it when it is there again.
func TestDamagedModel(t *testing.T) {
	p := small(func(*Parameters) {})
	target, dir := prepared(t, p)
	pod, r, shard := start(t, target, p), &eventRecorder{}, filepath.Join(dir, "shard-00002")
	if err := os.Rename(shard, shard+"x"); err != nil {
		t.Fatal(err)
	}
	if err := pod.Do(t.Context(), r); err == nil || r.failed != 1 {
		t.Errorf("%v, %+v", err, r)
	}
	if err := os.Rename(shard+"x", shard); err != nil {
		t.Fatal(err)
	}
	if err := pod.Do(t.Context(), r); err != nil || r.counts[opLoad] != 2 {
		t.Errorf("%v, %+v", err, r)
	}
}

// A pod does not load the model of a volume that was prepared otherwise.
func TestOtherModel(t *testing.T) {
	target, _ := prepared(t, small(func(*Parameters) {}))
	if _, err := (Workload{}).Open(t.Context(), target, small(func(p *Parameters) { p.Shards = 4 }), 0, 1); err == nil || !strings.Contains(err.Error(), "was prepared for") {
		t.Errorf("%v", err)
	}
}
