package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/describe/errorclass"
	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/driver"
	"plimsoll/internal/workload/fileio"

	"golang.org/x/sys/unix"
)

// counter takes what a worker reports.
type counter struct {
	t            *testing.T
	operations   []string
	done, failed map[string]int
	bytes        int64
	receipts     [][]byte
}

func (c *counter) Observe(operation int, start time.Time, d time.Duration, o workload.Outcome) {
	if d < 0 || start.IsZero() {
		c.t.Errorf("operation %d began at %v and took %v", operation, start, d)
	}
	if o == workload.Failed {
		c.failed[c.operations[operation]]++
		return
	}
	c.done[c.operations[operation]]++
}

func (c *counter) Moved(_ int, bytes int64) { c.bytes += bytes }
func (*counter) Spent(int, describe.Effort) {}
func (c *counter) Receipt(r []byte)         { c.receipts = append(c.receipts, slices.Clone(r)) }

// some is a Pace of so many blocks at once.
type some int

func (n *some) Next() (time.Time, bool) {
	*n--
	return time.Time{}, *n >= 0
}

// bench is a prepared volume with one worker.
type bench struct {
	t      *testing.T
	p      *Parameters
	target workload.Target
	*worker
	counter *counter
	left    some
}

// small returns parameters that fit tests: two files of four blocks, the last one
// short.
func small(change func(*Parameters)) *Parameters {
	p := defaults()
	p.Files, p.BlockSize, p.FileSize = 2, 4096, 4*4096-1000
	if change != nil {
		change(p)
	}
	return p
}

