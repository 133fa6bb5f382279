package mariadb

import (
	"strconv"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/describe/errorclass"
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
	return errorclass.Other + ":" + strconv.Itoa(number)
}

// classes maps error numbers as listed in the MariaDB documentation,
// "MariaDB Error Codes".
func classes() map[int]string {
	return map[int]string{
		1213: errorclass.Deadlock,
		1205: errorclass.LockTimeout,
		1020: errorclass.Serialization, // the record has changed since it was read
		1021: errorclass.OutOfSpace,    // disk full
		1114: errorclass.OutOfSpace,    // table full
		1290: errorclass.ReadOnly,
		1792: errorclass.ReadOnly,
		1836: errorclass.ReadOnly,
		1026: errorclass.InputOutput, // error writing a file
		1030: errorclass.InputOutput, // error from the storage engine
		1969: errorclass.Timeout,     // max_statement_time
		3024: errorclass.Timeout,     // the same in MySQL
		1053: errorclass.ConnectionLost,
		1927: errorclass.ConnectionLost, // killed
		1037: errorclass.OutOfMemory,
		1038: errorclass.OutOfMemory, // of a sort
		1041: errorclass.OutOfMemory,
		1040: errorclass.NoConnections, // too many connections
		1045: errorclass.Refused,
		1049: errorclass.Refused, // no such database
		1130: errorclass.Refused,
		1203: errorclass.NoConnections, // of this user
	}
}
