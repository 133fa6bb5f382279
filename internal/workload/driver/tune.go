package driver

import (
	"encoding/json"
	"os"
	"runtime"

	"plimsoll/internal/host/thread"
	"plimsoll/internal/workload"
)

// threads is how many threads run Go code at once where users have none of their
// own. One carries thousands of units of work a second; the second keeps users
// from waiting for the garbage collector and for the reporter, which would lengthen
// what they measure. More would wake each other in vain.
const threads = 2

// pollingThreads is the same where users leave waiting to the poller: pages take so
// long that it does not matter when one waits a millisecond for the reporter, but two
// threads wake each other for every page, which costs CPU (docs/driver-measurements.md).
const pollingThreads = 1

// mostThreads bounds how many users have a thread each. What a thread saves is the
// way through Go's poller, and the user stays on the processor of the server that
// answers, as with programs in C.
const mostThreads = 64

// mostBlocked bounds the threads of users whose calls block. With fewer threads, a user
// waits until Go's scheduler takes the processor from another thread that is blocked, 20 µs
// or more, which is long compared with short calls (docs/driver-measurements.md).
const mostBlocked = 256

// settings make a process, which has no other job, cheap for the job; GOMAXPROCS in the
// environment overrides them.
func settings(j *Job, w workload.Workload) thread.Settings {
	switch {
	case os.Getenv("GOMAXPROCS") != "":
		return thread.Settings{}
	case polls(w, j.Parameters):
		return thread.Settings{Threads: pollingThreads}
	case blocked(w, j.Parameters) > 0:
		places := min(j.Users*len(j.Targets)*blocked(w, j.Parameters), mostBlocked) + 1 // the reporter's
		// With more, users wait for places that the monitor takes from others.
		return thread.Settings{Threads: places, Blocked: places, Calm: places <= mostBlocked}
	case j.ownThreads():
		places := j.connections() + 1 // the reporter's
		return thread.Settings{Threads: places, Places: places}
	case j.alone():
		return thread.Settings{Threads: 1, Alone: true}
	default:
		return thread.Settings{Threads: min(threads, runtime.NumCPU())}
	}
}

// tuned has this process use the settings for a job.
func tuned(j *Job, w workload.Workload) thread.Settings {
	s := settings(j, w)
	s.Use()
	return s
}

// polls reports whether the workload's users leave waiting to the poller.
func polls(w workload.Workload, parameters json.RawMessage) bool {
	return ask(w, parameters, w.Capabilities().Polls)
}

// blocked is how many threads each user blocks.
func blocked(w workload.Workload, parameters json.RawMessage) int {
	return ask(w, parameters, w.Capabilities().Blocked)
}

// ask asks a workload something about a job's parameters. The answer is the zero value where it
// cannot be asked, or where something is wrong with them, which is reported later.
func ask[T any](w workload.Workload, parameters json.RawMessage, question func(workload.Parameters) T) (answer T) {
	if question == nil {
		return answer
	}
	if p, err := workload.DecodeParameters(w, parameters); err == nil {
		answer = question(p)
	}
	return answer
}

// ownThreads reports whether each user gets a thread. Users that never pause do: their
// threads are always either asleep in a call or at work.
func (j *Job) ownThreads() bool {
	return j.connections() > 0 && j.connections() <= mostThreads && j.ThinkTime == 0 && j.Rate == 0
}

// alone reports whether there is one user, of no server. Each time that such a
// user lets the scheduler run, it would wake a second thread in vain, and I/Os
// would be late (docs/driver-measurements.md).
func (j *Job) alone() bool { return j.Users*len(j.Targets) == 1 && j.connections() == 0 }

// connections is how many servers the job's users talk to, each user to its own.
func (j *Job) connections() (n int) {
	for _, t := range j.Targets {
		for _, e := range t.Endpoints {
			if e.Network != "" {
				n += j.Users
			}
		}
	}
	return n
}
