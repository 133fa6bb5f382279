package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/mounts"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/host/untrusted"
)

// A run directory can be copied, cloned and forged, so its journal is no authority over the
// machine. The objects of a run are also in its register: a file for each run, in a
// directory that only its owner can enter. It records the run directory, the boot and the
// path without links for each object. Sweep ends and removes nothing else. A register is
// deleted when nothing of its run is left. The register of a run that was begun stays as
// long as the run's directory, since the run may go on.

// stateDirectories are where registers may be, the first that can be made first.
var stateDirectories = func() []string {
	if dir := os.Getenv("PLIMSOLL_STATE"); filepath.IsAbs(dir) {
		return []string{dir}
	}
	last := fmt.Sprintf("/var/tmp/.plimsoll-%d", os.Geteuid()) // without a home, or where it cannot be written to
	if os.Geteuid() == 0 {
		return []string{"/var/lib/plimsoll", last}
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return []string{filepath.Join(dir, "plimsoll"), last}
	}
	if home, err := os.UserHomeDir(); err == nil {
		return []string{filepath.Join(home, ".local/state/plimsoll"), last}
	}
	return []string{last}
}

// machinePrefix begins the names of directories of registers.
const machinePrefix = "machine-"

// registers is the directory of this user's registers on this machine: a home may be
// shared by several.
func registers() (string, error) {
	var errs []error
	for _, dir := range stateDirectories() {
		dir = filepath.Join(dir, machinePrefix+MachineID())
		err := makePrivate(filepath.Dir(dir), dir)
		if err == nil {
			return dir, nil
		}
		errs = append(errs, err)
	}
	return "", fmt.Errorf("make the directory that says what runs have made: %w", errors.Join(errs...))
}

// makePrivate makes directories that no other user can enter, and refuses what another
// user laid there.
func makePrivate(dirs ...string) error {
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		info, err := os.Lstat(dir)
		if err != nil {
			return err
		}
		if !info.IsDir() || ownerOf(info) != os.Geteuid() {
			return fmt.Errorf("%s is not a directory of uid %d", dir, os.Geteuid())
		}
		if err := os.Chmod(dir, 0o700); err != nil {
			return err
		}
	}
	return unix.Access(dirs[len(dirs)-1], unix.W_OK)
}

func ownerOf(info fs.FileInfo) int { return int(info.Sys().(*syscall.Stat_t).Uid) } // always so on Linux

// bootID tells this boot from others.
func bootID() string {
	text, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(text))
}

// identity is what tells a directory from a copy of it, and from a later one that was
// given its inode again.
type identity struct {
	path          string
	device, inode uint64
	born          int64 // ns since 1970; 0 where the file system does not know
	boot          string
}

func identify(dir string) (identity, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return identity{}, err
	}
	var s unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, 0, unix.STATX_INO|unix.STATX_BTIME, &s); err != nil {
		return identity{}, &os.PathError{Op: "statx", Path: path, Err: err}
	}
	home := identity{path: path, device: unix.Mkdev(s.Dev_major, s.Dev_minor), inode: s.Ino, boot: bootID()}
	if s.Mask&unix.STATX_BTIME != 0 {
		home.born = s.Btime.Sec*1e9 + int64(s.Btime.Nsec)
	}
	return home, nil
}

// same reports whether two are one directory. Numbers of devices change with
// the boot; without a time of birth only the path tells that an inode was
// not given out again.
func (a identity) same(b identity) bool {
	moved := a.boot == b.boot && a.device == b.device && a.born != 0
	return a.inode == b.inode && a.born == b.born && (moved || a.path == b.path)
}

// detail writes it for a register.
func (a identity) detail(runID string) map[string]string {
	return map[string]string{
		"run": runID, "dir": a.path, "boot": a.boot, "device": strconv.FormatUint(a.device, 10),
		"inode": strconv.FormatUint(a.inode, 10), "born": strconv.FormatInt(a.born, 10),
	}
}

// identityIn reads what detail wrote.
func identityIn(detail map[string]string) identity {
	a := identity{path: detail["dir"], boot: detail["boot"]}
	a.device, _ = strconv.ParseUint(detail["device"], 10, 64) // other text fits no directory
	a.inode, _ = strconv.ParseUint(detail["inode"], 10, 64)
	a.born, _ = strconv.ParseInt(detail["born"], 10, 64)
	return a
}

// proof is a register's additional knowledge about an object.
type proof struct {
	Boot string `json:"boot"`
	Real string `json:"real,omitempty"` // the path without links
}

// registerLine is a line of a register.
type registerLine struct {
	Entry
	Proof *proof `json:"proof,omitempty"`
}

// opened is the event that records the run directory of a register.
const opened = "opened"

