// Package journal records the objects that a run is about to leave before they are made, and
// has their owners remove them, also after a crash. It owns those on the machine itself:
// processes, mounts, loop devices, cgroups, network namespaces and directories.
//
// An object is found again without a record of its process identifier or device number:
// processes carry the object's marker in their environment, mounts and loop devices are
// below a directory of the run, and cgroups and namespaces have a name of the run (Name).
// So a crash between making and recording an object leaves nothing that Sweep cannot find.
package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"plimsoll/internal/host/mounts"
	"plimsoll/internal/host/untrusted"
	"plimsoll/internal/text/inrange"
)

// MarkerVariable is set in the environment of every process of a run, to
// "<run id>/<object name>"; children inherit it.
const MarkerVariable = "PLIMSOLL_OBJECT"

// Kind is what sort of object stays behind.
type Kind string

// Kinds of objects on the machine, and what their Name and Path mean. All others are their
// owners'.
const (
	Process   Kind = "process"   // Name: unique in the run; Path: a directory above its cwd, may be empty
	Mount     Kind = "mount"     // Path: mount point
	Loop      Kind = "loop"      // Path: backing file
	Cgroup    Kind = "cgroup"    // Path: absolute directory below /sys/fs/cgroup
	Netns     Kind = "netns"     // Name: as ip netns shows it
	Directory Kind = "directory" // Path: made by the run and removed with all its contents
)

// Object is one thing that a run makes, on the machine or elsewhere.
type Object struct {
	Kind Kind   `json:"kind"`
	Name string `json:"name,omitempty"`
	Path string `json:"path,omitempty"` // elsewhere: where that is, as its owner calls it
	// PID and StartTime (clock ticks since boot, from /proc/PID/stat) name a
	// process once it runs.
	PID       int    `json:"pid,omitempty" within:"0..4194304"` // the kernel's largest
	StartTime uint64 `json:"start_time,omitempty"`
	// Loop is the loop device once it is attached (/dev/loop3).
	Loop string `json:"loop,omitempty"`
	// Config is the path of the configuration for reaching where it is; empty for the
	// user's own.
	Config string `json:"config,omitempty"`
}

func (o Object) key() string { return string(o.Kind) + "\x00" + o.Name + "\x00" + o.Path }

// onMachine reports whether the object is on the machine, where this package finds it.
func (o Object) onMachine() bool { return slices.Contains(machine.Kinds, o.Kind) }

// String names the object for people.
func (o Object) String() string {
	switch {
	case o.Kind == Process && o.PID != 0:
		return fmt.Sprintf("process %s (pid %d)", o.Name, o.PID)
	case o.Path == "":
		return fmt.Sprintf("%s %s", o.Kind, o.Name)
	case o.Name == "" || o.onMachine():
		return fmt.Sprintf("%s %s", o.Kind, o.Path)
	}
	return fmt.Sprintf("%s %s at %s", o.Kind, o.Name, o.Path)
}

// Entry is one line of journal.jsonl.
type Entry struct {
	At     time.Time         `json:"at"`
	Act    string            `json:"act"` // making, made, removed, note
	Object *Object           `json:"object,omitempty"`
	Event  string            `json:"event,omitempty"` // for notes: run-started, trial-started, trial-finished, run-finished
	Detail map[string]string `json:"detail,omitempty"`
}

// Journal appends entries to a file and to the run's register, where each is synced
// before the act it announces.
// It is safe for concurrent use. A nil *Journal discards everything (tests of
// parts that leave nothing behind).
type Journal struct {
	RunID string

	mu       sync.Mutex
	file     *os.File // nil where the run's directory is gone
	home     identity
	register *register // nil until something is made
	torn     bool      // the file ends within a line
	failed   bool      // a write has failed, and its caller knows
}

// Open opens or creates the journal of a run for appending.
func Open(path, runID string) (*Journal, error) {
	f, err := untrusted.Append(filepath.Dir(path), filepath.Base(path))
	if err != nil {
		return nil, fmt.Errorf("open the journal: %w", err)
	}
	torn, err := endsWithinALine(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the journal: %w", err), f.Close())
	}
	home, err := identify(filepath.Dir(path))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the journal: %w", err), f.Close())
	}
	return &Journal{RunID: runID, file: f, home: home, torn: torn}, nil
}

// endsWithinALine reports whether a crash or a full disk cut the last entry off.
func endsWithinALine(f *os.File) (bool, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false, err
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, info.Size()-1)
	return last[0] != '\n', err
}

// Close closes the file.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	var err error
	if j.register != nil {
		err = j.register.close()
	}
	if j.file != nil {
		err = errors.Join(err, j.file.Close())
	}
	return err
}

// Marker is the environment entry for a process object.
func (j *Journal) Marker(name string) string {
	if j == nil {
		return MarkerVariable + "=none/" + name
	}
	return MarkerVariable + "=" + j.RunID + "/" + name
}

// Making announces an object; call it before the act.
func (j *Journal) Making(o Object) error { return j.write(Entry{Act: "making", Object: &o}) }

// Made completes an announced object with details known only after the act.
func (j *Journal) Made(o Object) error { return j.write(Entry{Act: "made", Object: &o}) }

// Removed records that the object is gone.
func (j *Journal) Removed(o Object) error { return j.write(Entry{Act: "removed", Object: &o}) }

// runStarted is the event that says whose the journal is.
const runStarted = "run-started"

// Started records who works on the run from here on: this machine, this user, this version
// of Plimsoll. The register then knows the run's directory for as long as it exists.
func (j *Journal) Started(version string) error {
	return j.Note(runStarted, map[string]string{
		"run": j.RunID, "machine": MachineID(), "uid": strconv.Itoa(os.Geteuid()), "version": version,
	})
}

