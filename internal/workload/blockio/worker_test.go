package blockio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
	"plimsoll/internal/workload/mix"
	"plimsoll/test/quick"
)

// counter takes what a session reports.
type counter struct {
	t        *testing.T
	counts   [8]int
	failed   int
	bytes    int64
	receipts [][]byte
}

func (c *counter) Observe(operation int, start time.Time, d time.Duration, o workload.Outcome) {
	if d < 0 || start.IsZero() {
		c.t.Errorf("operation %d began at %v and took %v", operation, start, d)
	}
	if o == workload.Failed {
		if operation == 0 {
			c.failed++
		}
		return
	}
	c.counts[operation]++
}

func (c *counter) Moved(_ int, bytes int64) { c.bytes += bytes }
func (*counter) Spent(int, describe.Effort) {}
func (c *counter) Receipt(r []byte)         { c.receipts = append(c.receipts, append([]byte(nil), r...)) }

// some is a Pace of so many units at once.
type some int

func (n *some) Next() (time.Time, bool) {
	*n--
	return time.Time{}, *n >= 0
}

// bench is a prepared volume.
type bench struct {
	t      *testing.T
	p      *Parameters
	target workload.Target
}

// small returns parameters that fit tests.
func small(change func(*Parameters)) *Parameters {
	p := defaults()
	p.Size = 1 << 20
	if change != nil {
		change(p)
	}
	return p
}

