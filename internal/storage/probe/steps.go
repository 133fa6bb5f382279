package probe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/mounts"
)

// Names of the measures.
const (
	fillStream   = "sequential write"
	readStream   = "sequential read"
	readAlone    = "random read"
	readAgain    = "random read, again"
	readDeep     = "random read, 32 at once"
	writeAlone   = "random write"
	writeDeep    = "random write, 16 at once"
	flushAlone   = "write and flush"
	dsyncAlone   = "synchronous write"
	writeNew     = "random write to new space"
	readHole     = "random read of a hole"
	readBuffered = "random read through the page cache"
)

const (
	small  = 4 << 10
	record = 8 << 10 // a database page, or a record of its log
	large  = 1 << 20

	// streamDepth is how many requests of a stream are under way, as the
	// read-ahead and write-back of a file system keep several.
	streamDepth = 8
)

// probe is one run over a directory.
type probe struct {
	o        Options
	dir      string
	progress func(string, float64)
	began    time.Time
	file     *os.File
	facts    facts
}

// facts are what findings are made from.
type facts struct {
	path      string
	mount     mounts.Mount
	devices   []Device
	space     mounts.Space
	memory    int64
	direct    bool
	size      int64 // of the file
	protected bool
	drain     float64 // seconds of the first flush after many writes
	measures  map[string]outcome
	order     []string
}

// prepare looks at the path and opens the test file.
func prepare(path string, o Options, progress func(string, float64)) (*probe, error) {
	if o.Duration <= 0 {
		o.Duration = 40 * time.Second
	}
	if o.Seed == 0 {
		o.Seed = 1
	}
	p := &probe{o: o, dir: path, progress: progress, began: time.Now()}
	if err := p.look(); err != nil {
		return nil, err
	}
	const least = 64 << 20
	if p.facts.size < least {
		return nil, fmt.Errorf("probe %s: only %d bytes are free, a probe takes at least 256 MiB: free some", path, p.facts.space.Free)
	}
	return p, nil
}

func (p *probe) look() (err error) {
	if info, err := os.Stat(p.dir); err != nil || !info.IsDir() {
		return fmt.Errorf("probe %s: it is not a directory", p.dir)
	}
	f := &p.facts
	f.path, f.protected, f.measures = p.dir, p.o.Protected, map[string]outcome{}
	if f.mount, err = mounts.Find(p.dir); err != nil {
		return err
	}
	if f.space, err = mounts.SpaceOf(p.dir); err != nil {
		return err
	}
	for _, name := range f.mount.Devices() {
		f.devices = append(f.devices, describeDevice(name))
	}
	f.memory = totalMemory()
	f.size = min(f.space.Free/4, 4<<30)
	if p.o.Size > 0 {
		f.size = min(f.size, p.o.Size)
	}
	f.size = f.size / large * large
	return nil
}

func describeDevice(name string) Device {
	text := func(file string) string {
		b, _ := os.ReadFile(filepath.Join("/sys/block", name, file))
		return strings.TrimSpace(string(b))
	}
	_, scheduler, _ := strings.Cut(text("queue/scheduler"), "[")
	scheduler, _, _ = strings.Cut(scheduler, "]")
	return Device{
		Name: name, Rotates: mounts.Rotates(name), WriteCache: text("queue/write_cache"),
		Scheduler: scheduler, Model: text("device/model"),
	}
}

func totalMemory() int64 {
	var s unix.Sysinfo_t
	if unix.Sysinfo(&s) != nil {
		return 0
	}
	return int64(s.Totalram) * int64(s.Unit)
}

// create makes a file with direct I/O where the file system can, and removes
// its name at once, so that nothing stays behind whatever happens.
func (p *probe) create(name string) (*os.File, error) {
	path := filepath.Join(p.dir, fmt.Sprintf(".plimsoll-probe-%d-%s", os.Getpid(), name))
	const flags = os.O_CREATE | os.O_EXCL | os.O_RDWR
	f, err := os.OpenFile(path, flags|unix.O_DIRECT, 0o600)
	p.facts.direct = err == nil
	if errors.Is(err, unix.EINVAL) {
		_ = os.Remove(path) // some file systems make it before they refuse
		f, err = os.OpenFile(path, flags, 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.dir, err)
	}
	if err := os.Remove(path); err != nil {
		return nil, errors.Join(fmt.Errorf("probe %s: %w", p.dir, err), f.Close())
	}
	return f, nil
}

func (p *probe) cleanUp() {
	if p.file != nil {
		_ = p.file.Close() // the file has no name any more
	}
}

// measure goes through the patterns.
func (p *probe) measure(ctx context.Context) (err error) {
	if p.file, err = p.create("data"); err != nil {
		return err
	}
	if err := p.fill(ctx); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{p.reads, p.writes, p.flushes, p.newSpace, p.buffered} {
		if err := step(ctx); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("probe %s: %w", p.dir, err)
		}
	}
	return nil
}

