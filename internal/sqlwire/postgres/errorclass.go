package postgres

import (
	"plimsoll/internal/sqlwire"
	"plimsoll/internal/workload"
)

// uniqueViolation is the SQLSTATE of a row that a unique index refuses.
const uniqueViolation = "23505"

// classed completes an error by what its SQLSTATE says.
func classed(e *sqlwire.Error) *sqlwire.Error {
	e.Class, e.Duplicate = class(e.State), e.State == uniqueViolation
	return e
}

func class(state string) string {
	classes := stateClasses()
	if known, ok := classes[state]; ok {
		return known
	}
	if len(state) == 5 {
		if known, ok := classes[state[:2]]; ok {
			return known
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