// Note writes an event of the campaign.
func (j *Journal) Note(event string, detail map[string]string) error {
	return j.write(Entry{Act: "note", Event: event, Detail: detail})
}

func (j *Journal) write(e Entry) error {
	if j == nil {
		return nil
	}
	e.At = time.Now().UTC()
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.registers(e); err != nil {
		if j.knownFailure(e) {
			return nil
		}
		return err
	}
	if j.file == nil {
		return nil
	}
	if err := j.append(append(line, '\n')); err != nil {
		if j.knownFailure(e) {
			return nil
		}
		return fmt.Errorf("write the journal: %w", mounts.NameFull(err, j.file.Name()))
	}
	if e.Act == "note" { // the rest is safe in the register
		if err := j.file.Sync(); err != nil {
			return fmt.Errorf("sync the journal: %w", mounts.NameFull(err, j.file.Name()))
		}
	}
	return nil
}

// registers records the start of the run, and the objects it makes, in the run's register.
func (j *Journal) registers(e Entry) error {
	if e.Object == nil && e.Event != runStarted {
		return nil
	}
	if j.register == nil {
		r, err := openRegister(j.RunID, j.home)
		if err != nil {
			return err
		}
		j.register = r
	}
	return j.register.write(e)
}

// knownFailure reports whether the loss of an entry need not be reported again: a full disk
// would repeat the error for every object removed. Without the entry, clean looks for
// objects that are gone already.
func (j *Journal) knownFailure(e Entry) bool {
	known := j.failed && (e.Act == "made" || e.Act == "removed")
	j.failed = true
	return known
}

// append writes a line. After one that was cut off it begins a new line, so
// that only the torn entry is lost.
func (j *Journal) append(line []byte) error {
	if j.torn {
		line = append([]byte{'\n'}, line...)
	}
	n, err := j.file.Write(line)
	j.torn = err != nil && (n > 0 || j.torn)
	return err
}

// State is the set of remaining objects according to a journal, on the machine that the run
// was last worked on.
type State struct {
	RunID   string   // empty when nobody has begun
	Machine string   // MachineID of where the run was last worked on
	UID     int      // of who did
	Version string   // of Plimsoll
	Objects []Object // in the order of their making, as they are registered
	Notes   []Entry
	// Unregistered are objects in the journal that no register of this user has for the
	// run's directory: Sweep names them and leaves them alone.
	Unregistered []Object
	// Original is the directory that is registered for the run instead of this one.
	Original string
	// Registered reports whether this user began the run in this directory on this machine.
	Registered bool

	home   identity         // of an orphan
	proofs map[string]proof // by key; nil for objects that this process has made itself
}

// Read replays a journal. Lines that are no entries, as a crash tears them, are
// left out. A journal that does not exist is an empty one.
func Read(path string) (State, error) {
	f, err := untrusted.Open(filepath.Dir(path), filepath.Base(path), untrusted.MostJournal)
	if errors.Is(err, fs.ErrNotExist) {
		return State{}, nil
	}
	if err != nil {
		return State{}, fmt.Errorf("read the journal: %w", err)
	}
	defer f.Close()
	s, err := replay(f)
	if err != nil {
		return s, fmt.Errorf("read the journal: %w", err)
	}
	s.authorise(filepath.Dir(path))
	return s, nil
}

func replay(r io.Reader) (State, error) {
	var s State
	live := map[string]int{}
	for lines := bufio.NewReader(r); ; {
		line, err := readLine(lines)
		var e Entry
		if len(line) > 0 && json.Unmarshal(line, &e) == nil && inrange.Check(&e) == nil {
			s.apply(e, live)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return s, err
		}
	}
	kept := s.Objects[:0]
	for i, o := range s.Objects {
		if at, ok := live[o.key()]; ok && at == i {
			kept = append(kept, o)
		}
	}
	s.Objects = kept
	return s, nil
}

// longestLine is far more than any entry takes; a longer line is not an entry.
const longestLine = 1 << 20

// readLine reads a line, and nothing of one that is too long.
func readLine(r *bufio.Reader) (line []byte, err error) {
	for more := true; more && err == nil; {
		var part []byte
		part, more, err = r.ReadLine()
		if len(line) <= longestLine {
			line = append(line, part...)
		}
	}
	if len(line) > longestLine {
		line = nil
	}
	return line, err
}

func (s *State) apply(e Entry, live map[string]int) {
	switch {
	case e.Act == "note":
		s.Notes = append(s.Notes, e)
		if e.Event == runStarted && runIDForm.MatchString(e.Detail["run"]) {
			s.started(e.Detail, live)
		}
		if about, ok := e.earlier(); ok {
			s.apply(about, live)
		}
	case e.Object == nil:
	case e.Act == "removed":
		delete(live, e.Object.key())
	default:
		if at, ok := live[e.Object.key()]; ok {
			s.Objects[at] = *e.Object
			return
		}
		live[e.Object.key()] = len(s.Objects)
		s.Objects = append(s.Objects, *e.Object)
	}
}

// started records who works on the run from here on. Objects that it left on another
// machine cannot be removed on this one.
func (s *State) started(by map[string]string, live map[string]int) {
	if s.Machine != by["machine"] {
		maps.DeleteFunc(live, func(_ string, at int) bool { return s.Objects[at].onMachine() })
	}
	s.RunID, s.Machine, s.Version = by["run"], by["machine"], by["version"]
	s.UID, _ = strconv.Atoi(by["uid"])
}
