package trial

import (
	"strings"
	"testing"

	"plimsoll/internal/result"
)

// A known reason comes first, wherever it stands in the cause.
func TestKnownErrorsComeFirst(t *testing.T) {
	log := strings.Repeat("2026-11-25 LOG:  checkpoint starting: time\n", 19)
	for text, want := range map[string]string{
		"ERROR:  could not extend file \"base/5/16384\": No space left on device":                      "no space is left on a file system",
		"[ERROR] mariadbd: Disk is full writing './ds2/ORDERS.MAD'; waiting for someone to free space": "no space is left on a file system",
		"ERROR 1021 (HY000): Disk full (/tmp/#sql-1)":                                                  "no space is left on a file system",
		"write: disk quota exceeded":                                                                   "a disk quota is used up",
		"mkdir: Read-only file system":                                                                 "a file system is read-only",
		"accept: Too many open files":                                                                  "the limit of open files is reached",
		"FATAL:  sorry, too many clients already":                                                      "a server has no connection slots left",
		"FATAL:  remaining connection slots are reserved for roles with the SUPERUSER attribute":       "a server has no connection slots left",
		"ERROR 1040 (08004): Too many connections":                                                     "a server has no connection slots left",
		"FATAL:  could not fork new process for connection: Resource temporarily unavailable":          "no more processes can be started",
		"mmap: Cannot allocate memory":                                                                 "memory ran out",
		"PANIC:  could not fsync file: Input/output error":                                             "a device reported an I/O error",
	} {
		f := &result.Failure{Cause: "db-000 ended; the last lines of its log:\n" + log + text + "\n" + log}
		explain(f, nil)
		if first, _, _ := strings.Cut(f.Cause, "\n"); !strings.HasPrefix(f.Reason, want) || !strings.HasPrefix(first, want+" ("+text+"): db-000 ended") {
			t.Errorf("%s: reason %q, first line %q", text, f.Reason, first)
		}
	}
	short := &result.Failure{Cause: "119 of 119 transactions failed: too many open files"}
	if explain(short, nil); short.Reason != "the limit of open files is reached: raise it with `ulimit -n`, or a service's LimitNOFILE" || short.Cause != "119 of 119 transactions failed: too many open files" {
		t.Errorf("what is first already is said twice: %+v", short)
	}
	other := &result.Failure{Cause: "db-000 ended\n" + log}
	if explain(other, nil); other.Reason != "" || !strings.HasPrefix(other.Cause, "db-000") {
		t.Errorf("a reason is made up: %+v", other)
	}
}

// Which file system is full is said where it was seen to be, also of a cause that says
// the rest in its first line.
func TestTheFullFileSystemIsNamed(t *testing.T) {
	f := &result.Failure{Cause: "driver-0 ended early: could not extend file: No space left on device"}
	explain(f, []string{"/srv/a (volumes of `ssd`)"})
	want := "no space is left on the file system of /srv/a (volumes of `ssd`): free some there"
	if !strings.HasPrefix(f.Reason, want) || !strings.HasPrefix(f.Cause, want) {
		t.Errorf("%+v", f)
	}
	other := &result.Failure{Cause: "too many open files"}
	if explain(other, []string{"/srv/a (volumes of `ssd`)"}); !strings.HasPrefix(other.Reason, "the limit of open files is reached: ") {
		t.Errorf("%+v", other)
	}
}
