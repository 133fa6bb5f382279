package e2e

import (
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/iopath"
	"plimsoll/internal/result"
)

// layered is a study of one worker on a simulated disk.
const layered = `study: layered
workload: WORKLOAD
storage:
  it: {class: disk, media: nvme, size: 2GiB}
ladder: {of: users, rungs: [1]}
phases: {warmup: 2s, measure: 8s, ramp_rate: 0}
objectives: ["p95 <= 60s"]
`

// Requests of a known size and pattern arrive at the medium as the kernel must pass them on: direct
// ones as they are, and small buffered ones of a stream as large ones.
func TestRequestsByLayerOfAKnownWorkload(t *testing.T) {
	needDisk(t)
	t.Parallel()
	for _, c := range []struct {
		name, workload string
		direct         float64 // size of direct random requests; 0 is a buffered stream
	}{
		{"random", "{name: blockio, parameters: {size: 512MiB, read: 50, block: 16KiB, access: random, mode: direct, outstanding: 4}}", 16384},
		{"large", "{name: blockio, parameters: {size: 1GiB, read: 50, block: 1MiB, access: random, mode: direct, outstanding: 1}}", 1 << 20},
		{"stream", "{name: files, parameters: {operation: rewrite, file_size: 64MiB, block_size: 8KiB, io: buffered}}", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.plimsoll(0, "run", s.write("layered.yaml", replace(layered, "WORKLOAD", c.workload)), "--name", "layered", "--min-grade", "F")
			b := pathOf(t, s.run("layered"))
			made, handed, disk := layer(b, iopath.Application), layer(b, iopath.PassedOn), layer(b, iopath.Device)
			if made.Writes == nil || handed.Writes == nil || disk.Writes == nil || disk.Writes.Sequential == nil {
				t.Fatalf("layers are missing: %+v", b)
			}
			if c.direct > 0 {
				arriveAsMade(t, b, c.direct, made.Reads, disk.Reads)
				arriveAsMade(t, b, c.direct, made.Writes, disk.Writes)
				return
			}
			w := disk.Writes
			if made.Writes.Bytes != 8192 || *made.Writes.Sequential != 1 || w.Bytes < 4*8192 || *w.Sequential < 0.5 || w.Amplification < 0.8 {
				t.Errorf("writes of a stream arrive as %+v", *w)
			}
			contains(t, s.shown("report", s.run("layered")), "Requests by layer", "Writes of 8 KiB in sequence arrive at the disks as ")
		})
	}
}

// arriveAsMade compares direct random requests; the file system adds few of its own.
func arriveAsMade(t *testing.T, b *iopath.Path, size float64, made, disk *iopath.Flow) {
	t.Helper()
	if made == nil || disk == nil || made.Bytes != size {
		t.Fatalf("%+v %+v", made, disk)
	}
	if disk.Bytes < 0.9*size || disk.Bytes > 1.1*size || *disk.Sequential > 0.1 || disk.Amplification < 0.9 || disk.Amplification > 1.1 {
		t.Errorf("random requests of %v bytes arrive as %+v, %v sequential", size, *disk, *disk.Sequential)
	}
	if b.Text != "" {
		t.Errorf("nothing changes, and the report says: %s", b.Text)
	}
}

func pathOf(t *testing.T, dir string) *iopath.Path {
	t.Helper()
	run, err := result.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	a, err := analysis.Analyse(run, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := a.Variants[0].Rungs[0].IO
	if b == nil {
		t.Fatalf("no layers: %+v", run.Trials[0].Resources)
	}
	for _, l := range b.Layers {
		t.Logf("%s %s: reads %+v, writes %+v", l.Kind, l.Of, l.Reads, l.Writes)
	}
	return b
}

func layer(b *iopath.Path, k iopath.Kind) (l iopath.Layer) {
	for _, one := range b.Layers {
		if one.Kind == k {
			return one
		}
	}
	return l
}

// A pool of three copies writes three times what the workload does.
func TestRequestsByLayerOfAPool(t *testing.T) {
	needPool(t, "native")
	t.Parallel()
	s := newSite(t)
	pool := replace(layered, "WORKLOAD", "{name: blockio, parameters: {size: 128MiB, read: 30, block: 16KiB, access: random, mode: direct, outstanding: 2}}",
		"it: {class: disk, media: nvme, size: 2GiB}", "it: {class: gluster, peers: 3, geometry: replica 3, disk: {media: ssd-sas, size: 1GiB}}")
	s.plimsoll(0, "run", s.write("pool.yaml", pool), "--name", "pool", "--min-grade", "F")
	disks := layer(pathOf(t, s.run("pool")), iopath.Device)
	if w := disks.Writes; disks.Of != "brick" || w == nil || w.Sequential == nil || w.Amplification < 2.8 || w.Amplification > 3.6 || *w.Sequential > 0.1 {
		t.Errorf("random writes of three copies arrive as %+v", w)
	}
	if r := disks.Reads; r == nil || r.Amplification > 1.1 {
		t.Errorf("reads, which one copy serves, arrive as %+v", r)
	}
}
