package telemetry

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// process is one member of a group.
type process struct {
	pid             int
	stat, io, statm *file
	threads         []*thread
	listed          uint64 // threads that there were when threads was listed
}

// thread is one thread of a process.
type thread struct {
	id          int
	stat, sched *file
	ran, delay  counter // ns on a CPU, and ready without one
}

func (t *thread) close() {
	t.stat.close()
	t.sched.close()
}

func newProcess(f *files, pid int) *process {
	dir := "/proc/" + strconv.Itoa(pid)
	return &process{pid: pid, stat: f.file(dir + "/stat"), io: f.file(dir + "/io"), statm: f.file(dir + "/statm")}
}

func (p *process) close() {
	p.stat.close()
	p.io.close()
	p.statm.close()
	p.closeThreads()
}

func (p *process) closeThreads() {
	for _, t := range p.threads {
		t.close()
	}
	p.threads = nil
}

// ticksPerSecond is the unit of times in /proc/PID/stat. Linux shows user
// space 100 on every architecture that Go runs on.
const ticksPerSecond = 100

// Columns of /proc/PID/stat after the state (proc(5)), counted from 0.
const (
	statUserTime = 10 // utime, stime, cutime, cstime
	statEnd      = 14
)

// parseCPU reads from /proc/PID/stat the CPU time in s of a process and of its children that ended
// and were waited for, in all and outside the kernel; ok is false for a process that is gone. The name in brackets may hold
// anything, so columns count from the last bracket.
func parseCPU(text []byte) (cpu, user float64, ok bool) {
	at := bytes.LastIndexByte(text, ')')
	if at < 0 || at+4 > len(text) {
		return 0, 0, false
	}
	rest := text[at+3:]
	var columns [statEnd]uint64
	for i := range columns {
		rest = bytes.TrimLeft(rest, " ")
		negative := len(rest) > 0 && rest[0] == '-' // the terminal's group may be -1
		if negative {
			rest = rest[1:]
		}
		if columns[i], rest, ok = number(rest); !ok {
			return 0, 0, false
		}
	}
	ticks := columns[statUserTime:]
	userTicks, kernelTicks := ticks[0]+ticks[2], ticks[1]+ticks[3]
	return float64(userTicks+kernelTicks) / ticksPerSecond, float64(userTicks) / ticksPerSecond, true
}

// Amounts of /proc/PID/io, in the order of the file (proc(5)).
const (
	ioReadByCalls = iota // bytes that read(2) and the like gave, of sockets and pipes too
	ioWrittenByCalls
	ioReadCalls // how often these were called
	ioWriteCalls
	ioRead // bytes of devices
	ioWritten
)

var ioKeys = [...]string{"rchar: ", "wchar: ", "syscr: ", "syscw: ", "read_bytes: ", "write_bytes: "}

// moved reads /proc/PID/io: what the process and its children that ended read and wrote.
func (p *process) moved() (a amounts, there bool) {
	text := p.io.read()
	if text == nil {
		return unknownAmounts(), readable("/proc/" + strconv.Itoa(p.pid))
	}
	return parseIO(text), true
}

// parseIO reads the lines of /proc/PID/io. Calls for asynchronous I/O and accesses of mapped files
// are not among the calls.
func parseIO(text []byte) (a amounts) {
	for i, key := range ioKeys {
		var l []byte
		l, text = line(text)
		a[i] = keyed(l, key)
	}
	return a
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

// threadStates are the states of the threads of a group at a sample.
type threadStates struct {
	// ran is for how long threads ran since the sample before, in s, and delay for how long they
	// were ready and had no CPU, as far as it is known of each.
	ran, delay float64
	known      bool // for at least one thread
	// chosen reports that only threads that work for sessions are in them.
	chosen bool
	// blocked counts threads in uninterruptible sleep: they wait for a device or for a lock
	// within the kernel's storage, such as a file system's journal.
	blocked int
}

// addStates adds the states of the threads of a process, or of some of them. Threads are listed
// again when their number has changed, and after one has ended.
func (p *process) addStates(f *files, s *threadStates, only map[int]bool, counts bool) {
	if n := p.number(); len(p.threads) == 0 || n != p.listed {
		p.listThreads(f)
		p.listed = n
	}
	ended := false
	for _, t := range p.threads {
		ran, waited, there := runTimes(t.sched.read())
		ended = ended || !there
		ran, waited = t.ran.since(ran), t.delay.since(waited)
		if len(only) > 0 && !only[t.id] {
			continue
		}
		if !math.IsNaN(waited) {
			s.ran, s.delay = s.ran+ran/1e9, s.delay+waited/1e9
			s.known = true
		}
		if counts {
			s.blocked += count(stateOf(t.stat.read()) == 'D')
		}
	}
	if ended && readable("/proc/self/schedstat") {
		p.listed = 0
	}
}

// number is how many threads the process has, by the links of their directory: cheaper than a list.
func (p *process) number() uint64 {
	var s unix.Stat_t
	if unix.Stat("/proc/"+strconv.Itoa(p.pid)+"/task", &s) != nil {
		return 0
	}
	return uint64(s.Nlink)
}

// runTimes reads /proc/PID/schedstat: ns in which the thread ran, and in which it was ready and
// waited for a CPU, and how often it ran (kernel documentation, scheduler/sched-stats). They are NaN
// where the kernel does not count them.
func runTimes(text []byte) (ran, waited float64, there bool) {
	var columns [3]uint64
	if numbers(text, columns[:]) < len(columns) || columns[2] == 0 {
		return math.NaN(), math.NaN(), len(text) > 0
	}
	return float64(columns[0]), float64(columns[1]), true
}

// stateOf reads the state in /proc/PID/stat, 0 if there is none.
func stateOf(text []byte) byte {
	if at := bytes.LastIndexByte(text, ')'); at >= 0 && at+2 < len(text) {
		return text[at+2]
	}
	return 0
}

// listThreads lists the threads anew; known ones keep their counts.
func (p *process) listThreads(f *files) {
	before := map[string]*thread{}
	for _, t := range p.threads {
		before[t.stat.path] = t
	}
	p.threads = p.threads[:0]
	dir := "/proc/" + strconv.Itoa(p.pid) + "/task"
	entries, err := os.ReadDir(dir)
	if err != nil {
		entries = nil // it has ended
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name(), "stat")
		t, ok := before[path]
		if !ok {
			id, _ := strconv.Atoi(e.Name()) // all are numbers
			t = &thread{id: id, stat: f.file(path), sched: f.file(filepath.Join(dir, e.Name(), "schedstat"))}
		}
		delete(before, path)
		p.threads = append(p.threads, t)
	}
	for _, t := range before {
		t.close()
	}
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
