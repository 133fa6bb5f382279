package thread

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"
)

// monitorSlack is how late the scheduler's monitor may wake. Where threads block or wait
// for a processor, it always finds something to do, and then wakes every 20 µs. Each time
// it takes the processor from a thread at work, which may hold a lock that others wait
// for. docs/driver-measurements.md has what that cost.
const monitorSlack = time.Millisecond

// CalmMonitor lets the scheduler's monitor wake a millisecond late. It is for programs in
// which nothing depends on the monitor taking a blocked thread's place and giving it to
// another. It requires CAP_SYS_NICE; without it, CalmMonitor changes nothing and returns
// the reason.
func CalmMonitor() error {
	id, err := monitor()
	if err == nil {
		err = os.WriteFile(slackFile(id), strconv.AppendInt(nil, monitorSlack.Nanoseconds(), 10), 0)
	}
	if err != nil {
		return fmt.Errorf("let the monitor of Go's scheduler sleep longer: %w", err)
	}
	return nil
}

// slackFile is where the system has by how much a thread may wake late, in nanoseconds.
func slackFile(thread string) string { return "/proc/" + thread + "/timerslack_ns" }

// monitor returns the thread that the runtime starts before all others, when the program
// begins (runtime.main). The system lists threads in the order of their creation.
func monitor() (id string, err error) {
	if !ownRuntime {
		return "", fmt.Errorf("which thread it is is not known for %s", runtime.Version())
	}
	tasks, err := os.Open("/proc/self/task")
	if err != nil {
		return "", err
	}
	defer tasks.Close()
	threads, err := tasks.Readdirnames(0)
	if err == nil && len(threads) < 2 {
		err = fmt.Errorf("the program has %d threads", len(threads))
	}
	if err != nil {
		return "", err
	}
	return threads[1], nil
}
