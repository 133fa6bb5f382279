package postgres

import (
	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/describe/errorclass"
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
	return errorclass.Other + ":" + state
}

// stateClasses maps SQLSTATEs, and the two characters of whole classes, as
// listed in the PostgreSQL manual, appendix "PostgreSQL Error Codes".
func stateClasses() map[string]string {
	return map[string]string{
		"40P01": errorclass.Deadlock,
		"55P03": errorclass.LockTimeout,
		"40001": errorclass.Serialization,
		"53100": errorclass.OutOfSpace,
		"25006": errorclass.ReadOnly,
		"58030": errorclass.InputOutput,
		"57014": errorclass.Timeout,        // statement_timeout
		"08":    errorclass.ConnectionLost, // connection exception
		"57P01": errorclass.ConnectionLost, // the administrator ended it
		"57P02": errorclass.ConnectionLost, // another process crashed
		"57P03": errorclass.Refused,        // starting up or shutting down
		"53300": errorclass.NoConnections,  // too many connections
		"53200": errorclass.OutOfMemory,
		"28":    errorclass.Refused, // authorisation
		"3D000": errorclass.Refused, // no such database
	}
}
