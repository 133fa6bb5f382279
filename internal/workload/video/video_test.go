package video

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// small has frames of 16 KiB, 8 to a file, and a history of 11 frames.
func small(change func(*Parameters)) *Parameters {
	p := defaults()
	p.Rate, p.Operations, p.Reads, p.ReadSize = 160<<10, 12.5, 20, 8<<10
	p.History, p.Segment, p.IO = 11*16<<10, unit.Duration(800*time.Millisecond), buffered
	if change != nil {
		change(p)
	}
	return p
}

// bench is a volume with streams.
type bench struct {
	t        *testing.T
	p        *Parameters
	target   workload.Target
	receipts [][]byte
}

func prepared(t *testing.T, p *Parameters, streams int) *bench {
	t.Helper()
	if problems := p.Validate(); len(problems) > 0 {
		t.Fatal(problems)
	}
	b := &bench{t: t, p: p, target: workload.Target{
		Users: streams, Endpoints: []endpoint.Endpoint{endpoint.OfDirectory(fileio.VolumeRole, t.TempDir())},
	}}
	if err := (Workload{}).Prepare(t.Context(), b.target, p, 1, func(float64) {}); err != nil {
		t.Fatal(err)
	}
	return b
}

// path is a file of a stream.
func (b *bench) path(parts ...string) string {
	return filepath.Join(append([]string{endpoint.PathOf(b.target.Endpoints[0]), top}, parts...)...)
}

func (b *bench) open(user int) *stream {
	b.t.Helper()
	s, err := Workload{}.Open(b.t.Context(), b.target, b.p, user, uint64(user))
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.t.Error(err)
		}
	})
	return s.(*stream)
}

// recorder counts what streams report.
type recorder struct {
	counts   map[int]int
	failed   map[int]int
	bytes    int64
	receipts [][]byte
}

func newRecorder() *recorder { return &recorder{counts: map[int]int{}, failed: map[int]int{}} }

func (r *recorder) Observe(operation int, _ time.Time, _ time.Duration, o workload.Outcome) {
	if o == workload.Failed {
		r.failed[operation]++
	} else {
		r.counts[operation]++
	}
}
func (r *recorder) Moved(_ int, bytes int64) { r.bytes += bytes }
func (*recorder) Spent(int, describe.Effort) {}
func (r *recorder) Receipt(receipt []byte) {
	r.receipts = append(r.receipts, append([]byte(nil), receipt...))
}

// play does operations of a stream; errors are counted.
func (b *bench) play(s *stream, operations int, rec *recorder) (errs []error) {
	for range operations {
		if err := s.Do(b.t.Context(), rec); err != nil {
			errs = append(errs, err)
		}
	}
	b.receipts = append(b.receipts, rec.receipts...)
	rec.receipts = nil
	return errs
}

