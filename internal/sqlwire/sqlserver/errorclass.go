package sqlserver

import (
	"strconv"

	"plimsoll/internal/sqlwire"
	"plimsoll/internal/workload"
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
	return workload.OtherError + ":" + strconv.Itoa(number)
}

// classes maps error numbers as Microsoft lists them in "Database Engine events and
// errors".
func classes() map[int]string {
	return map[int]string{
		1205:  workload.Deadlock,
		1222:  workload.LockTimeout,
		3960:  workload.Serialization, // snapshot isolation: the row was changed
		3961:  workload.Serialization, // the same, of a table's definition
		1101:  workload.OutOfSpace,    // no new page in a file group
		1105:  workload.OutOfSpace,    // the file group is full
		9002:  workload.OutOfSpace,    // the log is full
		3906:  workload.ReadOnly,
		3908:  workload.ReadOnly,    // the database is in emergency mode
		823:   workload.InputOutput, // the system failed to read or write
		824:   workload.InputOutput, // a page is damaged
		825:   workload.InputOutput, // a read was repeated
		-2:    workload.Timeout,
		8645:  workload.Timeout, // waiting for memory of a query
		701:   workload.OutOfMemory,
		802:   workload.OutOfMemory, // of the buffer pool
		8651:  workload.OutOfMemory,
		596:   workload.ConnectionLost, // the session was killed
		6005:  workload.ConnectionLost, // the server shuts down
		17142: workload.ConnectionLost, // the server is paused
		17809: workload.NoConnections,  // user connections
		10928: workload.NoConnections,  // of the resource group or service
		10929: workload.NoConnections,
		18456: workload.Refused,
		18452: workload.Refused,
		4060:  workload.Refused, // no such database
		916:   workload.Refused, // no user of the database
	}
}
