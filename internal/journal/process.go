package journal

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Found is a process of a run.
type Found struct {
	PID     int
	Object  string // the name part of its marker
	Command string
}

// Processes finds the living processes whose environment carries the run's
// marker. It needs no journal.
func Processes(runID string) []Found {
	var all []Found
	prefix := []byte(MarkerVariable + "=" + runID + "/")
	for _, pid := range allPIDs() {
		environ, err := os.ReadFile(procFile(pid, "environ"))
		if err != nil || pid == os.Getpid() {
			continue
		}
		for entry := range bytes.SplitSeq(environ, []byte{0}) {
			if name, ok := bytes.CutPrefix(entry, prefix); ok {
				all = append(all, Found{PID: pid, Object: string(name), Command: commandOf(pid)})
				break
			}
		}
	}
	return all
}

// endProcesses kills the processes of the objects and waits until they are
// gone. A process is taken for ours by its marker, by identifier and start
// time, or because it works below the object's directory, which is how the
// children of a database are recognised that overwrite their environment.
func endProcesses(ctx context.Context, runID string, objects []Object) []Removal {
	done := make([]Removal, len(objects))
	err := waitUntil(ctx, kernelLimit, "processes to end", func() bool {
		marked := map[string][]int{}
		for _, f := range Processes(runID) {
			marked[f.Object] = append(marked[f.Object], f.PID)
		}
		alive := false
		for i, o := range objects {
			pids := append(marked[o.Name], sameProcess(o)...)
			pids = append(pids, workingBelow(runID, o.Path)...)
			for _, pid := range pids {
				kill(pid)
			}
			done[i].Object = o
			done[i].Found = done[i].Found || len(pids) > 0
			alive = alive || len(pids) > 0
		}
		return !alive
	})
	for i := range done {
		if done[i].Found {
			done[i].Err = err
		}
	}
	return done
}

func sameProcess(o Object) []int {
	if o.PID > 0 && o.StartTime > 0 && StartTime(o.PID) == o.StartTime && !isZombie(o.PID) {
		return []int{o.PID}
	}
	return nil
}

// workingBelow lists processes whose working directory is in a directory of
// the run.
func workingBelow(runID, directory string) []int {
	if _, _, ours := ownedPart(runID, directory); !ours {
		return nil
	}
	if real, err := filepath.EvalSymlinks(directory); err == nil {
		directory = real
	}
	var pids []int
	for _, pid := range allPIDs() {
		if cwd := workingIn(pid); pid != os.Getpid() && (cwd == directory || strings.HasPrefix(cwd, directory+"/")) {
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

func kill(pid int) {
	if pid > 1 && pid != os.Getpid() {
		_ = unix.Kill(pid, unix.SIGKILL) // gone already is as good
	}
}

// StartTime gives a process's start in clock ticks since boot, 0 when there
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

// statFields gives the fields of stat from the third (state) on, which follow
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
	return filepath.Base(words[0])
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