func (b *bench) audit() describe.Audit {
	b.t.Helper()
	a, err := Workload{}.Audit(b.t.Context(), b.target, b.p, 1, func(yield func([]byte) bool) error {
		for _, r := range b.receipts {
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

// fails wants that one check alone does not pass.
func (b *bench) fails(why, name string) {
	b.t.Helper()
	for _, c := range b.audit().Checks {
		if c.Passed == (c.Name == name) {
			b.t.Errorf("%s: %q: expected %d, found %d: %q", why, c.Name, c.Expected, c.Found, c.Examples)
		}
	}
}

// The defaults match the published case: ten operations a second, nine of them writes of
// frames of half a megabyte, make 4.6 MB/s.
func TestDefaultsKeepTheRate(t *testing.T) {
	p := defaults()
	if rate := float64(p.frame()) * p.Operations * p.frameShare(); p.frame() != 512_000 || math.Abs(rate/4.6e6-1) > 0.002 {
		t.Errorf("frames of %d bytes make %.0f bytes a second", p.frame(), rate)
	}
	if p.segmentFrames() != 540 {
		t.Errorf("a minute has %d frames", p.segmentFrames())
	}
	reads, gap, last := 0, int64(0), int64(-1)
	for n := range int64(1000) {
		if p.reading(n) {
			reads++
			gap, last = max(gap, n-last), n
		}
	}
	if reads != 100 || gap > 10 {
		t.Errorf("%d of 1000 operations read, up to %d apart", reads, gap)
	}
}

func TestParametersThatCannotBe(t *testing.T) {
	for field, changes := range map[string][]func(*Parameters){
		"rate":       {func(p *Parameters) { p.Rate = 0 }, func(p *Parameters) { p.Rate = 1 << 40 }},
		"operations": {func(p *Parameters) { p.Operations = 0 }, func(p *Parameters) { p.Operations = math.NaN() }},
		"reads":      {func(p *Parameters) { p.Reads = 95 }, func(p *Parameters) { p.Reads = -1 }},
		"read_size":  {func(p *Parameters) { p.ReadSize = 1000 }, func(p *Parameters) { p.ReadSize = 1 << 20 }},
		"history":    {func(p *Parameters) { p.History = 0 }, func(p *Parameters) { p.History = -1 }},
		"segment":    {func(p *Parameters) { p.Segment = 0 }},
		"io":         {func(p *Parameters) { p.IO = "sync" }},
	} {
		for _, change := range changes {
			found := false
			for _, e := range small(change).Validate() {
				found = found || e.Path == field
			}
			if !found {
				t.Errorf("%s: %+v", field, small(change).Validate())
			}
		}
	}
	if all := small(func(p *Parameters) { p.Reads, p.History, p.ReadSize = 0, 0, 0 }).Validate(); len(all) > 0 {
		t.Errorf("recording alone: %v", all)
	}
}

// Streams go on where their history ends, in files of the length that is asked for.
func TestStreamsRecord(t *testing.T) {
	b := prepared(t, small(nil), 2)
	rec := newRecorder()
	for user := range 2 {
		if errs := b.play(b.open(user), 20, rec); errs != nil {
			t.Error(errs)
		}
	}
	names := b.p.names()
	if names[1] != opWrite || names[3] != opRead || rec.counts[0] != 40 || rec.counts[1] != 32 || rec.counts[3] != 8 {
		t.Errorf("%v: %v", names, rec.counts)
	}
	if want := int64(32*16<<10 + 8*8<<10); rec.bytes != want {
		t.Errorf("%d bytes, want %d", rec.bytes, want)
	}
	for segment, frames := range map[string]int64{"0": 8, "1": 8, "2": 8, "3": 3} { // 11 + 16
		if info, err := os.Stat(b.path("1", segment)); err != nil || info.Size() != frames*16<<10 {
			t.Errorf("segment %s: %v, %v", segment, info, err)
		}
	}
	a := b.audit()
	if !a.Passed() || a.Acknowledged != 32 || a.Present != 32 || a.Doubtful != 0 {
		t.Errorf("%+v", a)
	}
}

// What cannot be written is lost and in doubt, the stream goes on with the next frame, and
// no acknowledged frame is missing.
func TestStreamsGoOnAfterFailures(t *testing.T) {
	b := prepared(t, small(func(p *Parameters) { p.Reads, p.Operations = 0, 10 }), 1)
	if err := os.Mkdir(b.path("0", "2"), 0o700); err != nil { // where the next segment is to be
		t.Fatal(err)
	}
	s, rec := b.open(0), newRecorder()
	if errs := b.play(s, 5, rec); errs != nil {
		t.Error(errs)
	}
	if errs := b.play(s, 3, rec); len(errs) != 3 || rec.failed[operation] != 3 {
		t.Errorf("%v; %d operations failed", errs, rec.failed[operation])
	}
	if err := os.Remove(b.path("0", "2")); err != nil {
		t.Fatal(err)
	}
	if errs := b.play(s, 10, rec); errs != nil {
		t.Error(errs)
	}
	if a := b.audit(); !a.Passed() || a.Acknowledged != 15 || a.Present != 15 || a.Doubtful != 3 {
		t.Errorf("%+v", a)
	}
}

func TestAuditFindsDamage(t *testing.T) {
	b := prepared(t, small(nil), 2)
	for user := range 2 {
		if errs := b.play(b.open(user), 20, newRecorder()); errs != nil {
			t.Fatal(errs)
		}
	}
	if a := b.audit(); !a.Passed() {
		t.Fatalf("%+v", a)
	}
	frame := int64(16 << 10)
	for _, c := range []struct {
		why, check string
		file       []string
		damage     func(content []byte) []byte
	}{
		{"a file was cut short by a frame", checkPresent, []string{"0", "2"}, func(c []byte) []byte { return c[:len(c)-int(frame)] }},
		{"a file was cut within a frame", checkPresent, []string{"0", "3"}, func(c []byte) []byte { return c[:len(c)-1] }},
		{"a byte has changed", checkPresent, []string{"1", "2"}, func(c []byte) []byte { c[frame+5000] ^= 1; return c }},
		{"two frames were exchanged", checkPresent, []string{"1", "2"}, func(c []byte) []byte {
			first, second := string(c[:frame]), string(c[frame:2*frame])
			copy(c, second)
			copy(c[frame:], first)
			return c
		}},
		{"there is a frame more", checkNoOther, []string{"1", "3"}, func(c []byte) []byte { return append(c, c[:frame]...) }},
		{"the history has changed", checkHistory, []string{"0", "0"}, func(c []byte) []byte { c[100] ^= 1; return c }},
	} {
		before, err := os.ReadFile(b.path(c.file...))
		if err != nil {
			t.Fatal(err)
		}
		put(t, b.path(c.file...), c.damage([]byte(string(before))))
		b.fails(c.why, c.check)
		put(t, b.path(c.file...), before)
	}
	file := b.path("0", "2")
	content, _ := os.ReadFile(file)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	b.fails("a file was deleted", checkPresent)
	put(t, file, content)
	put(t, b.path("0", "diary"), nil)
	b.fails("there is a strange file", checkNoOther)
	if err := os.Remove(b.path("0", "diary")); err != nil {
		t.Fatal(err)
	}
	all := b.receipts
	b.receipts = append([][]byte(nil), all[1:]...)
	b.fails("the first receipt is missing", checkNoOther)
	b.receipts = append([][]byte(nil), all[:len(all)-1]...)
	b.fails("the last receipt is missing", checkNoOther)
	b.receipts = append([][]byte{all[0]}, all...)
	b.fails("a receipt is there twice", checkOnce)
	b.receipts = all
	if a := b.audit(); !a.Passed() {
		t.Errorf("everything is back, but: %+v", a)
	}
}

func put(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestDamagedReceipts(t *testing.T) {
	b := prepared(t, small(nil), 1)
	b.play(b.open(0), 5, newRecorder())
	good := b.receipts[0]
	for i := range good {
		k := claims{p: b.p, volume: 7, streams: make([][]state, 1)}
		if err := k.add(good[:i]); !errors.Is(err, workload.ErrReceipt) { // also: another volume's
			t.Errorf("%d bytes of it: %v", i, err)
		}
	}
}

// Reads find what the storage has spoilt before the audit does.
func TestReadsAreChecked(t *testing.T) {
	b := prepared(t, small(func(p *Parameters) { p.Reads, p.ReadSize = 50, 16<<10 }), 1)
	for _, segment := range []string{"0", "1"} {
		content, err := os.ReadFile(b.path("0", segment))
		if err != nil {
			t.Fatal(err)
		}
		for at := 1000; at < len(content); at += block {
			content[at] ^= 1
		}
		put(t, b.path("0", segment), content)
	}
	errs := b.play(b.open(0), 20, newRecorder())
	for _, err := range errs {
		if !strings.Contains(err.Error(), "corrupt") {
			t.Error(err)
		}
	}
	if len(errs) == 0 {
		t.Error("no read has met a wrong block")
	}
}

// Streams of one process do not disturb each other, and a cancelled one does nothing.
func TestManyStreams(t *testing.T) {
	const streams = 32
	b := prepared(t, small(nil), streams)
	recs := make([]*recorder, streams)
	var all sync.WaitGroup
	for user := range streams {
		s := b.open(user)
		recs[user] = newRecorder()
		all.Go(func() {
			for range 30 {
				if err := s.Do(context.Background(), recs[user]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for _, rec := range recs {
		b.receipts = append(b.receipts, rec.receipts...)
	}
	if a := b.audit(); !a.Passed() || a.Acknowledged != streams*24 {
		t.Errorf("%+v", a)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rec := newRecorder()
	if err := b.open(0).Do(ctx, rec); !errors.Is(err, context.Canceled) || len(rec.counts)+len(rec.receipts) > 0 {
		t.Errorf("%v, %+v", err, rec)
	}
}
