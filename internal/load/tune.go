package load

import (
	"os"
	"runtime"
)

// threads is how many threads run Go code at once. One carries thousands of
// units of work a second; the second keeps users from waiting for the garbage
// collector and for the reporter, which would lengthen what they measure. More
// would wake each other in vain.
const threads = 2

// fewConnections may block a thread each, which package wire does where there
// are places for threads to spare. With one user that takes a third less CPU than
// Go's poller; from eight on, the poller takes less, which wakes once for several.
const fewConnections = 4

// tune makes this process cheap for the job; GOMAXPROCS in the environment
// overrides it.
func tune(j *Job) {
	switch {
	case os.Getenv("GOMAXPROCS") != "":
	case j.ownThreads():
		runtime.GOMAXPROCS(threads + j.connections())
	default:
		runtime.GOMAXPROCS(min(threads, runtime.NumCPU()))
	}
}

// ownThreads says that each user has a thread, and keeps it: the system then
// keeps it near the server's that answers it.
func (j *Job) ownThreads() bool { return j.connections() > 0 && j.connections() <= fewConnections }

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
