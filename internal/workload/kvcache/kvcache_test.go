package kvcache

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// small has conversations of six blocks, through the page cache, which every file system
// has. The last write of each block is a short one.
func small(change func(*Parameters)) *Parameters {
	p := defaults()
	p.BlockSize, p.Blocks, p.Turns, p.Conversations, p.Kept = 12<<10, 2, 3, 3, 2
	p.Readers, p.IOSize, p.IO = 2, 8<<10, buffered
	change(p)
	return p
}

func as(*Parameters) {}

func TestConformance(t *testing.T) {
	for name, change := range map[string]func(*Parameters){
		"evicting": as,
		"enough":   func(p *Parameters) { p.Conversations, p.Kept, p.Readers = 1, 4, 5 },
	} {
		t.Run(name, func(t *testing.T) {
			workloadtest.Run(t, workloadtest.Suite{
				Workload: Workload{}, Parameters: small(change), Environment: workloadtest.Here(),
				Wrong: map[string]workload.Parameters{
					"model":         small(func(p *Parameters) { p.Model = "13b" }),
					"tokens":        small(func(p *Parameters) { p.Tokens = 0 }),
					"block_size":    small(func(p *Parameters) { p.BlockSize = 1000 }),
					"blocks":        small(func(p *Parameters) { p.Blocks = 0 }),
					"turns":         small(func(p *Parameters) { p.Turns, p.Blocks = 1000, 1000 }),
					"conversations": small(func(p *Parameters) { p.Conversations = 0 }),
					"kept":          small(func(p *Parameters) { p.Kept = 0 }),
					"readers":       small(func(p *Parameters) { p.Readers = 300 }),
					"io_size":       small(func(p *Parameters) { p.IOSize = 100 }),
					"io":            small(func(p *Parameters) { p.IO = "mapped" }),
				},
			})
		})
	}
}

// A block has what the published shape of a model takes for its tokens.
func TestPublishedSizes(t *testing.T) {
	for name, want := range map[string]int64{"8b": 32 << 20, "70b": 80 << 20, "405b": 126 << 20} {
		p := defaults()
		p.Model = name
		if p.block() != want || strings.Contains(p.describe(), "scaled") {
			t.Errorf("%s: %d bytes, %s", name, p.block(), p.describe())
		}
	}
	p := defaults()
	p.BlockSize = 320 << 10
	if text := p.describe(); !strings.Contains(text, "scaled to 0.98 % of their 32MiB") {
		t.Errorf("%q", text)
	}
}

// eventRecorder is what a user reports.
type eventRecorder struct {
	workload.Recorder
	counts, failed [4]int
	bytes          [4]int64
}

func (r *eventRecorder) Observe(operation int, _ time.Time, _ time.Duration, outcome workload.Outcome) {
	r.counts[operation]++
	if outcome == workload.Failed {
		r.failed[operation]++
	}
}
func (r *eventRecorder) Moved(operation int, bytes int64) { r.bytes[operation] += bytes }

// stage is a volume with one user.
type stage struct {
	eventRecorder
	p      *Parameters
	target workload.Target
	dir    string
	user   *user
}

