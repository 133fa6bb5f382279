package campaign

import (
	"strings"
	"testing"

	"plimsoll/internal/result"
)

// What is known comes first, wherever it stands in the cause.
func TestKnownErrorsComeFirst(t *testing.T) {
	log := strings.Repeat("2026-11-25 LOG:  checkpoint starting: time\n", 19)
	for said, want := range map[string]string{
		"ERROR:  could not extend file \"base/5/16384\": No space left on device": "no space is left on a file system",
		"write: disk quota exceeded":              "a disk quota is used up",
		"mkdir: Read-only file system":            "a file system is read-only",
		"accept: Too many open files":             "the limit of open files is reached",
		"FATAL:  sorry, too many clients already": "a server has no connection slots left",
		"FATAL:  remaining connection slots are reserved for roles with the SUPERUSER attribute": "a server has no connection slots left",
		"ERROR 1040 (08004): Too many connections":                                               "a server has no connection slots left",
		"FATAL:  could not fork new process for connection: Resource temporarily unavailable":    "no more processes can be started",
		"mmap: Cannot allocate memory":                                                           "memory ran out",
		"PANIC:  could not fsync file: Input/output error":                                       "a device reported an I/O error",
	} {
		f := &result.Failure{Cause: "db-000 ended; the last lines of its log:\n" + log + said + "\n" + log}
		explain(f)
		if first, _, _ := strings.Cut(f.Cause, "\n"); f.Reason != want || !strings.HasPrefix(first, want+" ("+said+"): db-000 ended") {
			t.Errorf("%s: reason %q, first line %q", said, f.Reason, first)
		}
	}
	short := &result.Failure{Cause: "119 of 119 transactions failed: too many open files"}
	if explain(short); short.Reason != "the limit of open files is reached" || short.Cause != "119 of 119 transactions failed: too many open files" {
		t.Errorf("what is first already is said twice: %+v", short)
	}
	other := &result.Failure{Cause: "db-000 ended\n" + log}
	if explain(other); other.Reason != "" || !strings.HasPrefix(other.Cause, "db-000") {
		t.Errorf("a reason is made up: %+v", other)
	}
}
