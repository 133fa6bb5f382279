package sqlserver

import (
	"testing"

	"plimsoll/internal/describe/errorclass"

	mssql "github.com/microsoft/go-mssqldb"
)

func TestErrorsOfTheServerSayTheirClass(t *testing.T) {
	for code, want := range map[int32]string{
		1205:  errorclass.Deadlock,
		1222:  errorclass.LockTimeout,
		3960:  errorclass.Serialization,
		1105:  errorclass.OutOfSpace,
		9002:  errorclass.OutOfSpace,
		3906:  errorclass.ReadOnly,
		823:   errorclass.InputOutput,
		701:   errorclass.OutOfMemory,
		596:   errorclass.ConnectionLost,
		17809: errorclass.NoConnections,
		18456: errorclass.Refused,
		4060:  errorclass.Refused,
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
