package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/safefile"
	"plimsoll/internal/text/sanitize"
)

// RunProcess is a process of a run.
type RunProcess struct {
	PID     int
	Object  string // the name part of its marker
	Command string
}

// Processes finds the living processes whose environment carries the run's
// marker. It needs no journal.
func Processes(runID string) []RunProcess {
	var all []RunProcess
	for _, pid := range allPIDs() {
		if name := markerOf(pid, runID); name != "" && pid != os.Getpid() {
			all = append(all, RunProcess{PID: pid, Object: name, Command: commandOf(pid)})
		}
	}
	return all
}

// markerOf is the object that a process's marker names; empty where it has none of the
// run.
func markerOf(pid int, runID string) string {
	run, name, _ := strings.Cut(markerIn(pid), "/")
	if run != runID {
		return ""
	}
	return name
}

// markerIn is the marker in a process's environment: run/object.
func markerIn(pid int) string { return environmentOf(pid, MarkerVariable) }

// environmentOf is the value of a variable that a process was started with; empty where it
// has none, or it cannot be read.
func environmentOf(pid int, variable string) string {
	environ, err := os.ReadFile(procFile(pid, "environ"))
	if err != nil {
		return ""
	}
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if value, ok := bytes.CutPrefix(entry, []byte(variable+"=")); ok {
			return string(value)
		}
	}
	return ""
}

// endProcesses kills the processes of the objects, waits until they are gone and
// removes the shared memory that they leave. A process is taken for ours by its marker, by identifier and start
// time, or because it works below the object's directory, which is how the
// children of a database are recognised that overwrite their environment. It is
// recognised again when it is held by a handle, and ended by that (pidfd_open(2)).
func (s State) endProcesses(ctx context.Context, objects []Object, limit time.Duration) []Removal {
	done := make([]Removal, len(objects))
	left := make([][]int, len(objects))
	what := &survivors{}
	memory := make([]SharedMemory, len(objects))
	err := waitUntilReported(ctx, limit, what.text, func() bool {
		marked := map[string][]int{}
		for _, f := range Processes(s.RunID) {
			marked[f.Object] = append(marked[f.Object], f.PID)
		}
		what.pids = nil
		for i, o := range objects {
			done[i].Object = o
			if s.ofAnotherBoot(o) {
				continue
			}
			named, same, within := marked[o.Name], sameProcess(o), s.workingBelow(o)
			left[i] = slices.Concat(named, same, within)
			memory[i].Note(left[i]...)
			for _, pid := range named {
				kill(pid, func() bool { return markerOf(pid, s.RunID) == o.Name })
			}
			for _, pid := range same {
				kill(pid, func() bool { return len(sameProcess(o)) > 0 })
			}
			for _, pid := range within {
				kill(pid, func() bool { return slices.Contains(s.workingBelow(o), pid) })
			}
			done[i].Found = done[i].Found || len(left[i]) > 0
			what.pids = append(what.pids, left[i]...)
		}
		return len(what.pids) == 0
	})
	for i := range done {
		if len(left[i]) > 0 {
			done[i].Err = err
		} else {
			done[i].Err = memory[i].Remove()
		}
	}
	return done
}

// survivors are processes that have been killed and still exist.
type survivors struct{ pids []int }

// text names them, with the state of each (proc(5)): D sleeps without being able to be
// woken, in a system call of storage that does not answer.
func (w *survivors) text() string {
	var all []string
	for _, pid := range slices.Compact(slices.Sorted(slices.Values(w.pids))) {
		state := "gone"
		if fields := statFields(pid); len(fields) > 0 {
			state = "state " + fields[0]
		}
		all = append(all, fmt.Sprintf("%s (pid %d, %s)", commandOf(pid), pid, state))
	}
	return "killed processes to end: " + strings.Join(all, ", ")
}

func sameProcess(o Object) []int {
	if o.PID > 0 && o.StartTime > 0 && StartTime(o.PID) == o.StartTime && !isZombie(o.PID) {
		return []int{o.PID}
	}
	return nil
}

// workingBelow lists processes whose working directory is in the object's, which is one
// of the run. A link in its place leads to nobody.
func (s State) workingBelow(o Object) (pids []int) {
	if _, _, ours := ownedPart(s.RunID, o.Path); !ours {
		return nil
	}
	directory := s.realPath(o)
	err := s.inOwned(directory, func(parent *os.Root, name, below string, _ fs.FileInfo) error {
		dir, err := safefile.Open(directory)
		if err != nil {
			return err
		}
		return dir.Close()
	})
	// A directory that is gone is judged by its name: it can only have been the run's.
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, pid := range allPIDs() {
		if cwd := workingIn(pid); pid != os.Getpid() && within(cwd, directory) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// workingIn is the working directory of a process, which may be gone; empty where it
// is not to be known.
func workingIn(pid int) string {
	cwd, _ := os.Readlink(procFile(pid, "cwd"))
	return strings.TrimSuffix(cwd, " (deleted)")
}

// kill ends a process, if it is the one that is meant when it is held by a handle: its
// number may have become another's.
func kill(pid int, meant func() bool) { signal(pid, unix.SIGKILL, meant) }

func signal(pid int, which unix.Signal, meant func() bool) {
	if pid <= 1 || pid == os.Getpid() {
		return
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return // gone already is as good
	}
	defer unix.Close(fd)
	if meant() {
		_ = unix.PidfdSendSignal(fd, which, nil, 0)
	}
}

// StartTime returns a process's start in clock ticks since boot, 0 when there
// is no such process (proc(5), field 22 of stat).
func StartTime(pid int) uint64 {
	fields := statFields(pid)
	if len(fields) < 20 {
		return 0
	}
	n, _ := strconv.ParseUint(fields[19], 10, 64)
	return n
}

func isZombie(pid int) bool {
	fields := statFields(pid)
	return len(fields) > 0 && fields[0] == "Z"
}

// wake resumes the run's stopped processes. A file system served by a stopped process can
// be neither unmounted nor examined until the process answers, and any attempt hangs in the
// kernel meanwhile. The signal does nothing to the others.
func (s State) wake() {
	for _, f := range Processes(s.RunID) {
		if slices.ContainsFunc(s.Objects, func(o Object) bool { return o.Kind == Process && o.Name == f.Object }) {
			signal(f.PID, unix.SIGCONT, func() bool { return markerOf(f.PID, s.RunID) == f.Object })
		}
	}
}

// statFields returns the fields of stat from the third (state) on, which follow
// the command's closing parenthesis.
func statFields(pid int) []string {
	data, err := os.ReadFile(procFile(pid, "stat"))
	if err != nil {
		return nil
	}
	_, rest, ok := strings.Cut(string(data[max(0, bytes.LastIndexByte(data, ')')):]), " ")
	if !ok {
		return nil
	}
	return strings.Fields(rest)
}

func commandOf(pid int) string {
	data, _ := os.ReadFile(procFile(pid, "cmdline"))
	words := strings.Split(strings.TrimRight(string(data), "\x00"), "\x00")
	return sanitize.Name(filepath.Base(words[0]))
}

func allPIDs() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var pids []int
	for _, n := range names {
		if pid := atoi(n); pid > 0 {
			pids = append(pids, pid)
		}
	}
	return pids
}

func procFile(pid int, name string) string { return fmt.Sprintf("/proc/%d/%s", pid, name) }

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}
