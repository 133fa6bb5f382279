// Package campaigntest is a world in memory for tests of campaigns: a platform, a storage class,
// engines and a workload. None of them needs a process, a disk or time. Tasks run in process,
// with the handlers of the real ones; under testing/synctest a whole campaign takes milliseconds.
//
// Every call of an implementation first calls the function of World.SetOn. There a test can fail
// the call, cancel or crash the campaign, or cause some other event: a server dies, a volume
// vanishes, a record is lost.
package campaigntest

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/host/journal"
)

// Call is a call of the platform, the class, an engine or the workload.
type Call struct {
	Number int    // of all calls, from 1
	Method string // Start, Delete, Task.Stop, ...
	Nth    int    // of this method, from 1
	Name   string // of the server, volume or task; empty for what has none
}

func (c Call) String() string {
	return fmt.Sprintf("call %d: %s %d of %q", c.Number, c.Method, c.Nth, c.Name)
}

// World is everything that a campaign works on. Tests look at what a campaign leaves in it.
type World struct {
	mu    sync.Mutex
	on    func(Call) error
	calls []Call
	count map[string]int
	users map[string][]int // by method of the workload, what each call was told
	state state
	live  live

	with []func(*facts.Parts) // what tests added to the parts

	breakAfter, breaks int // streams of tasks: so many bytes each, so many times
	crashed            *crashed

	// Sync is the value of the setting "sync" of all database servers, whatever a study
	// says; empty is "on".
	Sync string
	// Identity is the database that all existing servers answer for, empty where each has
	// its own, and WantsKeys the setting by which they refuse tables without a primary key.
	Identity, WantsKeys string
	// Free is how many bytes more every file system takes; nil is not known.
	Free func() int64

	// Nodes is how many machines the platform says that it has; none is one that is shared.
	Nodes int
	// Refused is how often it has asked for less at once.
	Refused atomic.Int64
}

// state is what outlives the process of a campaign.
type state struct {
	volumes   map[string]*volume   // by path
	processes map[string]string    // servers and tasks: what each is, by name
	serving   map[string]string    // address of a server -> path of its volume
	databases map[string]*Database // existing ones, by host:port/database
	notes     map[string][]byte    // of golden volumes, by key
	drained   bool                 // the only node takes no servers
}

// volume is a set of records. One that is kept is golden.
type volume struct {
	laidOut, dark, kept bool
	records             map[string]bool
	set                 string // of volumes of one server that belong together
}

// Database is one on an existing server.
type Database struct {
	Mark    string          // the run that uses it
	Noted   bool            // its tables are listed with the mark
	Tables  bool            // it has tables of other users
	Records map[string]bool // in these tables
}

// New is an empty world.
func New() *World {
	return &World{count: map[string]int{}, users: map[string][]int{}, state: state{}.copy(), live: newLive()}
}

func (s state) copy() state {
	c := state{
		drained: s.drained,
		volumes: map[string]*volume{}, databases: map[string]*Database{}, notes: map[string][]byte{},
		processes: map[string]string{}, serving: map[string]string{},
	}
	maps.Copy(c.processes, s.processes)
	maps.Copy(c.serving, s.serving)
	maps.Copy(c.notes, s.notes)
	for path, v := range s.volumes {
		c.volumes[path] = v.copy()
	}
	for place, d := range s.databases {
		same := *d
		same.Records = maps.Clone(d.Records)
		c.databases[place] = &same
	}
	return c
}

func newVolume() *volume { return &volume{records: map[string]bool{}} }

func (v *volume) copy() *volume {
	same := *v
	same.records = maps.Clone(v.records)
	return &same
}

// SetOn sets the function that is called before every call, nil for none, and returns the
// one before it. Its error fails the call, which then does nothing. Several goroutines may
// ask it at once.
func (w *World) SetOn(on func(Call) error) (before func(Call) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before, w.on = w.on, on
	return before
}

// call is asked before anything is done.
func (w *World) call(method, name string) error {
	w.mu.Lock()
	w.count[method]++
	c := Call{Number: len(w.calls) + 1, Method: method, Nth: w.count[method], Name: name}
	w.calls = append(w.calls, c)
	on := w.on
	w.mu.Unlock()
	if on == nil {
		return nil
	}
	return on(c)
}

// Calls returns the calls so far of a method, or of all methods.
func (w *World) Calls(method string) []Call {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(w.calls), func(c Call) bool { return method != "" && c.Method != method })
}