// register is the file of a run, and what of it is there.
type register struct {
	path  string
	file  *os.File
	run   string
	home  identity
	lines int
	live  []registerLine
	begun bool // the run may go on
	torn  bool
}

// registerName is the file of a run and its directory: a copy of the directory has a
// register of its own.
func registerName(runID string, home identity) string { return runID + registerEnd(home) }

// registerEnd is how the names of a directory's registers end.
func registerEnd(home identity) string {
	where := fmt.Sprintf("%d %d", home.inode, home.born)
	if home.born == 0 { // without it only the path tells that an inode was not given out again
		where += " " + home.path
	}
	sum := sha256.Sum256([]byte(where))
	return "." + hex.EncodeToString(sum[:8]) + registerSuffix
}

// openRegister opens a run's register for appending, or makes it.
func openRegister(runID string, home identity) (*register, error) {
	if !runIDForm.MatchString(runID) {
		return nil, fmt.Errorf("register the run: %q is no identifier of a run", runID)
	}
	dir, err := registers()
	if err != nil {
		return nil, err
	}
	for {
		r, err := lockRegister(dir, registerName(runID, home))
		if err != nil {
			return nil, fmt.Errorf("open the register of the run: %w", err)
		}
		if r == nil {
			continue // it has just been removed by its last user
		}
		err = r.append(registerLine{Entry: Entry{Act: "note", Event: opened, Detail: home.detail(runID)}})
		if err != nil {
			return nil, errors.Join(err, r.file.Close())
		}
		return r, nil
	}
}

// lockRegister opens a register with the lock that all who use it share. It gives nil
// for one that has been removed in between.
func lockRegister(dir, name string) (*register, error) {
	f, err := untrusted.Append(dir, name)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_SH); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r := &register{path: filepath.Join(dir, name), file: f}
	if here, err := os.Lstat(r.path); err != nil || !sameFile(f, here) {
		return nil, f.Close()
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r.replay(text)
	return r, nil
}

func sameFile(f *os.File, other fs.FileInfo) bool {
	info, err := f.Stat()
	return err == nil && os.SameFile(info, other)
}

const registerSuffix = ".jsonl"

// readRegister reads a register; there may be none.
func readRegister(name string) (*register, error) {
	dir, err := registers()
	if err != nil {
		return &register{}, nil // nothing can have been registered
	}
	text, err := untrusted.Read(dir, name, untrusted.MostJournal)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the register of the run: %w", err)
	}
	r := &register{path: filepath.Join(dir, name)}
	r.replay(text)
	return r, nil
}

func (r *register) replay(text []byte) {
	for line := range bytes.Lines(text) {
		var e registerLine
		if json.Unmarshal(line, &e) == nil {
			r.apply(e)
		}
	}
	r.torn = len(text) > 0 && text[len(text)-1] != '\n'
}

func (r *register) apply(e registerLine) {
	r.lines++
	if e.Event == opened && e.Detail["dir"] != "" {
		r.run, r.home = e.Detail["run"], identityIn(e.Detail)
	}
	r.begun = r.begun || e.Event == runStarted
	if e.Object == nil {
		return
	}
	for i, have := range r.live {
		if have.Object.key() != e.Object.key() {
			continue
		}
		if e.Act == "removed" {
			r.live = append(r.live[:i:i], r.live[i+1:]...)
		} else {
			r.live[i] = e
		}
		return
	}
	if e.Act != "removed" {
		r.live = append(r.live, e)
	}
}

// write registers an entry. One about an object to be made is safely on the medium before
// write returns.
func (r *register) write(e Entry) error {
	line := registerLine{Entry: e}
	if e.Object != nil && e.Act != "removed" {
		line.Proof = &proof{Boot: r.home.boot}
		if filepath.IsAbs(e.Object.Path) {
			line.Proof.Real = safefile.Resolve(e.Object.Path)
		}
	}
	if err := r.append(line); err != nil {
		return fmt.Errorf("register an object: %w", mounts.NameFull(err, r.path))
	}
	if e.Act == "making" || e.Event == runStarted {
		if err := r.file.Sync(); err != nil {
			return fmt.Errorf("register an object: %w", mounts.NameFull(err, r.path))
		}
	}
	return r.compact()
}

func (r *register) append(e registerLine) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if r.torn {
		line = append([]byte{'\n'}, line...)
	}
	n, err := r.file.Write(append(line, '\n'))
	r.torn = err != nil && (n > 0 || r.torn)
	if err == nil {
		r.apply(e)
	}
	return err
}

// mostLines is the length from which a register is compacted: a run makes and removes
// things for days.
const mostLines = 4096

// compact rewrites a register when most of its objects are gone.
func (r *register) compact() error {
	if r.lines < mostLines || r.lines < 4*len(r.live) || !r.alone() {
		return nil
	}
	return r.rewrite()
}

