package mariadb

import (
	"strconv"

	"plimsoll/internal/sqlwire"
	"plimsoll/internal/workload"
)

// duplicateEntry is the number of the error when a unique index refuses a row.
const duplicateEntry = 1062

// classed completes an error by what its number says.
func classed(e *sqlwire.Error) *sqlwire.Error {
	e.Class, e.Duplicate = class(e.Number), e.Number == duplicateEntry
	return e
}

func class(number int) string {
	if known, ok := classes()[number]; ok {
		return known
	}
	return workload.OtherError + ":" + strconv.Itoa(number)
}

// classes maps error numbers as listed in the MariaDB documentation,
// "MariaDB Error Codes".
func classes() map[int]string {
	return map[int]string{
		1213: workload.Deadlock,
		1205: workload.LockTimeout,
		1020: workload.Serialization, // the record has changed since it was read
		1021: workload.OutOfSpace,    // disk full
		1114: workload.OutOfSpace,    // table full
		1290: workload.ReadOnly,
		1792: workload.ReadOnly,
		1836: workload.ReadOnly,
		1026: workload.InputOutput, // error writing a file
		1030: workload.InputOutput, // error from the storage engine
		1969: workload.Timeout,     // max_statement_time
		3024: workload.Timeout,     // the same in MySQL
		1053: workload.ConnectionLost,
		1927: workload.ConnectionLost, // killed
		1037: workload.OutOfMemory,
		1038: workload.OutOfMemory, // of a sort
		1041: workload.OutOfMemory,
		1040: workload.NoConnections, // too many connections
		1045: workload.Refused,
		1049: workload.Refused, // no such database
		1130: workload.Refused,
		1203: workload.NoConnections, // of this user
	}
}