func play(t *testing.T, p *Parameters) *stage {
	t.Helper()
	volume := t.TempDir()
	s := &stage{p: p, dir: filepath.Join(volume, fileio.DirOf(top, 0))}
	s.target = workload.Target{Users: 1, Endpoints: []endpoint.Endpoint{endpoint.OfDirectory(fileio.VolumeRole, volume)}}
	if err := (Workload{}).Prepare(t.Context(), s.target, p, 1, func(float64) {}); err != nil && strings.Contains(err.Error(), "no direct I/O") {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	s.enter(t)
	return s
}

func (s *stage) enter(t *testing.T) {
	t.Helper()
	opened, err := Workload{}.Open(t.Context(), s.target, s.p, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	s.user = opened.(*user)
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
}

// stored is how many blocks the user knows of.
func (s *stage) stored() (blocks int) {
	for _, c := range s.user.kept {
		blocks += c.stored
	}
	return blocks
}

// consistent makes sure that exactly the blocks that the user knows of are there.
func (s *stage) consistent(t *testing.T) {
	t.Helper()
	var want, have []string
	for _, c := range s.user.kept {
		for block := range c.stored {
			want = append(want, c.nameOf(block))
		}
	}
	found, err := os.ReadDir(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		have = append(have, f.Name())
	}
	if slices.Sort(want); !slices.Equal(want, have) {
		t.Fatalf("stored are %v, want %v", have, want)
	}
}

// Turns restore the stored blocks, and never more than the limit is stored.
func TestTurnsAndWhatIsKept(t *testing.T) {
	for _, io := range []string{buffered, direct} {
		t.Run(io, func(t *testing.T) {
			s := play(t, small(func(p *Parameters) { p.IO = io }))
			s.consistent(t)
			if n := s.stored(); n != s.p.begun() {
				t.Errorf("%d blocks are there in the beginning, want %d", n, s.p.begun())
			}
			const turns = 60
			for range turns {
				if err := s.user.Do(t.Context(), s); err != nil {
					t.Fatal(err)
				}
				if s.consistent(t); len(s.user.kept) > s.p.Kept || len(s.user.open) != s.p.Conversations {
					t.Fatalf("%d are kept and %d go on", len(s.user.kept), len(s.user.open))
				}
			}
			if s.counts[opTurn] != turns || s.counts[opStore] != turns || s.counts[opRestore] == 0 || s.counts[opEvict] == 0 || s.counts[opRestore] == turns {
				t.Errorf("operations %v", s.counts)
			}
			if least := turns * int64(s.p.Blocks) * s.p.block(); s.bytes[opStore] <= least { // some was stored anew
				t.Errorf("%d bytes were stored in %d turns, want more than %d", s.bytes[opStore], turns, least)
			}
			known := len(s.user.kept)
			s.enter(t)
			if s.consistent(t); len(s.user.kept) != known {
				t.Errorf("later %d are found, and %d were kept", len(s.user.kept), known)
			}
		})
	}
}

// A block that is not the one that was stored fails a turn; later ones store the conversation anew.
func TestWrongBlocks(t *testing.T) {
	for class, damage := range map[string]func(t *testing.T, s *stage, c *conversation) error{
		blockcheck.Misplaced: func(_ *testing.T, s *stage, c *conversation) error {
			return os.Rename(filepath.Join(s.dir, c.nameOf(1)), filepath.Join(s.dir, c.nameOf(0)))
		},
		blockcheck.Stale: earlier,
		fileio.Missing: func(_ *testing.T, s *stage, c *conversation) error {
			return os.Remove(filepath.Join(s.dir, c.nameOf(0)))
		},
	} {
		t.Run(class, func(t *testing.T) {
			s := play(t, small(func(p *Parameters) { p.Conversations, p.Kept, p.Turns, p.Readers = 1, 1, 8, 1 }))
			c := s.user.open[0]
			if err := damage(t, s, c); err != nil {
				t.Fatal(err)
			}
			err := s.user.Do(t.Context(), s)
			if e, ok := errors.AsType[interface {
				error
				ErrorClass() string
			}](err); !ok || e.ErrorClass() != class || s.failed[opRestore] != 1 || s.failed[opTurn] != 1 {
				t.Errorf("%v, %v", err, s.failed)
			}
			for range 2 {
				if err := s.user.Do(t.Context(), s); err != nil {
					t.Error(err)
				}
				s.consistent(t)
			}
		})
	}
}

// earlier puts the first block as it was before the conversation was stored anew in its place.
func earlier(t *testing.T, s *stage, c *conversation) error {
	old, err := os.ReadFile(filepath.Join(s.dir, c.nameOf(0)))
	if err != nil {
		return err
	}
	blocks := c.stored
	if err := errors.Join(s.user.remove(c, blocks), s.user.write(t.Context(), c, blocks)); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, c.nameOf(0)), old, 0o600)
}

// Parts of a conversation that was being stored are removed when the user comes back.
func TestParts(t *testing.T) {
	s := play(t, small(as))
	for _, name := range []string{"7-1-1", "8-1-0", "x"} {
		if err := os.WriteFile(filepath.Join(s.dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.enter(t)
	if err := os.Remove(filepath.Join(s.dir, "x")); err != nil { // which no user stores
		t.Error(err)
	}
	s.consistent(t)
}