// try runs one pattern on a file and keeps its outcome.
func (p *probe) try(ctx context.Context, f *os.File, x pattern) error {
	if p.progress != nil {
		p.progress(x.text, min(1, time.Since(p.began).Seconds()/p.o.Duration.Seconds()))
	}
	x.seed, x.depth = p.o.Seed, max(1, x.depth)
	if x.to == 0 {
		x.to = p.facts.size
	}
	o, err := run(ctx, f, x, time.Duration(x.share*float64(p.o.Duration)))
	if err != nil {
		return fmt.Errorf("probe %s: %w", p.dir, err)
	}
	p.facts.measures[x.name] = o
	p.facts.order = append(p.facts.order, x.name)
	return nil
}

// fill writes the file from its beginning as long as time allows; that is its
// size from then on.
func (p *probe) fill(ctx context.Context) error {
	err := p.try(ctx, p.file, pattern{name: fillStream, text: "write a stream", kind: write, block: large, depth: streamDepth, share: 0.2})
	if err != nil {
		return err
	}
	p.facts.size = p.facts.measures[fillStream].Operations * large
	if p.facts.size == 0 {
		return fmt.Errorf("probe %s: not even a megabyte was written in %s", p.dir, time.Duration(0.2*float64(p.o.Duration)))
	}
	if err := p.file.Sync(); err != nil {
		return fmt.Errorf("probe %s: flush: %w", p.dir, err)
	}
	return nil
}

func (p *probe) reads(ctx context.Context) error {
	// The same seed reads the same places again: only a cache below the file
	// system can make that faster.
	const places = 2000
	for _, x := range []pattern{
		{name: readAlone, text: "read at random", block: small, random: true, share: 0.1, limit: places},
		{name: readAgain, text: "read the same again", block: small, random: true, share: 0.05, limit: places},
		{name: readDeep, text: "read at random, 32 at once", block: small, random: true, depth: 32, share: 0.1},
		{name: readStream, text: "read a stream", block: large, depth: streamDepth, share: 0.1},
	} {
		if err := p.try(ctx, p.file, x); err != nil {
			return err
		}
	}
	return nil
}

// writes measures writes that nobody flushes, and then how long it takes to
// flush them all.
func (p *probe) writes(ctx context.Context) error {
	for _, x := range []pattern{
		{name: writeAlone, text: "write at random", kind: write, block: small, random: true, share: 0.06, limit: p.burst()},
		{name: writeDeep, text: "write at random, 16 at once", kind: write, block: small, random: true, depth: 16, share: 0.1, limit: 2 * p.burst()},
	} {
		if err := p.try(ctx, p.file, x); err != nil {
			return err
		}
	}
	return p.drain()
}

// burst bounds unflushed writes where a flush of them would take longer than
// a probe may; 0 is no bound.
func (p *probe) burst() int64 {
	if p.facts.rotates() {
		return 1000
	}
	return 0
}

func (p *probe) drain() error {
	began := time.Now()
	if err := unix.Fdatasync(int(p.file.Fd())); err != nil {
		return fmt.Errorf("probe %s: flush: %w", p.dir, err)
	}
	p.facts.drain = time.Since(began).Seconds()
	return nil
}

// flushes writes in place, as a database does to its log, so that a flush
// moves no metadata.
func (p *probe) flushes(ctx context.Context) error {
	err := p.try(ctx, p.file, pattern{name: flushAlone, text: "write and flush", kind: writeFlush, block: record, random: true, share: 0.12})
	if err != nil {
		return err
	}
	return p.try(ctx, p.file, pattern{name: dsyncAlone, text: "write synchronously", kind: writeDsync, block: record, random: true, share: 0.07})
}

// newSpace uses a file that has a size and no blocks.
func (p *probe) newSpace(ctx context.Context) error {
	f, err := p.create("sparse")
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(p.facts.size); err != nil {
		return fmt.Errorf("probe %s: %w", p.dir, err)
	}
	err = p.try(ctx, f, pattern{name: readHole, text: "read a hole", block: small, random: true, share: 0.01})
	if err != nil {
		return err
	}
	return p.try(ctx, f, pattern{name: writeNew, text: "write to new space", kind: write, block: small, random: true, share: 0.05, limit: p.burst()})
}

// buffered reads a part of the file that is in the page cache.
func (p *probe) buffered(ctx context.Context) error {
	if _, err := unix.FcntlInt(p.file.Fd(), unix.F_SETFL, 0); err != nil { // without O_DIRECT
		return fmt.Errorf("probe %s: %w", p.dir, err)
	}
	part := min(p.facts.size, 16<<20)
	warm := pattern{name: readBuffered, text: "read into the page cache", block: large, to: part, share: 0.02}
	if err := p.try(ctx, p.file, warm); err != nil {
		return err
	}
	p.facts.order = p.facts.order[:len(p.facts.order)-1]
	return p.try(ctx, p.file, pattern{name: readBuffered, text: "read from the page cache", block: small, random: true, to: part, share: 0.02})
}

func (p *probe) report() Report {
	f := p.facts
	r := Report{
		Path: f.path, Devices: f.devices, FileSystem: f.mount.Type, MountPoint: f.mount.Point,
		MountOptions: f.mount.Options, Capacity: f.space.Capacity, Free: f.space.Free,
		Memory: f.memory, FileSize: f.size, Direct: f.direct,
	}
	for _, name := range f.order {
		r.Measures = append(r.Measures, f.measures[name].Measure)
	}
	return r
}
