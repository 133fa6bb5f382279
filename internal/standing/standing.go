// Package standing keeps storage classes up without a study: it brings them
// up in the order of a file, gives each one volume, and takes them down again.
// Everything is journalled in a directory of its own, so that what a crash
// leaves can be swept from there as after a run.
package standing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"plimsoll/internal/journal"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
)

// Files in the directory.
const (
	StateFile   = "pools.json" // what is up
	JournalFile = "journal.jsonl"
)

// Config says what to bring up, and where.
type Config struct {
	Name       string // of the lot, for people
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

// State tells what is up.
type State struct {
	Name      string    `json:"name"`
	Dir       string    `json:"dir"`
	PID       int       `json:"pid"` // keeper
	StartTime uint64    `json:"start_time"`
	Since     time.Time `json:"since"`
	Pools     []Pool    `json:"pools"`
}

// Pool is one storage class that is up.
type Pool struct {
	Name   string              `json:"name"`
	Class  string              `json:"class"`
	Volume storage.Volume      `json:"volume"`
	About  storage.Description `json:"about"`
	Nodes  []storage.Node      `json:"nodes,omitempty"`
	Device []storage.Device    `json:"devices,omitempty"`
	Took   time.Duration       `json:"took"` // until it was up, with its volume
}

// Lot is what is up.
type Lot struct {
	config  Config
	journal *journal.Journal
	classes []storage.Class
	State   State
}

// volumeName is the volume that every pool gets.
const volumeName = "data"

// Up brings everything up. After an error what was made is gone again.
func Up(ctx context.Context, c Config) (*Lot, error) {
	j, err := journal.Open(filepath.Join(c.Dir, JournalFile), c.RunID)
	if err != nil {
		return nil, err
	}
	l := &Lot{config: c, journal: j, State: State{
		Name: c.Name, Dir: c.Dir, PID: os.Getpid(), StartTime: journal.StartTime(os.Getpid()), Since: time.Now(),
	}}
	if err := l.up(ctx); err != nil {
		return nil, errors.Join(err, l.Down(ctx))
	}
	return l, nil
}

func (l *Lot) up(ctx context.Context) error {
	if err := l.journal.Started(l.config.Version); err != nil {
		return err
	}
	o := journal.Object{Kind: journal.Directory, Path: l.config.Scratch}
	if err := l.journal.Making(o); err != nil {
		return err
	}
	if err := os.MkdirAll(l.config.Scratch, 0o711); err != nil {
		return fmt.Errorf("make the work directory: %w; choose another with --work", err)
	}
	if err := errors.Join(os.Chmod(l.config.Scratch, 0o711), l.journal.Made(o)); err != nil {
		return err
	}
	for _, name := range l.config.Pools.Order {
		pool, err := l.upOne(ctx, name, l.config.Pools.Storage[name])
		if err != nil {
			return fmt.Errorf("bring up %s: %w", name, err)
		}
		l.State.Pools = append(l.State.Pools, pool)
	}
	return l.write()
}

func (l *Lot) upOne(ctx context.Context, name string, s study.Storage) (Pool, error) {
	l.say(fmt.Sprintf("bring up %s (%s)", name, s.Class))
	began := time.Now()
	kind, ok := l.config.Kinds[s.Class]
	if !ok {
		return Pool{}, fmt.Errorf("unknown storage class %q", s.Class)
	}
	if err := kind.Usable(s.Parameters); err != nil {
		return Pool{}, err
	}
	class, err := kind.New(name, s.Parameters, storage.Env{
		RunID: l.config.RunID, Scratch: filepath.Join(l.config.Scratch, "s", name), Journal: l.journal,
		UID: os.Geteuid(), GID: os.Getegid(), Executable: l.config.Executable, Log: l.config.Log,
	})
	if err != nil {
		return Pool{}, err
	}
	l.classes = append(l.classes, class) // even half up, it has to come down
	if err := class.Up(ctx); err != nil {
		return Pool{}, err
	}
	volume, err := class.Provision(ctx, volumeName)
	if err != nil {
		return Pool{}, err
	}
	if _, err := class.Settle(ctx); err != nil {
		return Pool{}, err
	}
	return Pool{Name: name, Class: s.Class, Volume: volume, About: class.Describe(), Nodes: class.Nodes(),
		Device: class.Devices(), Took: time.Since(began)}, nil
}

func (l *Lot) say(text string) {
	if l.config.Progress != nil {
		l.config.Progress(text)
	}
}

// write makes the state known, at once and whole.
func (l *Lot) write() error {
	text, err := json.MarshalIndent(l.State, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(l.config.Dir, StateFile)
	if err := os.WriteFile(path+".new", text, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// Down takes everything down, although ctx may be cancelled, and sweeps what
// the gentle way left.
func (l *Lot) Down(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Minute)
	defer cancel()
	var errs []error
	for i := len(l.classes) - 1; i >= 0; i-- {
		l.say("take down " + l.config.Pools.Order[i])
		errs = append(errs, l.classes[i].Down(ctx))
	}
	errs = append(errs, l.sweep(ctx)...)
	if err := os.Remove(filepath.Join(l.config.Dir, StateFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		errs = append(errs, err)
	}
	return errors.Join(append(errs, l.journal.Close())...)
}

func (l *Lot) sweep(ctx context.Context) []error {
	state, err := journal.Read(filepath.Join(l.config.Dir, JournalFile))
	if err != nil {
		return []error{err}
	}
	var errs []error
	for _, r := range journal.Sweep(ctx, state) {
		if r.Err == nil {
			r.Err = l.journal.Removed(r.Object)
		}
		errs = append(errs, r.Err)
	}
	return errs
}

// Read reads the state that a keeper wrote.
func Read(dir string) (State, error) {
	var s State
	text, err := os.ReadFile(filepath.Join(dir, StateFile))
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("%s is damaged: %w; run: plimsoll clean %s", filepath.Join(dir, StateFile), err, dir)
	}
	s.Dir = dir
	return s, nil
}

// List finds the lots whose directories lie in one, newest last. Those whose
// keeper died are among them.
func List(runs string) ([]State, error) {
	paths, err := filepath.Glob(filepath.Join(runs, "*", StateFile))
	if err != nil {
		return nil, err
	}
	var all []State
	for _, path := range paths {
		s, err := Read(filepath.Dir(path))
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// Kept says that the keeper lives.
func (s State) Kept() bool { return s.PID > 0 && journal.StartTime(s.PID) == s.StartTime }
