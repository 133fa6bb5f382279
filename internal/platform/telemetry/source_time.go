package telemetry

import (
	"math"

	"plimsoll/internal/describe"
	"plimsoll/internal/platform/machine"
)

// timeMetrics are the quantities of a timeSource.
var timeMetrics = []Metric{
	{describe.TimeKind, string(describe.Running), unitShare, "threads of a group that ran on a CPU, on average over the second; where a server lists its sessions, sessions at work"},
	{describe.TimeKind, string(describe.CPUWait), unitShare, "the same that were ready and waited for a CPU (/proc/PID/schedstat)"},
	{describe.TimeKind, string(describe.QuotaWait), unitShare, "the same that were held back by a CPU quota (schedstat and cpu.stat)"},
	{describe.TimeKind, string(describe.DeviceWait), unitShare, "the same that waited for a device or a file system (state D, or as the server lists them)"},
	{describe.TimeKind, string(describe.LockWait), unitShare, "sessions that waited for a lock"},
	{describe.TimeKind, string(describe.NetworkWait), unitShare, "sessions that waited for the network"},
	{describe.TimeKind, string(describe.PeerWait), unitShare, "sessions that waited for another server"},
	{describe.TimeKind, string(describe.OtherWait), unitShare, "sessions that waited for something that the server does not name"},
	{describe.TimeKind, describe.SessionsMetric, unitShare, "sessions at work: a client waits for them"},
	{describe.WaitKind, string(describe.DeviceWait), unitShare, "sessions by the name of what they waited for: db-000/WAL flush"},
	{describe.WaitKind, string(describe.LockWait), unitShare, "the same of locks"},
	{describe.WaitKind, string(describe.NetworkWait), unitShare, "the same of the network"},
	{describe.WaitKind, string(describe.PeerWait), unitShare, "the same of other servers"},
	{describe.WaitKind, string(describe.OtherWait), unitShare, "the same of anything else"},
}

// timeSource says where the threads of a group, or the sessions of its server, spend their time.
//
// The kernel's accounting of block I/O delays (taskstats) is not used: it leaves out waits for a
// file system's journal, which a thread spends in uninterruptible sleep too.
type timeSource struct {
	book     *book
	name     string
	cores    float64 // of the machine
	states   map[describe.Component]*column
	all      *column // nil without sessions
	waits    map[wait]*column
	sessions *sessionSource // nil where the server does not list them
}

// wait is what sessions wait for, by the server's name of it.
type wait struct {
	component describe.Component
	name      string
}

func newTimeSource(b *book, f *files, w Watched) *timeSource {
	s := &timeSource{book: b, name: w.Name, cores: float64(machine.Cores()), states: map[describe.Component]*column{}, waits: map[wait]*column{}}
	if w.Sessions != nil {
		s.sessions = startSessions(f, w.Name, w.Sessions)
		s.all = b.column(describe.TimeKind, w.Name, describe.SessionsMetric)
	}
	return s
}

func (s *timeSource) close() {
	if s.sessions != nil {
		s.sessions.close()
	}
}

// follow keeps up with a server whose process may have been replaced, and with how many servers
// there are.
func (s *timeSource) follow(w Watched, members []*process, servers int) {
	if s.sessions != nil && w.Sessions != nil {
		s.sessions.follow(w.Sessions, members)
		s.sessions.share(servers)
	}
}

// workers are the threads that were seen to work for sessions; none if that is not known.
func (s *timeSource) workers() map[int]bool {
	if s.sessions == nil {
		return nil
	}
	return s.sessions.workers()
}

func (s *timeSource) add(c describe.Component, v float64) {
	at := s.states[c]
	if at == nil {
		at = s.book.column(describe.TimeKind, s.name, string(c))
		s.states[c] = at
	}
	at.add(v)
}

// sample writes the states since the sample before. cores is the CPU that the group used, and
// throttled for how many CPUs it was held back by its quota.
func (s *timeSource) sample(elapsed float64, threads threadStates, cores, throttled float64) {
	delay := math.NaN()
	if threads.known {
		delay = threads.delay / elapsed
	}
	if threads.known && threads.chosen {
		cores = threads.ran / elapsed // of sessions
	}
	quota := quotaWait(delay, cores, throttled, s.cores)
	s.add(describe.CPUWait, delay-quota)
	s.add(describe.QuotaWait, quota)
	if s.sessions == nil {
		s.add(describe.Running, cores)
		s.add(describe.DeviceWait, float64(threads.blocked))
		return
	}
	if math.IsNaN(delay) {
		cores = math.NaN() // sessions that do not wait may compute or wait for a CPU
	}
	s.add(describe.Running, cores)
	s.addSessions(s.sessions.take())
}

// quotaWait is how much of the time in which threads of a group were ready and had no CPU is
// the quota's. The kernel counts for how long each CPU of the group was throttled, in all; then
// all ready threads of that CPU wait. It is NaN where one of the counts is not known.
func quotaWait(delay, cores, throttled, machine float64) float64 {
	if throttled == 0 || math.IsNaN(throttled) {
		return 0 * delay // no quota
	}
	ready := delay + cores
	spread := max(1, min(machine, ready)) // CPUs that the threads are spread over
	return min(delay, throttled*max(1, ready/spread))
}

// addSessions writes the mean number of sessions in each state. Those that wait for nothing, as
// far as the server says, are among the threads that compute or wait for a CPU, and so are those
// that have a request of which the server knows nothing before they get a CPU.
func (s *timeSource) addSessions(seen sessionSums) {
	n := float64(seen.lists) // 0 makes all of them unknown
	s.all.add(seen.sessions / n)
	for _, c := range []describe.Component{describe.DeviceWait, describe.LockWait, describe.NetworkWait, describe.PeerWait, describe.OtherWait} {
		s.add(c, seen.states[c]/n)
	}
	for w := range seen.waits {
		if s.waits[w] == nil {
			s.waits[w] = s.book.column(describe.WaitKind, s.name+"/"+w.name, string(w.component))
		}
	}
	for w, at := range s.waits {
		at.add(seen.waits[w] / n)
	}
}
