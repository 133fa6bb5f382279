package campaign

import (
	"strings"

	"plimsoll/internal/result"
	"plimsoll/internal/workload"
)

// reasons are what errors that are known come down to, by what the C library, servers
// and classes of errors call them. What explains others stands first.
func reasons() []struct {
	reason  string
	phrases []string
} {
	return []struct {
		reason  string
		phrases []string
	}{
		{"a disk quota is used up", []string{"disk quota exceeded"}},
		{"no space is left on a file system", []string{"no space left on device", workload.OutOfSpace}},
		{"a file system is read-only", []string{"read-only file system"}},
		{"the limit of open files is reached", []string{"too many open files", workload.NoFiles}},
		{"a server has no connection slots left", []string{"too many clients already", "remaining connection slots", "too many connections", workload.NoConnections}},
		{"memory ran out", []string{"cannot allocate memory", "out of memory", workload.OutOfMemory}},
		{"no more processes can be started", []string{"fork: resource temporarily unavailable", "could not fork", "can't create a new thread", "pthread_create failed"}},
		{"a device reported an I/O error", []string{"input/output error", workload.InputOutput}},
	}
}

// explain sets the reason of a failure and puts it first in the cause, with the line
// that says so, where that is not there already: it may be one of many lines of a log.
func explain(f *result.Failure) {
	lines := strings.Split(f.Cause, "\n")
	for _, r := range reasons() {
		for n, line := range lines {
			if !containsAny(strings.ToLower(line), r.phrases) {
				continue
			}
			f.Reason = r.reason
			if n > 0 {
				f.Cause = r.reason + " (" + shortened(strings.TrimSpace(line)) + "): " + f.Cause
			}
			return
		}
	}
}

func containsAny(text string, phrases []string) bool {
	for _, p := range phrases {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}

// longestLine is how much of a line of a log stands before a cause, in bytes.
const longestLine = 240

func shortened(line string) string {
	if len(line) <= longestLine {
		return line
	}
	return strings.ToValidUTF8(line[:longestLine], "") + "..."
}
