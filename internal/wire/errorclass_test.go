package wire_test

import (
	"testing"

	"plimsoll/internal/wire"
	"plimsoll/internal/workload"
)

func TestErrorsOfServersSayTheirClass(t *testing.T) {
	postgres := func(state string) *wire.Error { return &wire.Error{State: state} }
	mariadb := func(number int) *wire.Error { return &wire.Error{State: "HY000", Number: number} }
	for _, c := range []struct {
		err  *wire.Error
		want string
	}{
		{postgres("40P01"), workload.Deadlock},
		{postgres("55P03"), workload.LockTimeout},
		{postgres("40001"), workload.Serialization},
		{postgres("53100"), workload.OutOfSpace},
		{postgres("25006"), workload.ReadOnly},
		{postgres("58030"), workload.InputOutput},
		{postgres("57014"), workload.Timeout},
		{postgres("57P01"), workload.ConnectionLost},
		{postgres("08006"), workload.ConnectionLost},
		{postgres("57P03"), workload.Refused},
		{postgres("53300"), workload.NoConnections},
		{postgres("28P01"), workload.Refused},
		{postgres("22003"), "other:22003"},
		{mariadb(1213), workload.Deadlock},
		{mariadb(1205), workload.LockTimeout},
		{mariadb(1020), workload.Serialization},
		{mariadb(1114), workload.OutOfSpace},
		{mariadb(1836), workload.ReadOnly},
		{mariadb(1030), workload.InputOutput},
		{mariadb(1969), workload.Timeout},
		{mariadb(1927), workload.ConnectionLost},
		{mariadb(1040), workload.NoConnections},
		{postgres("53200"), workload.OutOfMemory},
		{mariadb(1041), workload.OutOfMemory},
		{mariadb(1064), "other:1064"},
	} {
		if got := c.err.ErrorClass(); got != c.want {
			t.Errorf("%v is %s, want %s", c.err, got, c.want)
		}
	}
}
