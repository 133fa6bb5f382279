package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// small has checkpoints of three shards. The last write of each is a short one.
func small(change func(*Parameters)) *Parameters {
	p := defaults()
	p.Size, p.Ranks, p.Rounds, p.WriteSize = 60<<10, 3, 0, 8<<10
	change(p)
	return p
}

func as(*Parameters) {}

func TestConformance(t *testing.T) {
	for name, change := range map[string]func(*Parameters){"buffered": as, "fixed": func(p *Parameters) { p.Rounds = 12 }} {
		t.Run(name, func(t *testing.T) {
			workloadtest.RunOnVolume(t, workloadtest.Suite{
				Workload: workloadtest.Counted{Workload: Workload{}}, Parameters: small(change),
				Wrong: map[string]workload.Parameters{
					"model":         small(func(p *Parameters) { p.Model = "13b" }),
					"size":          small(func(p *Parameters) { p.Size = -1 }),
					"ranks":         small(func(p *Parameters) { p.Ranks = 1025 }),
					"rounds":        small(func(p *Parameters) { p.Rounds = -1 }),
					"keep":          small(func(p *Parameters) { p.Keep = 0 }),
					"write_size":    small(func(p *Parameters) { p.WriteSize = 1000 }),
					"io":            small(func(p *Parameters) { p.IO = "mapped" }),
					"interval":      small(func(p *Parameters) { p.Interval = 0 }),
					"failure_every": small(func(p *Parameters) { p.FailureEvery = -1 }),
				},
			})
		})
	}
}

// Checkpoints are as large as published, each from as many ranks.
func TestPublishedSizes(t *testing.T) {
	for name, want := range map[string]struct {
		size  int64
		ranks int
	}{"8b": {105e9, 8}, "70b": {912e9, 64}, "405b": {5.29e12, 512}, "1t": {18e12, 1024}} {
		p := defaults()
		p.Model = name
		if more := p.whole() - want.size; p.ranks() != want.ranks || more < 0 || more >= int64(want.ranks)*block || strings.Contains(p.describe(), "scaled") {
			t.Errorf("%s: %d bytes, %s", name, p.whole(), p.describe())
		}
	}
	p := defaults()
	p.Size = 1.05e9
	if text := p.describe(); !strings.Contains(text, "scaled to 1 % of its 105GB") {
		t.Errorf("%q", text)
	}
}

// stage is a volume with one job.
type stage struct {
	p        *Parameters
	target   workload.Target
	job      workload.Session
	receipts [][]byte
	moved    map[int]int64
	counts   map[int]int
	slowest  map[int]time.Duration
}

func play(t *testing.T, p *Parameters) *stage {
	t.Helper()
	s := &stage{
		p: p, moved: map[int]int64{}, counts: map[int]int{}, slowest: map[int]time.Duration{},
		target: workload.Target{Users: 1, Endpoints: []endpoint.Endpoint{endpoint.OfDirectory(fileio.VolumeRole, t.TempDir())}},
	}
	must(t, Workload{}.Prepare(t.Context(), s.target, p, 1, func(float64) {}))
	s.open(t)
	return s
}

func (s *stage) open(t *testing.T) {
	t.Helper()
	job, err := Workload{}.Open(t.Context(), s.target, s.p, 0, 1)
	must(t, err)
	t.Cleanup(func() { _ = job.Close() }) // nothing is lost with it
	s.job = job
}

func (s *stage) Observe(operation int, _ time.Time, d time.Duration, _ workload.Outcome) {
	s.counts[operation]++
	s.slowest[operation] = max(s.slowest[operation], d)
}
func (s *stage) Moved(operation int, bytes int64) { s.moved[operation] += bytes }
func (s *stage) Spent(int, describe.Effort)       {}
func (s *stage) Receipt(r []byte)                 { s.receipts = append(s.receipts, slices.Clone(r)) }

func (s *stage) rounds(t *testing.T, n int) {
	t.Helper()
	for range n {
		must(t, s.job.Do(t.Context(), s))
	}
}

func (s *stage) path(name string) string {
	at, _ := endpoint.As[endpoint.Volume](s.target.Endpoint(fileio.VolumeRole))
	return filepath.Join(at.Path, fileio.DirOf(top, 0), name)
}

