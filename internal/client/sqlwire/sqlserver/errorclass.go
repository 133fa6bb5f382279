package sqlserver

import (
	"strconv"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/describe/errorclass"
)

// Numbers of the errors when a unique index, or a constraint with one, refuses a row.
const (
	duplicateKey        = 2601
	duplicateConstraint = 2627
)

// classed completes an error by what its number says.
func classed(e *sqlwire.Error) *sqlwire.Error {
	e.Class, e.Duplicate = class(e.Number), e.Number == duplicateKey || e.Number == duplicateConstraint
	return e
}

func class(number int) string {
	if known, ok := classes()[number]; ok {
		return known
	}
	return errorclass.Other + ":" + strconv.Itoa(number)
}

// classes maps error numbers as Microsoft lists them in "Database Engine events and
// errors".
func classes() map[int]string {
	return map[int]string{
		1205:  errorclass.Deadlock,
		1222:  errorclass.LockTimeout,
		3960:  errorclass.Serialization, // snapshot isolation: the row was changed
		3961:  errorclass.Serialization, // the same, of a table's definition
		1101:  errorclass.OutOfSpace,    // no new page in a file group
		1105:  errorclass.OutOfSpace,    // the file group is full
		9002:  errorclass.OutOfSpace,    // the log is full
		3906:  errorclass.ReadOnly,
		3908:  errorclass.ReadOnly,    // the database is in emergency mode
		823:   errorclass.InputOutput, // the system failed to read or write
		824:   errorclass.InputOutput, // a page is damaged
		825:   errorclass.InputOutput, // a read was repeated
		-2:    errorclass.Timeout,
		8645:  errorclass.Timeout, // waiting for memory of a query
		701:   errorclass.OutOfMemory,
		802:   errorclass.OutOfMemory, // of the buffer pool
		8651:  errorclass.OutOfMemory,
		596:   errorclass.ConnectionLost, // the session was killed
		6005:  errorclass.ConnectionLost, // the server shuts down
		17142: errorclass.ConnectionLost, // the server is paused
		17809: errorclass.NoConnections,  // user connections
		10928: errorclass.NoConnections,  // of the resource group or service
		10929: errorclass.NoConnections,
		18456: errorclass.Refused,
		18452: errorclass.Refused,
		4060:  errorclass.Refused, // no such database
		916:   errorclass.Refused, // no user of the database
	}
}
