package sqlserver

import (
	"testing"

	"github.com/microsoft/go-mssqldb"

	"plimsoll/internal/workload"
)

func TestErrorsOfTheServerSayTheirClass(t *testing.T) {
	for code, want := range map[int32]string{
		1205:  workload.Deadlock,
		1222:  workload.LockTimeout,
		3960:  workload.Serialization,
		1105:  workload.OutOfSpace,
		9002:  workload.OutOfSpace,
		3906:  workload.ReadOnly,
		823:   workload.InputOutput,
		701:   workload.OutOfMemory,
		596:   workload.ConnectionLost,
		17809: workload.NoConnections,
		18456: workload.Refused,
		4060:  workload.Refused,
		208:   "other:208",
	} {
		if got := answered(mssql.Error{Number: code}, "").ErrorClass(); got != want {
			t.Errorf("%v is %s, want %s", code, got, want)
		}
	}
	for code, want := range map[int32]bool{2601: true, 2627: true, 1205: false} {
		if got := answered(mssql.Error{Number: code}, "").Duplicate; got != want {
			t.Errorf("%v is a duplicate: %v", code, got)
		}
	}
	if got := answered(mssql.Error{Number: 1205, Message: "deadlock victim"}, "select 1").Error(); got != `deadlock victim (1205) in "select 1"` {
		t.Error(got)
	}
}
