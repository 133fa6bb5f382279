package wire

import (
	"strconv"

	"plimsoll/internal/workload"
)

// ErrorClass gives the class that results count the error under.
func (e *Error) ErrorClass() string {
	if e.Number != 0 {
		return mariadbClass(e.Number)
	}
	return postgresClass(e.State)
}

func postgresClass(state string) string {
	classes := stateClasses()
	if class, ok := classes[state]; ok {
		return class
	}
	if len(state) == 5 {
		if class, ok := classes[state[:2]]; ok {
			return class
		}
	}
	return workload.OtherError + ":" + state
}

// stateClasses maps SQLSTATEs, and the two characters of whole classes, as
// listed in the PostgreSQL manual, appendix "PostgreSQL Error Codes".
func stateClasses() map[string]string {
	return map[string]string{
		"40P01": workload.Deadlock,
		"55P03": workload.LockTimeout,
		"40001": workload.Serialization,
		"53100": workload.OutOfSpace,
		"25006": workload.ReadOnly,
		"58030": workload.InputOutput,
		"57014": workload.Timeout,        // statement_timeout
		"08":    workload.ConnectionLost, // connection exception
		"57P01": workload.ConnectionLost, // the administrator ended it
		"57P02": workload.ConnectionLost, // another process crashed
		"57P03": workload.Refused,        // starting up or shutting down
		"53300": workload.NoConnections,  // too many connections
		"53200": workload.OutOfMemory,
		"28":    workload.Refused, // authorisation
		"3D000": workload.Refused, // no such database
	}
}

func mariadbClass(number int) string {
	if class, ok := mariadbClasses()[number]; ok {
		return class
	}
	return workload.OtherError + ":" + strconv.Itoa(number)
}

// mariadbClasses maps error numbers as listed in the MariaDB documentation,
// "MariaDB Error Codes".
func mariadbClasses() map[int]string {
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