// rewrite drops obsolete entries from a register that nobody else uses.
func (r *register) rewrite() error {
	fresh := &register{path: r.path}
	var err error
	if fresh.file, err = os.OpenFile(r.path+".new", os.O_CREATE|os.O_TRUNC|os.O_APPEND|os.O_RDWR, 0o600); err != nil {
		return fmt.Errorf("compact the register: %w", err)
	}
	lines := []registerLine{{Entry: Entry{Act: "note", Event: opened, Detail: r.home.detail(r.run)}}}
	if r.begun {
		lines = append(lines, registerLine{Entry: Entry{Act: "note", Event: runStarted}})
	}
	lines = append(lines, r.live...)
	for _, line := range lines {
		err = errors.Join(err, fresh.append(line))
	}
	err = errors.Join(err, unix.Flock(int(fresh.file.Fd()), unix.LOCK_SH), fresh.file.Sync())
	if err == nil {
		err = os.Rename(r.path+".new", r.path)
	}
	if err != nil {
		return fmt.Errorf("compact the register: %w", errors.Join(err, fresh.file.Close()))
	}
	_ = r.file.Close() // it has no name any more
	*r = *fresh
	return nil
}

// alone reports whether nobody else has the register open. It then belongs
// to this process until it is closed.
func (r *register) alone() bool {
	return unix.Flock(int(r.file.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}

// close closes the register, and removes obsolete entries.
func (r *register) close() error {
	var err error
	switch {
	case len(r.live) > 0 || !r.alone():
	case r.begun:
		err = r.rewrite()
	default:
		err = os.Remove(r.path)
	}
	return errors.Join(err, r.file.Close())
}

// knownRegisters lists this user's registers with wanted names.
func knownRegisters(wanted func(name string) bool) (all []*register) {
	dir, err := registers()
	if err != nil {
		return nil
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), registerSuffix) || !wanted(e.Name()) {
			continue
		}
		if r, err := readRegister(e.Name()); err == nil && runIDForm.MatchString(r.run) {
			all = append(all, r)
		}
	}
	return all
}

// objects returns the live objects, and their proofs by key.
func (r *register) objects() (all []Object, proofs map[string]proof) {
	proofs = map[string]proof{}
	for _, e := range r.live {
		all = append(all, *e.Object)
		if e.Proof != nil {
			proofs[e.Object.key()] = *e.Proof
		}
	}
	return all, proofs
}

// authorise replaces the objects that a journal lists by those that are registered for
// its directory.
func (s *State) authorise(dir string) {
	home, err := identify(dir)
	if err != nil {
		return // no directory has no run
	}
	ofHome := func(name string) bool { return strings.HasSuffix(name, registerEnd(home)) }
	for _, r := range knownRegisters(ofHome) {
		if r.home.same(home) && (s.RunID == "" || s.RunID == r.run) {
			s.RunID, s.Registered = r.run, true
			s.take(r)
			return
		}
	}
	if s.RunID != "" {
		ofRun := func(name string) bool { return strings.HasPrefix(name, s.RunID+".") }
		for _, r := range knownRegisters(ofRun) {
			if s.RunID == r.run && len(r.live) > 0 {
				s.Original = r.home.path
			}
		}
	}
	s.take(&register{})
}

func (s *State) take(r *register) {
	listed := s.Objects
	s.Objects, s.proofs = r.objects()
	for _, o := range listed {
		if _, known := s.proofs[o.key()]; !known {
			s.Unregistered = append(s.Unregistered, o)
		}
	}
}

// Orphans are what runs made whose directory is gone, or is another's. Registers that
// remember nothing are removed. Elsewhere names the directories of the others that have
// something left, by the identifiers of their runs.
func Orphans() (orphans []State, elsewhere map[string]string) {
	elsewhere = map[string]string{}
	for _, r := range knownRegisters(func(string) bool { return true }) {
		home, err := identify(r.home.path)
		here := err == nil && r.home.same(home)
		switch {
		case len(r.live) == 0 && r.begun && here:
		case len(r.live) == 0:
			if j, err := OpenOrphan(State{RunID: r.run, home: r.home}); err == nil {
				_ = j.Close() // which removes it, unless another process uses it
			}
		case here:
			elsewhere[r.run] = r.home.path
		default:
			s := State{RunID: r.run, Machine: MachineID(), UID: os.Geteuid(), Original: r.home.path, home: r.home}
			s.take(r)
			orphans = append(orphans, s)
		}
	}
	return orphans, elsewhere
}

// OpenOrphan opens the register of a run whose directory is gone, to record removals.
func OpenOrphan(s State) (*Journal, error) {
	r, err := openRegister(s.RunID, s.home)
	if err != nil {
		return nil, err
	}
	r.begun = false // it cannot go on
	return &Journal{RunID: s.RunID, register: r}, nil
}
