package mariadb

import (
	"testing"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/describe/errorclass"
)

func TestErrorsOfTheServerSayTheirClass(t *testing.T) {
	for code, want := range map[int]string{
		1213: errorclass.Deadlock,
		1205: errorclass.LockTimeout,
		1020: errorclass.Serialization,
		1114: errorclass.OutOfSpace,
		1836: errorclass.ReadOnly,
		1030: errorclass.InputOutput,
		1969: errorclass.Timeout,
		1927: errorclass.ConnectionLost,
		1040: errorclass.NoConnections,
		1041: errorclass.OutOfMemory,
		1064: "other:1064",
	} {
		if got := classed(&sqlwire.Error{State: "HY000", Number: code}).ErrorClass(); got != want {
			t.Errorf("%v is %s, want %s", code, got, want)
		}
	}
}