// audit returns the checks that fail.
func (s *stage) audit(t *testing.T) (a describe.Audit, failed []string) {
	t.Helper()
	a, err := Workload{}.Audit(t.Context(), s.target, s.p, 1, func(yield func([]byte) bool) error {
		for _, r := range s.receipts {
			if !yield(r) {
				break
			}
		}
		return nil
	})
	must(t, err)
	for _, c := range a.Checks {
		if !c.Passed {
			failed = append(failed, c.Name)
			t.Logf("%s: expected %d, found %d: %q", c.Name, c.Expected, c.Found, c.Examples)
		}
	}
	return a, failed
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A round saves a checkpoint, restores it and removes the oldest; the operations on whole
// checkpoints last as long as the slowest rank.
func TestRoundsAndWhatIsKept(t *testing.T) {
	for _, io := range []string{buffered, direct} {
		t.Run(io, func(t *testing.T) {
			s := play(t, small(func(p *Parameters) { p.IO, p.Rounds = io, 5 }))
			if err := s.job.Do(t.Context(), s); io == direct && err != nil && strings.Contains(err.Error(), "no direct I/O") {
				t.Skip(err)
			} else {
				must(t, err)
			}
			s.rounds(t, 4)
			if err := s.job.Do(t.Context(), s); !errors.Is(err, workload.ErrFinished) {
				t.Errorf("after five rounds: %v", err)
			}
			want := map[int]int{0: 5, 1: 5, 2: 5, 3: 15, 4: 15, 5: 15, 6: 4}
			if fmt.Sprint(s.counts) != fmt.Sprint(want) {
				t.Errorf("operations %v, want %v", s.counts, want)
			}
			if whole := s.p.whole(); s.moved[1] != 5*whole || s.moved[2] != 5*whole || s.moved[0] != 10*whole {
				t.Errorf("moved %v of checkpoints of %d", s.moved, whole)
			}
			if s.slowest[1] < s.slowest[3] || s.slowest[2] < s.slowest[5] {
				t.Errorf("the slowest of each: %v", s.slowest)
			}
			left, err := filepath.Glob(s.path("*." + complete))
			if must(t, err); len(left) != 2 || filepath.Base(left[1]) != nameOf(5, complete) {
				t.Errorf("complete are %v", left)
			}
			if a, failed := s.audit(t); len(failed) > 0 || a.Acknowledged != 2 || a.Present != 2 {
				t.Errorf("%+v", a)
			}
		})
	}
}

func TestAuditFindsDamage(t *testing.T) {
	rewrite := func(name string, change func([]byte)) func(*stage) error {
		return func(s *stage) error {
			text, err := os.ReadFile(s.path(name))
			if err == nil {
				change(text)
				err = os.WriteFile(s.path(name), text, 0o600)
			}
			return err
		}
	}
	swap := func(a, b string) func(*stage) error {
		return func(s *stage) error {
			return errors.Join(os.Rename(s.path(a), s.path("x")), os.Rename(s.path(b), s.path(a)), os.Rename(s.path("x"), s.path(b)))
		}
	}
	for name, c := range map[string]struct {
		damage func(*stage) error
		fails  string
	}{
		"a shard is gone":              {func(s *stage) error { return os.Remove(s.path(shardName(3, 1))) }, checkWhole},
		"a shard is empty":             {func(s *stage) error { return os.Truncate(s.path(shardName(3, 1)), 0) }, checkWhole},
		"a bit of a shard is wrong":    {rewrite(shardName(2, 2), func(b []byte) { b[len(b)-1] ^= 1 }), checkWhole},
		"the shards of two ranks":      {swap(shardName(3, 0), shardName(3, 1)), checkWhole},
		"a shard of an older one":      {swap(shardName(3, 0), shardName(2, 0)), checkWhole},
		"the mark is gone":             {func(s *stage) error { return os.Remove(s.path(nameOf(3, complete))) }, checkWhole},
		"the mark is another's":        {swap(nameOf(3, complete), nameOf(2, complete)), checkWhole},
		"a mark that nobody has given": {func(s *stage) error { return os.WriteFile(s.path(nameOf(4, complete)), nil, 0o600) }, checkNoOther},
		"a receipt is missing":         {func(s *stage) error { s.receipts = s.receipts[1:]; return nil }, checkSpoken},
		"a receipt is there twice":     {func(s *stage) error { s.receipts = append(s.receipts, s.receipts[0]); return nil }, checkOnce},
	} {
		t.Run(name, func(t *testing.T) {
			s := play(t, small(as))
			s.rounds(t, 3)
			must(t, c.damage(s))
			if _, failed := s.audit(t); !slices.Contains(failed, c.fails) {
				t.Errorf("%q did not fail, but %q", c.fails, failed)
			}
		})
	}
}

// What was not complete when a job ended is no checkpoint: the next session removes it and goes
// on from the newest that is.
func TestIncompleteCheckpointsAreNone(t *testing.T) {
	s := play(t, small(as))
	s.rounds(t, 1)
	for _, name := range []string{shardName(2, 0), nameOf(2, mark)} {
		must(t, os.WriteFile(s.path(name), []byte("half"), 0o600))
	}
	if a, failed := s.audit(t); len(failed) > 0 || a.Acknowledged != 2 {
		t.Errorf("%+v", a)
	}
	s.open(t)
	if _, err := os.Stat(s.path(shardName(2, 0))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the next session left it: %v", err)
	}
	s.rounds(t, 1)
	if a, failed := s.audit(t); len(failed) > 0 || a.Acknowledged != 2 || a.Present != 2 {
		t.Errorf("%+v", a)
	}
}

// A round that the driver breaks off is accounted for, and one whose rank fails leaves nothing.
func TestRoundsThatFail(t *testing.T) {
	s := play(t, small(as))
	s.rounds(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.job.(*job).round(ctx, s); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	must(t, os.Mkdir(s.path(shardName(3, 2)), 0o700)) // no rank can write there
	if err := s.job.Do(t.Context(), s); err == nil {
		t.Fatal("no error")
	}
	must(t, os.Remove(s.path(shardName(3, 2))))
	for _, number := range []int64{2, 3} {
		if left, err := filepath.Glob(s.path(nameOf(number, "*"))); err != nil || len(left) > 0 {
			t.Errorf("left are %v, %v", left, err)
		}
	}
	s.rounds(t, 1)
	if a, failed := s.audit(t); len(failed) > 0 || a.Acknowledged != 2 || a.Doubtful != 0 {
		t.Errorf("%+v", a)
	}
}

func TestProfile(t *testing.T) {
	profile := Workload{}.Describe(small(func(p *Parameters) { p.Interval, p.FailureEvery = unit.Duration(time.Minute), unit.Duration(time.Hour) }))
	if s := profile.Saves; s == nil || s.Save != opSave || s.Restore != opRestore || s.Interval != 60 || s.Failures != 3600 {
		t.Errorf("%+v", profile.Saves)
	}
	if n := (Workload{}).blocked(small(as)); n != 3 {
		t.Errorf("%d threads", n)
	}
}
