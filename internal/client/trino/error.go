package trino

import (
	"fmt"
	"net/http"

	"plimsoll/internal/describe/errorclass"
)

// Error is why a statement failed, in the coordinator's words.
type Error struct {
	Message string `json:"message"`
	Name    string `json:"errorName"` // EXCEEDED_TIME_LIMIT
	Type    string `json:"errorType"` // USER_ERROR, INTERNAL_ERROR, EXTERNAL, INSUFFICIENT_RESOURCES
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Name, e.Message) }

// Classes of errors that only queries have.
const (
	WorkerLost = "worker-lost" // a server that worked on the query is gone
	NoWorkers  = "no-workers"  // too few servers are active
	StoreError = "store"       // the bucket or the catalogue failed
)

var classes = map[string]string{
	"EXCEEDED_TIME_LIMIT": errorclass.Timeout, "EXCEEDED_CPU_LIMIT": errorclass.Timeout,
	"EXCEEDED_LOCAL_MEMORY_LIMIT": errorclass.OutOfMemory, "EXCEEDED_GLOBAL_MEMORY_LIMIT": errorclass.OutOfMemory,
	"CLUSTER_OUT_OF_MEMORY": errorclass.OutOfMemory, "EXCEEDED_FUNCTION_MEMORY_LIMIT": errorclass.OutOfMemory,
	"OUT_OF_SPILL_SPACE": errorclass.OutOfSpace, "EXCEEDED_SPILL_LIMIT": errorclass.OutOfSpace,
	"PAGE_TRANSPORT_ERROR": WorkerLost, "PAGE_TRANSPORT_TIMEOUT": WorkerLost, "REMOTE_TASK_ERROR": WorkerLost,
	"REMOTE_TASK_MISMATCH": WorkerLost, "REMOTE_HOST_GONE": WorkerLost, "TOO_MANY_REQUESTS_FAILED": WorkerLost,
	"SERVER_STARTING_UP": errorclass.Refused, "SERVER_SHUTTING_DOWN": errorclass.Refused,
	"NO_NODES_AVAILABLE": NoWorkers, "GENERIC_INSUFFICIENT_RESOURCES": NoWorkers,
}

// ErrorClass is what results count it under.
func (e *Error) ErrorClass() string {
	if class, ok := classes[e.Name]; ok {
		return class
	}
	if e.Type == "EXTERNAL" {
		return StoreError
	}
	return errorclass.Other + ":" + e.Name
}

// statusError is an answer that is no page of the protocol.
type statusError struct {
	status int
	said   string
}

func (e *statusError) Error() string {
	return fmt.Sprintf("the coordinator answered %d %s: %s", e.status, http.StatusText(e.status), e.said)
}

// passing reports whether the protocol asks clients to try again.
func (e *statusError) passing() bool {
	return e.status == http.StatusTooManyRequests || e.status == http.StatusBadGateway || e.status == http.StatusServiceUnavailable || e.status == http.StatusGatewayTimeout
}

// ErrorClass returns the class of a coordinator that accepts no queries.
func (e *statusError) ErrorClass() string { return errorclass.Refused }

// lostError is a connection that broke, or an answer without an end.
type lostError struct{ err error }

func (e *lostError) Error() string { return e.err.Error() }

func (e *lostError) Unwrap() error { return e.err }

// ErrorClass returns the class of lost connections.
func (e *lostError) ErrorClass() string { return errorclass.ConnectionLost }
