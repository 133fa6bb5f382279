package postgres

import (
	"testing"

	"plimsoll/internal/sqlwire"
	"plimsoll/internal/workload"
)

func TestErrorsOfTheServerSayTheirClass(t *testing.T) {
	for code, want := range map[string]string{
		"40P01": workload.Deadlock,
		"55P03": workload.LockTimeout,
		"40001": workload.Serialization,
		"53100": workload.OutOfSpace,
		"25006": workload.ReadOnly,
		"58030": workload.InputOutput,
		"57014": workload.Timeout,
		"57P01": workload.ConnectionLost,
		"08006": workload.ConnectionLost,
		"57P03": workload.Refused,
		"53300": workload.NoConnections,
		"28P01": workload.Refused,
		"22003": "other:22003",
		"53200": workload.OutOfMemory,
	} {
		if got := classed(&sqlwire.Error{State: code}).ErrorClass(); got != want {
			t.Errorf("%v is %s, want %s", code, got, want)
		}
	}
}
