// Package devicepool keeps storage classes up without a study: it brings them up in the
// order of a file, gives each one volume, and takes them down again. Everything is
// journalled in a directory of its own, so that the remains of a crash can be swept from
// there as after a run.
package devicepool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/describe"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/host/untrusted"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
	"plimsoll/internal/text/inrange"
	"plimsoll/internal/text/words"
)

// Files in the directory.
const (
	StateFile   = "pools.json" // the pools that are up
	JournalFile = "journal.jsonl"
)

// Config lists the pools to bring up, and where.
type Config struct {
	Name       string // of the group, for people
	Dir        string // for the journal and the state
	RunID      string // names all that is made (journal.NewRunID)
	Version    string // of Plimsoll, for the journal
	Scratch    string // for bricks and volumes; removed at the end
	Pools      study.Pools
	Kinds      storage.Registry
	Executable string
	Log        *slog.Logger
	Progress   func(text string)
}

// State describes the pools that are up.
type State struct {
	Name      string    `json:"name"`
	Dir       string    `json:"dir"`
	PID       int       `json:"pid"` // of the supervisor, which holds the pools up
	StartTime uint64    `json:"start_time"`
	Since     time.Time `json:"since"`
	Pools     []Pool    `json:"pools"`
}

// Pool is one storage class that is up.
type Pool struct {
	Name   string            `json:"name"`
	Class  string            `json:"class"`
	Volume storage.Volume    `json:"volume"`
	About  describe.Storage  `json:"about"`
	Nodes  []storage.Node    `json:"nodes,omitempty"`
	Device []describe.Device `json:"devices,omitempty"`
	Took   time.Duration     `json:"took"` // until it was up, with its volume
}

// Group is the pools that were brought up together.
type Group struct {
	config  Config
	journal *journal.Journal
	classes []storage.Class
	State   State
}

// volumeName is the volume that every pool gets.
const volumeName = "data"

// Up brings everything up. After an error what was made is gone again.
func Up(ctx context.Context, c Config) (*Group, error) {
	j, err := journal.Open(filepath.Join(c.Dir, JournalFile), c.RunID)
	if err != nil {
		return nil, err
	}
	g := &Group{config: c, journal: j, State: State{
		Name: c.Name, Dir: c.Dir, PID: os.Getpid(), StartTime: journal.StartTime(os.Getpid()), Since: time.Now(),
	}}
	if err := g.up(ctx); err != nil {
		return nil, errors.Join(err, g.Down(ctx))
	}
	return g, nil
}

func (g *Group) up(ctx context.Context) error {
	if err := g.journal.Started(g.config.Version); err != nil {
		return err
	}
	o := journal.Object{Kind: journal.Directory, Path: g.config.Scratch}
	if err := g.journal.Making(o); err != nil {
		return err
	}
	if err := safefile.Make(g.config.Scratch, 0o711); err != nil {
		return errors.Join(fmt.Errorf("make the work directory: %w; choose another with --work", err), g.journal.Removed(o))
	}
	if err := g.journal.Made(o); err != nil {
		return err
	}
	for _, name := range g.config.Pools.Order {
		pool, err := g.upOne(ctx, name, g.config.Pools.Storage[name])
		if err != nil {
			return fmt.Errorf("bring up %s: %w", name, err)
		}
		g.State.Pools = append(g.State.Pools, pool)
	}
	return g.write()
}

func (g *Group) upOne(ctx context.Context, name string, s study.Storage) (Pool, error) {
	g.say(fmt.Sprintf("bring up %s (%s)", name, s.Class))
	began := time.Now()
	kind, err := g.config.Kinds.Get(s.Class)
	if err != nil {
		return Pool{}, err
	}
	if err := kind.Usable(s.Parameters); err != nil {
		return Pool{}, err
	}
	class, err := kind.New(name, s.Parameters, storage.Env{
		RunID: g.config.RunID, Scratch: filepath.Join(g.config.Scratch, "s", name), Journal: g.journal,
		Executable: g.config.Executable, Log: g.config.Log,
	})
	if err != nil {
		return Pool{}, err
	}
	g.classes = append(g.classes, class) // even half up, it has to come down
	if err := class.Up(ctx); err != nil {
		return Pool{}, err
	}
	volume, err := class.Provision(ctx, storage.Claim{Name: volumeName})
	if err != nil {
		return Pool{}, err
	}
	if _, err := class.Settle(ctx); err != nil {
		return Pool{}, err
	}
	return Pool{Name: name, Class: s.Class, Volume: volume, About: class.Describe(), Nodes: class.Nodes(),
		Device: class.Devices(), Took: time.Since(began)}, nil
}

func (g *Group) say(text string) {
	if g.config.Progress != nil {
		g.config.Progress(text)
	}
}

// write makes the state known, at once and whole.
func (g *Group) write() error {
	text, err := json.MarshalIndent(g.State, "", "  ")
	if err != nil {
		return err
	}
	return safefile.Write(filepath.Join(g.config.Dir, StateFile), text, 0o644)
}

// Down takes everything down, although ctx may be cancelled, and sweeps whatever is left.
func (g *Group) Down(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Minute)
	defer cancel()
	var errs []error
	for i := len(g.classes) - 1; i >= 0; i-- {
		g.say("take down " + g.config.Pools.Order[i])
		errs = append(errs, g.classes[i].Down(ctx))
	}
	errs = append(errs, g.sweep(ctx))
	if err := os.Remove(filepath.Join(g.config.Dir, StateFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		errs = append(errs, err)
	}
	return errors.Join(append(errs, g.journal.Close())...)
}

func (g *Group) sweep(ctx context.Context) error {
	state, err := journal.Read(filepath.Join(g.config.Dir, JournalFile))
	if err != nil {
		return err
	}
	return g.journal.Swept(journal.Sweep(ctx, state))
}

// Read reads the state that a supervisor wrote.
func Read(dir string) (State, error) {
	var s State
	text, err := untrusted.Read(dir, StateFile, untrusted.MostInput)
	if err != nil {
		return s, err
	}
	if err = json.Unmarshal(text, &s); err == nil {
		err = inrange.Check(&s)
	}
	if err != nil {
		return s, fmt.Errorf("%s is damaged: %w; run: plimsoll clean %s", filepath.Join(dir, StateFile), err, words.Shell(dir))
	}
	s.Dir = dir
	return s, nil
}

// List finds the groups with their directories in runs, newest last. It includes groups
// with a dead supervisor.
func List(runs string) ([]State, error) {
	entries, err := untrusted.ReadDir(runs)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []State
	for _, e := range entries {
		s, err := Read(filepath.Join(runs, e.Name()))
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// Kept reports whether the supervisor lives.
func (s State) Kept() bool { return s.PID > 0 && journal.StartTime(s.PID) == s.StartTime }