func prepared(t *testing.T, dir string, change func(*Parameters)) *bench {
	t.Helper()
	p := small(change)
	b := &bench{t: t, p: p, target: workload.Target{Users: 1, Endpoints: []endpoint.Endpoint{endpoint.OfDirectory(fileio.VolumeRole, dir)}}}
	if err := (Workload{}).Prepare(t.Context(), b.target, p, 1, func(float64) {}); err != nil {
		t.Fatal(err)
	}
	s, err := Workload{}.Open(t.Context(), b.target, p, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	b.worker = s.(*worker)
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	b.counter = &counter{t: t, operations: p.operations(), done: map[string]int{}, failed: map[string]int{}}
	b.Pace(&b.left)
	return b
}

// play does so many more blocks, or all that are left, and returns the errors of Do.
func (b *bench) play(blocks int) (errs []error) {
	for b.left += some(blocks); b.left > 0 || b.Waits; {
		err := b.Do(b.t.Context(), b.counter)
		if errors.Is(err, workload.ErrFinished) {
			return errs
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// passes ends the worker and audits.
func (b *bench) passes() bool {
	b.t.Helper()
	b.left = 0
	for !b.given {
		if err := b.Do(b.t.Context(), b.counter); err != nil && !errors.Is(err, workload.ErrFinished) {
			b.t.Log(err)
		}
	}
	a, err := Workload{}.Audit(b.t.Context(), b.target, b.p, 1, func(yield func([]byte) bool) error {
		for _, r := range b.counter.receipts {
			if !yield(r) {
				break
			}
		}
		return nil
	})
	b.t.Logf("%+v, %v", a, err)
	return err == nil && a.Passed() && a.Present == a.Acknowledged
}

func (b *bench) path(file string) string {
	return filepath.Join(endpoint.PathOf(b.target.Endpoints[0]), fileio.DirOf(top, 0), file)
}

// Fixed work uses every file once, and operations other than blocks are reported
// separately.
func TestEachFileOnce(t *testing.T) {
	for operation, want := range map[string]map[string]int{
		write:   {"block": 8, "open": 2, "flush": 2, "close": 2, "file": 2},
		rewrite: {"block": 8, "open": 2, "flush": 2, "close": 2, "file": 2},
		read:    {"block": 8, "open": 2, "close": 2, "file": 2},
	} {
		b := prepared(t, t.TempDir(), func(p *Parameters) { p.Operation, p.Work = operation, once })
		if errs := b.play(1000); len(errs) > 0 {
			t.Errorf("%s: %v", operation, errs)
		}
		for name, n := range want {
			if b.counter.done[name] != n {
				t.Errorf("%s: %v, want %v", operation, b.counter.done, want)
			}
		}
		if b.counter.bytes != 2*int64(b.p.FileSize) || !b.passes() {
			t.Errorf("%s: %d bytes, or the audit fails", operation, b.counter.bytes)
		}
	}
}

// The figure without what IOzone leaves out needs the names of that.
func TestOptionalOperations(t *testing.T) {
	for operation, want := range map[string][]string{
		write: {"flush", "close", "remove"}, rewrite: {"flush", "close"}, read: {"close"},
	} {
		if got := (Workload{}).Describe(small(func(p *Parameters) { p.Operation = operation })).Optional; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", operation, got, want)
		}
	}
}

// Timed work begins again: new files are made in place of the old ones.
func TestFilesAreMadeAgain(t *testing.T) {
	b := prepared(t, t.TempDir(), nil)
	if errs := b.play(8*3 + 1); len(errs) > 0 || b.counter.done["remove"] != 5 || b.counter.done["file"] != 6 || !b.passes() {
		t.Errorf("%v, %v", b.counter.done, errs)
	}
}

// Files that an earlier session left are removed, too.
func TestFilesThatAreThereAlready(t *testing.T) {
	b := prepared(t, t.TempDir(), nil)
	if err := os.WriteFile(b.path("1"), []byte("of an earlier session"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Workload{}.Open(t.Context(), b.target, b.p, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b.worker = s.(*worker)
	b.Pace(&b.left)
	if errs := b.play(8); len(errs) > 0 || b.counter.done["remove"] != 1 || !b.passes() {
		t.Errorf("%v, %v", b.counter.done, errs)
	}
}

// The first reading of files that are read again is no work.
func TestFirstReadingDoesNotCount(t *testing.T) {
	b := prepared(t, t.TempDir(), func(p *Parameters) { p.Operation = reread })
	if errs := b.play(16); len(errs) > 0 || b.counter.done["first-read"] != 8 || b.counter.done["block"] != 16 || !b.passes() {
		t.Errorf("%v, %v", b.counter.done, errs)
	}
}

func TestMixesReadAndWrite(t *testing.T) {
	b := prepared(t, t.TempDir(), func(p *Parameters) { p.Operation, p.Read = mixed, 75 })
	errs := b.play(800)
	if reads := b.counter.done["read"]; len(errs) > 0 || reads < 500 || reads > 700 || reads+b.counter.done["write"] != 800 || !b.passes() {
		t.Errorf("%v, %v", b.counter.done, errs)
	}
}

// Each block that is not as it was written is one error; the others go on.
func TestWrongContentIsFound(t *testing.T) {
	b := prepared(t, t.TempDir(), func(p *Parameters) { p.Operation = read })
	f, err := os.OpenFile(b.path("1"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte{0, 0, 0, 0}, 2*4096+77); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	errs := b.play(16)
	if len(errs) != 2 || driver.Classify(errs[0]) != blockcheck.Corrupt || b.counter.failed["block"] != 2 || b.counter.done["block"] != 14 || b.counter.done["file"] != 4 {
		t.Errorf("%v, %v, %v", errs, b.counter.done, b.counter.failed)
	}
	if !strings.Contains(errs[0].Error(), "offset 8192 of file 2") || b.passes() {
		t.Errorf("%v, or the audit passes", errs[0])
	}
}

// A file that ends early gives one error each time, not one for each block.
func TestShortFiles(t *testing.T) {
	b := prepared(t, t.TempDir(), func(p *Parameters) { p.Operation = read })
	if err := os.Truncate(b.path("0"), 5000); err != nil {
		t.Fatal(err)
	}
	errs := b.play(6)
	if len(errs) != 1 || driver.Classify(errs[0]) != fileio.ShortIO || b.counter.failed["file"] != 1 || b.passes() {
		t.Errorf("%v, %v, or the audit passes", errs, b.counter.failed)
	}
}

// Another directory in the place of the volume is not written to; when the
// volume is back so is the worker.
func TestVolumeThatIsReplaced(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "volume")
	aside := dir + ".aside"
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	b := prepared(t, dir, nil)
	if errs := b.play(8); len(errs) > 0 {
		t.Fatal(errs)
	}
	if err := b.Dir.Close(); err != nil {
		t.Fatal(err)
	}
	b.Dir = removedDir(t) // as when the server of the volume has forgotten it
	if err := errors.Join(os.Rename(dir, aside), os.Mkdir(dir, 0o700)); err != nil {
		t.Fatal(err)
	}
	if errs := b.play(2); len(errs) != 2 {
		t.Errorf("%v", errs)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("in the other directory are %v, %v", left, err)
	}
	if err := errors.Join(os.Remove(dir), os.Rename(aside, dir)); err != nil {
		t.Fatal(err)
	}
	if errs := b.play(9); len(errs) != 1 || !b.passes() { // the first one finds that it is back
		t.Errorf("%v, or the audit fails", errs)
	}
}

// removedDir is an open directory that is no longer there.
func removedDir(t *testing.T) *fileio.Dir {
	t.Helper()
	root, err := fileio.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := root.Make("gone"); err != nil {
		t.Fatal(err)
	}
	dir, err := root.Dir("gone")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(root.Remove("gone"), root.Close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A medium that loses its second half gives input/output errors there.
func TestErrorsOfTheMedium(t *testing.T) {
	dir, image := workloadtest.OnLoop(t, t.TempDir(), 16<<20)
	b := prepared(t, dir, func(p *Parameters) {
		p.Operation, p.IO, p.Files, p.FileSize, p.BlockSize = read, direct, 1, 12<<20, 1<<20
	})
	if err := os.Truncate(image, 8<<20); err != nil {
		t.Fatal(err)
	}
	errs := b.play(20)
	for _, err := range errs {
		if !errors.Is(err, unix.EIO) || driver.Classify(err) != errorclass.InputOutput || !strings.Contains(err.Error(), "files/0/0: read of 1MiB at offset") {
			t.Errorf("%v", err)
		}
	}
	if len(errs) == 0 || b.counter.done["block"] == 0 || b.passes() {
		t.Errorf("%d errors, %v, or the audit passes", len(errs), b.counter.done)
	}
}

// A flush that fails leaves the file in doubt, and is an error.
func TestFailedFlushes(t *testing.T) {
	dir, _ := workloadtest.OnLoop(t, workloadtest.Tmpfs(t, 4<<20), 32<<20)
	b := prepared(t, dir, func(p *Parameters) { p.Files, p.FileSize, p.BlockSize = 1, 12<<20, 1<<20 })
	errs := b.play(12)
	if len(errs) != 1 || driver.Classify(errs[0]) != errorclass.OutOfSpace || b.counter.failed["flush"] != 1 || b.counter.failed["file"] != 1 || b.counter.failed["block"] != 1 {
		t.Errorf("%v, %v", errs, b.counter.failed)
	}
	if !b.passes() {
		t.Error("the audit fails although the file is in doubt")
	}
}

func TestDirectSizesMustFit(t *testing.T) {
	for field, change := range map[string]func(*Parameters){
		"file_size":  func(p *Parameters) { p.IO, p.FileSize = direct, 10_001 },
		"block_size": func(p *Parameters) { p.IO, p.FileSize, p.BlockSize = direct, 10_000<<9, 10_000 },
	} {
		if wrong := small(change).Validate(); len(wrong) != 1 || wrong[0].Path != field {
			t.Errorf("%s: %+v", field, wrong)
		}
	}
	dir, _ := workloadtest.OnLoop(t, t.TempDir(), 16<<20) // whose device may take more than sectors only
	target := workload.Target{Users: 1, Endpoints: []endpoint.Endpoint{endpoint.OfDirectory(fileio.VolumeRole, dir)}}
	err := Workload{}.Prepare(t.Context(), target, small(func(p *Parameters) { p.IO, p.FileSize = direct, 4096*3+512 }), 1, func(float64) {})
	if err != nil && !strings.Contains(err.Error(), "takes direct I/O in multiples of") {
		t.Error(err)
	}
}

// More workers than the volume was prepared for are refused.
func TestWorkersWithoutFiles(t *testing.T) {
	b := prepared(t, t.TempDir(), nil)
	if s, err := (Workload{}).Open(t.Context(), b.target, b.p, 1, 1); err == nil {
		_ = s.Close()
		t.Error("a worker without a directory could begin")
	}
}

// Blocks are due on a schedule, and their wait counts.
func TestWorkersFollowASchedule(t *testing.T) {
	b := prepared(t, t.TempDir(), nil)
	due := time.Now()
	b.Pace(paceFunc(func() (time.Time, bool) {
		due = due.Add(5 * time.Millisecond)
		return due, b.counter.done["block"] < 10
	}))
	for {
		err := b.Do(t.Context(), b.counter)
		if errors.Is(err, workload.ErrFinished) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if b.counter.done["block"] != 10 {
		t.Errorf("%v", b.counter.done)
	}
}

type paceFunc func() (time.Time, bool)

func (f paceFunc) Next() (time.Time, bool) { return f() }

func TestRequests(t *testing.T) {
	for operation, want := range map[string]string{
		write: "[writes 1]", rewrite: "[writes 1]", read: "[reads 1]", reread: "[reads 1]", mixed: "[reads 0.25 writes 0.75]",
	} {
		p := defaults()
		p.Operation, p.Read, p.FileSize, p.BlockSize = operation, 25, 4000, 1024 // the last block is 928 bytes
		var got []any
		for _, r := range (Workload{}).Describe(p).Requests {
			got = append(got, r.Direction, r.PerUnit)
			if r.Bytes != 1000 || r.Sequential == nil || *r.Sequential != 1 {
				t.Errorf("%s: %+v", operation, r)
			}
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s: %v, want %s", operation, got, want)
		}
	}
	p := defaults()
	if p.BlockSize = 0; (Workload{}).Describe(p).Requests != nil {
		t.Error("blocks without a size have requests")
	}
}

func TestWhatIsKnownOfBlocks(t *testing.T) {
	whole := loaded(4)
	half := whole.rewritten(4)
	half.written = 2
	failed := half
	failed.doubt = true
	for name, c := range map[string]struct {
		s    state
		want []uint32
	}{
		"loaded":                   {whole, []uint32{1, 1, 1, 1}},
		"rewritten in part":        {half, []uint32{2, 2, 1, 1}},
		"a write failed":           {failed, []uint32{2, 2, 0, 1}},
		"and was written anew":     {failed.rewritten(4), []uint32{0, 0, 0, 0}},
		"removed":                  {whole.removed(nil), []uint32{0, 0, 0, 0}},
		"removed and made in part": {state{generation: 2, written: 1}, []uint32{2, 0, 0, 0}},
	} {
		for block, want := range c.want {
			if got := c.s.expected(int64(block)); got != want {
				t.Errorf("%s: block %d has generation %d, want %d", name, block, got, want)
			}
		}
	}
}

func TestDamagedReceipts(t *testing.T) {
	p := small(nil)
	receipt := receipts(7, 0, []state{loaded(4), loaded(3)})[0]
	if err := newKnown(7, 1, p).add(receipt); err != nil {
		t.Fatal(err)
	}
	for i := range receipt {
		_ = newKnown(7, 1, p).add(receipt[:i]) // must not panic
		damaged := slices.Clone(receipt)
		damaged[i] ^= 0x55
		_ = newKnown(7, 1, p).add(damaged)
	}
	if newKnown(8, 1, p).add(receipt) == nil || newKnown(7, 0, p).add(receipt) == nil || newKnown(7, 1, p).add(receipt[:5]) == nil {
		t.Error("a receipt of another volume, of too many workers or a part of one was taken")
	}
}
