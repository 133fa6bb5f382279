package driver

import (
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// usage is the resources used by this process.
type usage struct {
	user, system time.Duration
}

// cpuUsage returns the CPU time of this process, all threads; zero where the
// system does not report it.
func cpuUsage() usage {
	var r unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &r) != nil {
		return usage{}
	}
	return usage{user: time.Duration(r.Utime.Nano()), system: time.Duration(r.Stime.Nano())}
}

// residentBytes returns the memory of this process: the second number of
// /proc/self/statm, in pages; 0 where there is no such file.
func residentBytes() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}
