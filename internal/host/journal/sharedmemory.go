package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// memoryFiles is where shm_open(3) makes files, without directories.
const memoryFiles = "/dev/shm"

// SharedMemory is the shared memory of processes that outlives them when they are killed: System V
// segments, which the kernel lists with their makers, and files of shm_open(3). Its zero value is
// that of no process.
type SharedMemory struct {
	mu     sync.Mutex
	makers map[int]time.Time // living processes in our IPC namespace, by when they began
	files  map[string]fileID
}

// fileID identifies a file, as proc(5) does in maps.
type fileID struct{ device, inode string }

// Note notes living processes and the files that they use now. It has to come before they
// are killed: afterwards nothing says whose a file was.
func (m *SharedMemory) Note(pids ...int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.makers == nil {
		m.makers, m.files = map[int]time.Time{}, map[string]fileID{}
	}
	for _, pid := range pids {
		if began, ok := beganHere(pid); ok {
			m.makers[pid] = began
		}
		maps.Copy(m.files, ownMemoryFiles(pid))
	}
}

// Remove removes what the noted processes made and no process uses any more.
func (m *SharedMemory) Remove() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var errs []error
	if len(m.makers) > 0 {
		errs = append(errs, m.removeSegments())
	}
	if len(m.files) > 0 {
		errs = append(errs, m.removeFiles())
	}
	return errors.Join(errs...)
}

// beganHere is when a process began, to the second; ok is false where it is gone or its System V
// segments are others than ours.
func beganHere(pid int) (began time.Time, ok bool) {
	own, ownErr := os.Readlink("/proc/self/ns/ipc")
	its, itsErr := os.Readlink(procFile(pid, "ns/ipc"))
	p, err := procfs.NewProc(pid)
	if err != nil || ownErr != nil || itsErr != nil || own != its {
		return time.Time{}, false
	}
	stat, err := p.Stat()
	if err != nil {
		return time.Time{}, false
	}
	seconds, err := stat.StartTime()
	return time.Unix(int64(seconds), 0), err == nil
}

// ownMemoryFiles are the files below memoryFiles that a process uses and whose owner it runs as.
// One in another file system of that name, as in a container, is none of ours.
func ownMemoryFiles(pid int) map[string]fileID {
	used := mappedFiles(pid)
	var process unix.Stat_t
	if err := unix.Stat(procFile(pid, ""), &process); err != nil {
		return nil
	}
	maps.DeleteFunc(used, func(path string, id fileID) bool {
		there, uid := fileAt(path)
		return there != id || uid != process.Uid
	})
	return used
}

// mappedFiles are the files directly in memoryFiles that a process has mapped (proc(5)).
func mappedFiles(pid int) map[string]fileID {
	text, err := os.ReadFile(procFile(pid, "maps"))
	if err != nil {
		return nil // it is gone, or another user's
	}
	found := map[string]fileID{}
	for line := range strings.Lines(string(text)) {
		// address, mode, offset, device, inode, path
		_, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "+memoryFiles+"/")
		if fields := strings.Fields(line); ok && !strings.Contains(name, "/") && len(fields) > 5 {
			found[filepath.Join(memoryFiles, name)] = fileID{fields[3], fields[4]}
		}
	}
	return found
}

// fileAt gives a regular file's identity and owner; no identity where there is none.
func fileAt(path string) (fileID, uint32) {
	var s unix.Stat_t
	if unix.Lstat(path, &s) != nil || s.Mode&unix.S_IFMT != unix.S_IFREG {
		return fileID{}, 0
	}
	return fileID{fmt.Sprintf("%02x:%02x", unix.Major(s.Dev), unix.Minor(s.Dev)), strconv.FormatUint(s.Ino, 10)}, s.Uid
}

// removeFiles removes those that are the same still and that no process has mapped.
func (m *SharedMemory) removeFiles() error {
	used := map[string]bool{}
	for _, pid := range allPIDs() {
		for path, id := range mappedFiles(pid) {
			used[path] = used[path] || id == m.files[path]
		}
	}
	var errs []error
	for _, path := range slices.Sorted(maps.Keys(m.files)) {
		if id, _ := fileAt(path); id != m.files[path] || used[path] {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("remove shared memory: %w", err))
		}
	}
	return errors.Join(errs...)
}

// removeSegments removes System V segments of this user that nobody is attached to and whose maker
// is known.
func (m *SharedMemory) removeSegments() error {
	table, err := os.ReadFile("/proc/sysvipc/shm")
	if err != nil {
		return nil // a kernel without it has none
	}
	var errs []error
	for _, s := range segments(string(table)) {
		began, known := m.makers[s.maker]
		if !known || s.attached > 0 || s.uid != os.Geteuid() || s.made < began.Unix() {
			continue
		}
		if _, err := unix.SysvShmCtl(s.id, unix.IPC_RMID, nil); err != nil && !errors.Is(err, unix.EINVAL) {
			errs = append(errs, fmt.Errorf("remove shared memory segment %d: %w; run: ipcrm -m %d", s.id, err, s.id))
		}
	}
	return errors.Join(errs...)
}

// segment is a line of /proc/sysvipc/shm (proc(5)).
type segment struct {
	id, maker, attached, uid int
	made                     int64 // or last changed, in seconds since 1970
}

func segments(table string) []segment {
	var all []segment
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) < 14 || f[0] == "key" {
			continue
		}
		n := make([]int64, len(f))
		for i := range f {
			n[i], _ = strconv.ParseInt(f[i], 10, 64) // the kernel writes numbers
		}
		all = append(all, segment{id: int(n[1]), maker: int(n[4]), attached: int(n[6]), uid: int(n[7]), made: n[13]})
	}
	return all
}
