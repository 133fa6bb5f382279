package postgres

import (
	"testing"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/describe/errorclass"
)

func TestErrorsOfTheServerSayTheirClass(t *testing.T) {
	for code, want := range map[string]string{
		"40P01": errorclass.Deadlock,
		"55P03": errorclass.LockTimeout,
		"40001": errorclass.Serialization,
		"53100": errorclass.OutOfSpace,
		"25006": errorclass.ReadOnly,
		"58030": errorclass.InputOutput,
		"57014": errorclass.Timeout,
		"57P01": errorclass.ConnectionLost,
		"08006": errorclass.ConnectionLost,
		"57P03": errorclass.Refused,
		"53300": errorclass.NoConnections,
		"28P01": errorclass.Refused,
		"22003": "other:22003",
		"53200": errorclass.OutOfMemory,
	} {
		if got := classed(&sqlwire.Error{State: code}).ErrorClass(); got != want {
			t.Errorf("%v is %s, want %s", code, got, want)
		}
	}
}