func prepared(t *testing.T, p *Parameters, users int) *bench {
	t.Helper()
	dir := t.TempDir()
	b := &bench{t, p, workload.Target{Users: users, Endpoints: []endpoint.Endpoint{endpoint.OfDirectory(volumeRole, dir)}}}
	err := Workload{}.Prepare(t.Context(), b.target, p, 1, func(float64) {})
	if err != nil && strings.Contains(err.Error(), "no direct I/O") {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) file() string { return filepath.Join(endpoint.PathOf(b.target.Endpoints[0]), fileName) }

// play has every user do so many I/Os and returns the errors of Do.
func (b *bench) play(units int, meddle func()) (all []*counter, errs []error) {
	var wait sync.WaitGroup
	var mu sync.Mutex
	for user := range b.target.Users {
		c := &counter{t: b.t}
		all = append(all, c)
		wait.Go(func() {
			err := b.user(user, units, c, meddle)
			mu.Lock()
			defer mu.Unlock()
			errs = append(errs, err...)
		})
	}
	wait.Wait()
	return all, errs
}

func (b *bench) user(user, units int, c *counter, meddle func()) (errs []error) {
	s, err := Workload{}.Open(b.t.Context(), b.target, b.p, user, uint64(100+user))
	if err != nil {
		return []error{err}
	}
	defer func() {
		if err := s.Close(); err != nil {
			b.t.Error(err)
		}
	}()
	if meddle != nil {
		meddle()
	}
	n := some(units)
	s.(workload.PacedSession).Pace(&n)
	for {
		err := s.Do(b.t.Context(), c)
		if errors.Is(err, workload.ErrFinished) {
			return errs
		}
		if err != nil {
			errs = append(errs, err)
		}
		if s.Broken() {
			return append(errs, errors.New("the session is broken"))
		}
	}
}

func (b *bench) audit(receipts [][]byte) describe.Audit {
	b.t.Helper()
	a, err := Workload{}.Audit(b.t.Context(), b.target, b.p, 1, func(yield func([]byte) bool) error {
		for _, r := range receipts {
			if !yield(r) {
				break
			}
		}
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return a
}

func receiptsOf(all []*counter) (receipts [][]byte) {
	for _, c := range all {
		receipts = append(receipts, c.receipts...)
	}
	return receipts
}

func TestWorkersReadBackWhatTheyWrote(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for name, p := range map[string]*Parameters{
		"defaults": small(nil),
		"mix": small(func(p *Parameters) {
			p.Block = mix.Sizes{{Bytes: 4096, Weight: 50}, {Bytes: 16384, Weight: 30}, {Bytes: 512, Weight: 20}}
		}),
		"unaligned": small(func(p *Parameters) { p.Alignment = 512 }),
		"sequential": small(func(p *Parameters) {
			p.Access, p.Block, p.Read = accessSequential, mix.Sizes{{Bytes: 65536, Weight: 1}}, 50
		}),
		"buffered":  small(func(p *Parameters) { p.Mode = modeBuffered }),
		"dsync":     small(func(p *Parameters) { p.Dsync = true }),
		"hot":       small(func(p *Parameters) { p.Distribution, p.Outstanding = "zipfian:1.2", 32 }),
		"one block": small(func(p *Parameters) { p.Size, p.Outstanding = 4*4096, 64 }),
		"odd size":  small(func(p *Parameters) { p.Block, p.Size = mix.Sizes{{Bytes: 12 << 10, Weight: 1}}, 1000<<10 }),
	} {
		t.Run(name, func(t *testing.T) {
			b := prepared(t, p, 3)
			const each = 2000
			all, errs := b.play(each, nil)
			for _, err := range errs {
				t.Error(err)
			}
			for user, c := range all {
				if c.counts[0] != each {
					t.Errorf("user %d did %d I/Os, want %d", user, c.counts[0], each)
				}
			}
			a := b.audit(receiptsOf(all))
			if !a.Passed() || a.Acknowledged == 0 || a.Present != a.Acknowledged {
				t.Errorf("%+v", a)
			}
		})
	}
}

// What another program writes shows as soon as it is read.
func TestForeignWritesAreFound(t *testing.T) {
	old := make([]byte, 4096)
	for name, c := range map[string]struct {
		class string
		write func(t *testing.T, f *os.File, offset int64)
	}{
		"zeros": {blockcheck.Foreign, func(t *testing.T, f *os.File, offset int64) { put(t, f, make([]byte, 4096), offset) }},
		"one bit": {blockcheck.Corrupt, func(t *testing.T, f *os.File, offset int64) {
			get(t, f, old, offset)
			old[1000] ^= 4
			put(t, f, old, offset)
		}},
		"the neighbour's": {blockcheck.Misplaced, func(t *testing.T, f *os.File, offset int64) {
			get(t, f, old, offset-4096)
			put(t, f, old, offset)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b := prepared(t, small(func(p *Parameters) { p.Read, p.Mode = 100, modeBuffered }), 1)
			const offset = 100 * 4096
			f := open(t, b.file())
			_, errs := b.play(3000, func() { c.write(t, f, offset) })
			if len(errs) == 0 {
				t.Fatal("nothing was found")
			}
			for _, err := range errs {
				e, ok := errors.AsType[*blockcheck.Error](err)
				if !ok || e.Class != c.class || e.Offset != offset {
					t.Errorf("%v, want class %s at offset %d", err, c.class, offset)
				}
			}
		})
	}
}

// Writes that the medium acknowledges and loses are stale when they are read.
func TestLostWritesAreStale(t *testing.T) {
	b := prepared(t, small(func(p *Parameters) { p.Mode, p.Outstanding, p.Size = modeBuffered, 1, 64<<10 }), 1)
	before, err := os.ReadFile(b.file())
	if err != nil {
		t.Fatal(err)
	}
	w, err := openWorker(b.target, b.p, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	c := &counter{t: t}
	n := some(1000)
	w.Pace(&n)
	for c.counts[0] < 500 {
		if err := w.Do(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	put(t, open(t, b.file()), before, 0) // as it was: 150 writes are lost
	for {
		err := w.Do(t.Context(), c)
		if e, ok := errors.AsType[*blockcheck.Error](err); ok && e.Class == blockcheck.Stale {
			t.Log(err)
			return
		}
		if err != nil {
			t.Fatalf("%v, want a stale block", err)
		}
	}
}

// A volume that shrinks gives short reads and none behind its end.
func TestShortReadsAreErrors(t *testing.T) {
	b := prepared(t, small(func(p *Parameters) {
		p.Read, p.Mode, p.Block, p.Outstanding = 100, modeBuffered, mix.Sizes{{Bytes: 8192, Weight: 1}}, 4
	}), 1)
	_, errs := b.play(500, func() {
		if err := os.Truncate(b.file(), 512<<10+4096); err != nil {
			t.Fatal(err)
		}
	})
	if len(errs) < 100 {
		t.Fatalf("%d errors although half of the volume is gone", len(errs))
	}
	for _, err := range errs {
		if _, ok := errors.AsType[*fileio.ShortError](err); !ok {
			t.Fatalf("%v is no short I/O", err)
		}
	}
}

func TestVolumesThatDoNotFit(t *testing.T) {
	b := prepared(t, small(nil), 1)
	open := func(change func(b *bench)) error {
		other := *b
		p := *b.p
		other.p, other.target = &p, workload.Target{Users: 1, Endpoints: b.target.Endpoints}
		change(&other)
		s, err := Workload{}.Open(t.Context(), other.target, other.p, 0, 1)
		if err == nil {
			_ = s.Close()
		}
		return err
	}
	for name, c := range map[string]struct {
		change func(b *bench)
		want   string
	}{
		"of another instance": {func(b *bench) { b.target.Instance = 3 }, "prepared for instance 0"},
		"too small":           {func(b *bench) { b.p.Size = 1 << 30 }, "too small"},
		"of other blocks":     {func(b *bench) { b.p.Block = mix.Sizes{{Bytes: 8192, Weight: 1}} }, "was not prepared with these parameters"},
		"too many workers":    {func(b *bench) { b.target.Users, b.p.Block = 1000, mix.Sizes{{Bytes: 4096, Weight: 1}} }, "fewer workers"},
		"not there": {func(b *bench) {
			b.target.Endpoints = []endpoint.Endpoint{endpoint.OfDirectory(volumeRole, t.TempDir())}
		}, "no such file"},
	} {
		if err := open(c.change); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestPrepareRefuses(t *testing.T) {
	b := prepared(t, small(nil), 1)
	prepare := func(dir string, p *Parameters) error {
		return Workload{}.Prepare(t.Context(), workload.Target{Endpoints: []endpoint.Endpoint{endpoint.OfDirectory(volumeRole, dir)}}, p, 1, func(float64) {})
	}
	if err := prepare(filepath.Dir(b.file()), b.p); err == nil || !strings.Contains(err.Error(), "must be empty") {
		t.Errorf("a second time: %v", err)
	}
	if err := prepare(t.TempDir(), small(func(p *Parameters) { p.Size = 1 << 55 })); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("more than there is: %v", err)
	}
	if err := prepare(t.TempDir(), small(func(p *Parameters) { p.Size = 0 })); err == nil || !strings.Contains(err.Error(), "size 0") {
		t.Errorf("no size: %v", err)
	}
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	target := workload.Target{Endpoints: []endpoint.Endpoint{endpoint.OfDirectory(volumeRole, dir)}}
	if err := (Workload{}).Prepare(ctx, target, b.p, 1, func(float64) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("it left %v, %v", left, err)
	}
}

// The audit finds what no read of the trial has met.
func TestAuditFindsDamage(t *testing.T) {
	b := prepared(t, small(func(p *Parameters) { p.Mode = modeBuffered }), 2)
	all, errs := b.play(1000, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	receipts := receiptsOf(all)
	whole := b.audit(receipts)
	if !whole.Passed() || whole.Doubtful != 0 {
		t.Fatalf("%+v", whole)
	}
	fails := func(name, check string, receipts [][]byte) {
		t.Helper()
		for _, c := range b.audit(receipts).Checks {
			if c.Name == check && !c.Passed {
				return
			}
		}
		t.Errorf("%s: %q passed", name, check)
	}
	fails("receipts are missing", checkCovered, receipts[1:])
	fails("receipts are there twice", checkOnce, append(receipts, receipts[0]))
	f := open(t, b.file())
	block := make([]byte, 4096)
	get(t, f, block, 40960)
	put(t, f, make([]byte, 512), 40960+512)
	fails("a sector is gone", checkContent, receipts)
	put(t, f, block, 40960)
	if !b.audit(receipts).Passed() {
		t.Error("the audit fails although the block is back")
	}
	if err := os.Truncate(b.file(), 1<<20-4096); err != nil {
		t.Fatal(err)
	}
	if _, err := (Workload{}).Audit(t.Context(), b.target, b.p, 1, func(func([]byte) bool) error { return nil }); err == nil || !strings.Contains(err.Error(), "too small") {
		t.Errorf("a volume that shrank: %v", err)
	}
}

func TestDamagedReceipts(t *testing.T) {
	b := prepared(t, small(nil), 1)
	all, _ := b.play(100, nil)
	receipt := receiptsOf(all)[0]
	for i := range receipt {
		k := claims{}
		_ = k.add(receipt[:i], 256) // must not panic
		cut := append([]byte(nil), receipt...)
		cut[i] ^= 0x55
		_ = k.add(cut, 256)
	}
	if err := (&claims{}).add(receipt, 255); err == nil {
		t.Error("a receipt of more blocks than there are was taken")
	}
}

// A rate is kept, and what waits counts from when it was due.
func TestWorkersFollowASchedule(t *testing.T) {
	b := prepared(t, small(nil), 1)
	w, err := openWorker(b.target, b.p, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	c := &counter{t: t}
	w.Pace(&every{next: time.Now(), gap: time.Millisecond, left: 100})
	for {
		err := w.Do(t.Context(), c)
		if errors.Is(err, workload.ErrFinished) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if c.counts[0] != 100 {
		t.Errorf("%d I/Os, want 100", c.counts[0])
	}
}

type every struct {
	next time.Time
	gap  time.Duration
	left int
}

func (e *every) Next() (time.Time, bool) {
	e.left--
	due := e.next
	e.next = due.Add(e.gap)
	return due, e.left >= 0
}

func TestOperations(t *testing.T) {
	for _, c := range []struct {
		change func(*Parameters)
		want   string
	}{
		{nil, "[I/O read write]"},
		{func(p *Parameters) { p.Read = 100 }, "[I/O read]"},
		{func(p *Parameters) { p.Read = 0 }, "[I/O write]"},
		{func(p *Parameters) { p.Block = mix.Sizes{{Bytes: 4096, Weight: 1}, {Bytes: 65536, Weight: 1}} }, "[I/O read-4KiB read-64KiB write-4KiB write-64KiB]"},
	} {
		if got := fmt.Sprint(Workload{}.Describe(small(c.change)).Operations); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

func TestRequests(t *testing.T) {
	in := func(sizes string, access string, alignment int64) func(*Parameters) {
		return func(p *Parameters) {
			p.Block, _ = mix.ParseSizes(sizes)
			p.Access, p.Alignment, p.Read = access, unit.Bytes(alignment), 75
		}
	}
	for name, c := range map[string]struct {
		change     func(*Parameters)
		bytes      float64
		sequential float64 // below 0 for not known
	}{
		"random":                         {in("16KiB", accessRandom, 0), 16384, 0},
		"random of two sizes":            {in("4KiB:3, 64KiB:1", accessRandom, 0), 19456, 0},
		"sequential":                     {in("1MiB", accessSequential, 0), 1 << 20, 1},
		"sequential, aligned below size": {in("4KiB:1, 64KiB:1", accessSequential, 512), 34816, 1},
		"sequential with gaps":           {in("4KiB:1, 64KiB:1", accessSequential, 0), 34816, -1},
		"sequential, aligned above size": {in("4KiB", accessSequential, 8192), 4096, -1},
	} {
		all := Workload{}.Describe(small(c.change)).Requests
		if len(all) != 2 || all[0].Direction != describe.Reads || all[0].PerUnit != 0.75 || all[1].Direction != describe.Writes || all[1].PerUnit != 0.25 {
			t.Errorf("%s: %+v", name, all)
			continue
		}
		got := -1.0
		if all[1].Sequential != nil {
			got = *all[1].Sequential
		}
		if all[0].Bytes != c.bytes || got != c.sequential {
			t.Errorf("%s: %v bytes, %v sequential; want %v, %v", name, all[0].Bytes, got, c.bytes, c.sequential)
		}
	}
	if all := (Workload{}).Describe(small(func(p *Parameters) { p.Read = 0 })).Requests; len(all) != 1 || all[0].Direction != describe.Writes {
		t.Errorf("of writes alone: %+v", all)
	}
	if all := (Workload{}).Describe(small(func(p *Parameters) { p.Block = nil })).Requests; all != nil {
		t.Errorf("of no size: %+v", all)
	}
}

func TestParametersThatCannotBe(t *testing.T) {
	for field, change := range map[string]func(*Parameters){
		"read":         func(p *Parameters) { p.Read = 101 },
		"occupied":     func(p *Parameters) { p.Occupied = -1 },
		"block":        func(p *Parameters) { p.Block = mix.Sizes{{Bytes: 1000, Weight: 1}} },
		"alignment":    func(p *Parameters) { p.Alignment = 100 },
		"size":         func(p *Parameters) { p.Size = 512 },
		"outstanding":  func(p *Parameters) { p.Outstanding = 0 },
		"access":       func(p *Parameters) { p.Access = "backwards" },
		"mode":         func(p *Parameters) { p.Mode = "sync" },
		"distribution": func(p *Parameters) { p.Distribution = "zipfian" },
	} {
		p := small(change)
		found := false
		for _, e := range p.Validate() {
			found = found || e.Path == field
		}
		if !found {
			t.Errorf("%s: %+v", field, p.Validate())
		}
	}
	for _, text := range []string{"zipfian:0", "zipfian:x", "pareto:0.5", "pareto:-1", "hotspot:90", "hotspot:90/0", "hotspot:101/10", "uniform:1", "normal", ""} {
		if p := small(func(p *Parameters) { p.Distribution = text }); len(p.Validate()) == 0 {
			t.Errorf("distribution %q was taken", text)
		}
	}
	for _, text := range []string{"", "4KiB,8KiB", "4KiB:0,8KiB:1", "4KiB:x", "4KiB:1,", "-4"} {
		if m, err := mix.ParseSizes(text); err == nil {
			t.Errorf("mix %q was taken as %v", text, m)
		}
	}
}

func TestMixesComeBackAsTheyWent(t *testing.T) {
	for _, text := range []string{"4KiB", "4KiB:80, 64KiB:20", "512B:1.5, 1MiB:2"} {
		m, err := mix.ParseSizes(text)
		if err != nil || m.String() != text {
			t.Errorf("%q became %q, %v", text, m, err)
		}
	}
	if unit.Bytes(4096).String() != "4KiB" {
		t.Error("sizes are not written as they are read")
	}
}

// Many workers in one process, as a driver has them.
func TestManyWorkersAtOnce(t *testing.T) {
	before := runtime.GOMAXPROCS(2)
	defer runtime.GOMAXPROCS(before)
	b := prepared(t, small(nil), 16)
	all, errs := b.play(300, nil)
	if len(errs) > 0 || !b.audit(receiptsOf(all)).Passed() {
		t.Error(errs)
	}
}

func open(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func get(t *testing.T, f *os.File, b []byte, offset int64) {
	t.Helper()
	if _, err := f.ReadAt(b, offset); err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, f *os.File, b []byte, offset int64) {
	t.Helper()
	if _, err := f.WriteAt(b, offset); err != nil {
		t.Fatal(err)
	}
}
