package training

import (
	"context"
	"testing"
	"time"

	"plimsoll/internal/app/versitygw"
	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
)

// small is a data set of some hundred kilobytes, through the page cache, which every file
// system has.
func small(change func(*Parameters)) *Parameters {
	p := defaults()
	p.Set, p.Samples, p.SampleSize, p.PerFile, p.Batch = cosmoflow, 50, 10_000, 7, 4
	p.BlockSize, p.IO, p.Compute = 4096, buffered, unit.Duration(time.Millisecond)
	change(p)
	return p
}

func TestConformance(t *testing.T) {
	for name, change := range map[string]func(*Parameters){
		"files":  func(p *Parameters) { p.PerFile = 1 },
		"packed": func(p *Parameters) { p.Prefetch = 1 },
		"shards": func(p *Parameters) { p.Format = tarFormat },
		"bucket": func(p *Parameters) { p.Source, p.Ranges = inBucket, true },
	} {
		t.Run(name, func(t *testing.T) {
			workloadtest.Run(t, workloadtest.Suite{
				Workload: Workload{}, Parameters: small(change), Environment: workloadtest.Here(versitygw.Engine{}),
				Wrong: map[string]workload.Parameters{
					"set":         small(func(p *Parameters) { p.Set = "bert" }),
					"samples":     small(func(p *Parameters) { p.Samples = 0 }),
					"sample_size": small(func(p *Parameters) { p.SampleSize = 100 }),
					"per_file":    small(func(p *Parameters) { p.PerFile = -1 }),
					"batch":       small(func(p *Parameters) { p.Batch = -1 }),
					"compute":     small(func(p *Parameters) { p.Compute = -1 }),
					"readers":     small(func(p *Parameters) { p.Readers = 1000 }),
					"prefetch":    small(func(p *Parameters) { p.Prefetch = 0 }),
					"block_size":  small(func(p *Parameters) { p.BlockSize = 1000 }),
					"io":          small(func(p *Parameters) { p.IO = "mmap" }),
					"source":      small(func(p *Parameters) { p.Source = "tape" }),
					"format":      small(func(p *Parameters) { p.Format = "zip" }),
				},
			})
		})
	}
}

// Each epoch has every file once, in an order of its own, and readers share them.
func TestEpochs(t *testing.T) {
	for _, files := range []int64{1, 2, 3, 10, 1000} {
		d := data{samples: files, mean: block, perFile: 1}
		var orders [3][]int64
		for epoch := range int64(3) {
			seen := map[int64]bool{}
			for place := range files {
				file := d.fileAt(epoch*files + place)
				seen[file] = true
				orders[epoch] = append(orders[epoch], file)
			}
			if int64(len(seen)) != files || seen[-1] || seen[files] {
				t.Errorf("epoch %d of %d files has %d", epoch, files, len(seen))
			}
		}
		if same := agree(orders[0], orders[1]); files == 1000 && same > 20 {
			t.Errorf("%d of %d files come at the same place in two epochs", same, files)
		}
		if ahead := agree(orders[0][1:], orders[0]); files == 1000 && ahead > 20 {
			t.Errorf("order %v", orders[0][:10])
		}
	}
}

func agree(a, b []int64) (n int) {
	for i := range a {
		if a[i] == b[i] {
			n++
		}
	}
	return n
}

// The published sizes are kept on average, and nothing is written that direct I/O cannot read.
func TestSizes(t *testing.T) {
	for set, f := range published {
		p := defaults()
		p.Set, p.Samples = set, 20_000
		d, sum := p.data(), 0.0
		for sample := range d.samples {
			size := d.sizeOf(sample)
			if size < block || size%block != 0 {
				t.Fatalf("%s: sample %d has %d bytes", set, sample, size)
			}
			sum += float64(size)
		}
		if mean := sum / float64(d.samples); mean < 0.98*f.size || mean > 1.02*f.size {
			t.Errorf("%s: mean %.0f, want %.0f", set, mean, f.size)
		}
	}
	if first, end := (data{samples: 10, perFile: 4}).within(2); first != 8 || end != 10 {
		t.Errorf("the last file has samples %d to %d", first, end)
	}
}

// What a study sets takes the place of the published figures, and sizes deviate in proportion.
func TestFiguresScale(t *testing.T) {
	p := defaults()
	p.SampleSize, p.Batch, p.Compute = 1_466_006, 3, unit.Duration(time.Second)
	f := p.figures()
	if f.size != 1_466_006 || f.deviation < 683_000 || f.deviation > 684_000 || f.batch != 3 || f.compute != time.Second || f.perFile != 1 || f.readers != 4 {
		t.Errorf("%+v", f)
	}
}

// Calls on files block the threads of readers; connections to a store block none.
func TestBlockedThreads(t *testing.T) {
	blocked := Workload{}.Capabilities().Blocked
	if n := blocked(small(func(*Parameters) {})); n != small(func(*Parameters) {}).figures().readers {
		t.Errorf("%d threads on a volume", n)
	}
	if n := blocked(small(func(p *Parameters) { p.Source = inBucket })); n != 0 {
		t.Errorf("%d threads with a bucket", n)
	}
}

// Readers are as well without a volume, which shows what they do by themselves.
func TestSamplesOfMemory(t *testing.T) {
	target, able := Workload{}.Answerable(workload.Target{Users: 1}, small(func(*Parameters) {}), "127.0.0.1:1")
	if !able {
		t.Fatal("not answerable")
	}
	p := small(func(p *Parameters) { p.Compute = unit.Duration(time.Hour) }) // not kept
	if failed, done, _ := play(t, target, p, 30); done != 30 {
		t.Errorf("%d batches, %v", done, failed)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (Workload{}).Answer(ctx, nil, nil, p); err != nil {
		t.Error(err)
	}
}

// play has an accelerator take so many batches, of so many bytes.
func play(t *testing.T, target workload.Target, p *Parameters, batches int) (failed []error, done int, bytes int64) {
	t.Helper()
	s, err := Workload{}.Open(t.Context(), target, p, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	var moved byteCounter
	for range batches {
		if err := s.Do(t.Context(), &moved); err != nil {
			failed = append(failed, err)
		} else {
			done++
		}
	}
	return failed, done, moved.bytes
}

// byteCounter counts bytes.
type byteCounter struct {
	workload.Recorder
	bytes int64
}

func (*byteCounter) Observe(int, time.Time, time.Duration, workload.Outcome) {}
func (c *byteCounter) Moved(_ int, bytes int64)                              { c.bytes += bytes }
