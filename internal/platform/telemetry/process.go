package telemetry

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strconv"
)

// process is one member of a group.
type process struct {
	pid             int
	stat, io, statm *file
	tasks           []*file // stat of each thread, for groups that count blocked ones
	tasksAt         int     // how many threads there were when tasks was made
}

func newProcess(f *files, pid int) *process {
	dir := "/proc/" + strconv.Itoa(pid)
	return &process{pid: pid, stat: f.file(dir + "/stat"), io: f.file(dir + "/io"), statm: f.file(dir + "/statm")}
}

func (p *process) close() {
	p.stat.close()
	p.io.close()
	p.statm.close()
	p.closeTasks()
}

func (p *process) closeTasks() {
	for _, t := range p.tasks {
		t.close()
	}
	p.tasks = nil
}

// ticksPerSecond is the unit of times in /proc/PID/stat. Linux shows user
// space 100 on every architecture that Go runs on.
const ticksPerSecond = 100

// Columns of /proc/PID/stat after the state (proc(5)), counted from 0.
const (
	statUserTime     = 10 // the first of utime, stime, cutime, cstime
	statThreads      = 16
	statColumnsAfter = 17
)

// processStat holds the columns of /proc/PID/stat that are used.
type processStat struct {
	state   byte
	cpu     float64 // s, including children that ended and were waited for
	threads int
}

// parseStat reads /proc/PID/stat; ok is false for a process that is gone. The
// name in brackets may hold anything, so columns count from the last bracket.
func parseStat(text []byte) (s processStat, ok bool) {
	at := bytes.LastIndexByte(text, ')')
	if at < 0 || at+4 > len(text) {
		return s, false
	}
	s.state = text[at+2]
	rest := text[at+3:]
	var columns [statColumnsAfter]uint64
	for i := range columns {
		rest = bytes.TrimLeft(rest, " ")
		negative := len(rest) > 0 && rest[0] == '-' // the terminal's group may be -1
		if negative {
			rest = rest[1:]
		}
		if columns[i], rest, ok = number(rest); !ok {
			return s, false
		}
	}
	ticks := uint64(0)
	for _, t := range columns[statUserTime : statUserTime+4] {
		ticks += t
	}
	s.cpu = float64(ticks) / ticksPerSecond
	s.threads = int(columns[statThreads])
	return s, true
}

// bytesMoved reads /proc/PID/io: bytes that were read from and written to
// devices because of the process and its children that ended.
func (p *process) bytesMoved() (read, written float64, there bool) {
	text := p.io.read()
	if text == nil {
		return math.NaN(), math.NaN(), readable("/proc/" + strconv.Itoa(p.pid))
	}
	return keyed(text, "read_bytes: "), keyed(text, "write_bytes: "), true
}

// memory reads /proc/PID/statm and returns the private and the shared memory of the
// process, in bytes.
func (p *process) memory() (own, shared float64) {
	var pages [3]uint64 // size, resident, shared
	if numbers(p.statm.read(), pages[:]) < len(pages) {
		return 0, 0
	}
	page := float64(os.Getpagesize())
	return (float64(pages[1]) - float64(pages[2])) * page, float64(pages[2]) * page
}

// blocked counts threads in uninterruptible sleep. The list of threads is
// made anew when their number has changed.
func (p *process) blocked(f *files, s processStat) int {
	if s.threads <= 1 {
		return count(s.state == 'D')
	}
	if len(p.tasks) == 0 || p.tasksAt != s.threads {
		p.listTasks(f)
		p.tasksAt = s.threads
	}
	n := 0
	for _, t := range p.tasks {
		task, ok := parseStat(t.read())
		n += count(ok && task.state == 'D')
	}
	return n
}

func (p *process) listTasks(f *files) {
	p.closeTasks()
	dir := "/proc/" + strconv.Itoa(p.pid) + "/task"
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		p.tasks = append(p.tasks, f.file(filepath.Join(dir, e.Name(), "stat")))
	}
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