// Users are the numbers of users of the instance that the calls of a method
// were given.
func (w *World) Users(method string) []int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.users[method])
}

func (w *World) called(method string, users int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.users[method] = append(w.users[method], users)
}

// Database gives one on an existing server, host:port/name.
func (w *World) Database(place string) *Database {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state.databases[place] == nil {
		w.state.databases[place] = &Database{Records: map[string]bool{}}
	}
	return w.state.databases[place]
}

// BreakStreams has the next streams of tasks break after some bytes.
func (w *World) BreakStreams(after, times int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.breakAfter, w.breaks = after, times
}

// LoseVolumes makes volumes vanish whose name contains a text.
func (w *World) LoseVolumes(named string) (lost int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for path, v := range w.state.volumes {
		if !v.kept && strings.Contains(filepath.Base(path), named) {
			delete(w.state.volumes, path)
			lost++
		}
	}
	return lost
}

// LoseRecord removes one record from a volume whose name contains a text, and
// returns the record.
func (w *World) LoseRecord(named string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	for path, v := range w.state.volumes {
		for _, r := range slices.Sorted(maps.Keys(v.records)) {
			if !v.kept && strings.Contains(filepath.Base(path), named) && !strings.HasPrefix(r, loaded) {
				delete(v.records, r)
				return r
			}
		}
	}
	return ""
}

// Left lists everything that is left, golden volumes excepted.
func (w *World) Left() (left []string) {
	for _, o := range w.Objects() {
		left = append(left, o.String())
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for place, d := range w.state.databases {
		if d.Mark != "" {
			left = append(left, fmt.Sprintf("the mark of %s in %s", d.Mark, place))
		}
		if d.Tables {
			left = append(left, "tables in "+place)
		}
	}
	slices.Sort(left)
	return left
}

// Objects are the objects that exist, as a journal would list them.
func (w *World) Objects() []journal.Object {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state.objects()
}

func (s state) objects() (all []journal.Object) {
	for name := range s.processes {
		all = append(all, journal.Object{Kind: journal.Process, Name: name})
	}
	for path, v := range s.volumes {
		if !v.kept {
			all = append(all, journal.Object{Kind: journal.Mount, Path: path})
		}
	}
	if s.drained {
		all = append(all, drained)
	}
	return all
}

// crashed is what was there when a campaign crashed.
type crashed struct {
	state state
	dirs  map[string]string // copies, by what they are of
}

// Crash saves the present state of the world and of some directories, in a place for copies. The
// campaign goes on, but Revive discards that and restores the moment of the crash. Only the first
// crash counts.
func (w *World) Crash(copies string, dirs ...string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.crashed != nil {
		return nil
	}
	c := &crashed{state: w.state.copy(), dirs: map[string]string{}}
	for n, d := range dirs {
		c.dirs[d] = filepath.Join(copies, fmt.Sprint(n))
		if err := copyTree(d, c.dirs[d]); err != nil {
			return err
		}
	}
	w.crashed = c
	return nil
}

// Revive ends everything that the process of a campaign had to itself, as its
// exit does. After a crash, what was there then is there again, and crashed is true.
func (w *World) Revive() (didCrash bool, err error) {
	w.live.exit()
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.crashed
	w.live, w.crashed = newLive(), nil
	if c == nil {
		return false, nil
	}
	w.state = c.state
	for original, kept := range c.dirs {
		if err := os.RemoveAll(original); err != nil {
			return true, err
		}
		if err := os.Rename(kept, original); err != nil && !os.IsNotExist(err) {
			return true, err
		}
	}
	return true, nil
}

// copyTree copies files in their present state. Some may come and go meanwhile.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return ignoreGone(err)
		}
		below, _ := filepath.Rel(from, path) // it is below
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, below), 0o755)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return ignoreGone(err)
		}
		info, err := d.Info()
		if err != nil {
			return ignoreGone(err)
		}
		return os.WriteFile(filepath.Join(to, below), text, info.Mode().Perm())
	})
}

func ignoreGone(err error) error {
	if os.IsNotExist(err) {
		return nil
	}
	return err
}

// Borrowing reports whether an existing database has tables which are not
// noted yet: what a crash at this moment leaves there, nobody may drop.
func (w *World) Borrowing() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, d := range w.state.databases {
		if d.Tables && !d.Noted {
			return true
		}
	}
	return false
}
