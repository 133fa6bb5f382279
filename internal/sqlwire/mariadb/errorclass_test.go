package mariadb

import (
	"testing"

	"plimsoll/internal/sqlwire"
	"plimsoll/internal/workload"
)

func TestErrorsOfTheServerSayTheirClass(t *testing.T) {
	for code, want := range map[int]string{
		1213: workload.Deadlock,
		1205: workload.LockTimeout,
		1020: workload.Serialization,
		1114: workload.OutOfSpace,
		1836: workload.ReadOnly,
		1030: workload.InputOutput,
		1969: workload.Timeout,
		1927: workload.ConnectionLost,
		1040: workload.NoConnections,
		1041: workload.OutOfMemory,
		1064: "other:1064",
	} {
		if got := classed(&sqlwire.Error{State: "HY000", Number: code}).ErrorClass(); got != want {
			t.Errorf("%v is %s, want %s", code, got, want)
		}
	}
}
