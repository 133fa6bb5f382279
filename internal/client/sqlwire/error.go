package sqlwire

import (
	"errors"
	"fmt"
	"strconv"

	"plimsoll/internal/client/sqlconn"
	"plimsoll/internal/describe/endpoint"
)

// Error is what a server answered instead of a result.
type Error struct {
	State     string // SQLSTATE, five characters; empty where the server has none
	Number    int    // the server's own number of the error; 0 where it has none
	Message   string
	SQL       string // of the statement, empty while connecting
	Fatal     bool   // the server ends the connection
	Class     string // that results count it under
	Duplicate bool   // a unique index refused the row
}

// ErrorClass returns the class that results count the error under.
func (e *Error) ErrorClass() string { return e.Class }

// Error returns the message with its codes and the statement.
func (e *Error) Error() string {
	code := e.State
	switch {
	case e.State == "":
		code = strconv.Itoa(e.Number)
	case e.Number != 0:
		code = fmt.Sprintf("%d, %s", e.Number, e.State)
	}
	if e.SQL == "" {
		return fmt.Sprintf("%s (%s)", e.Message, code)
	}
	return fmt.Sprintf("%s (%s) in %q", e.Message, code, e.SQL)
}

// refusedError is the error of a connection that the server refused.
type refusedError struct {
	error
	answer *Error
}

// Unwrap returns what was tried, and what the server answered.
func (r refusedError) Unwrap() []error { return []error{r.error, r.answer} }

// NotConnected is the error of a connection that could not be made, of the class of the
// server's answer if there was one.
func NotConnected(t endpoint.Endpoint, err error, answer *Error) error {
	failed := sqlconn.Failed(t, err)
	if answer == nil {
		return failed
	}
	return refusedError{failed, answer}
}

// ErrMalformed is the error of an answer that follows no protocol.
var ErrMalformed = errors.New("the server sent a message that cannot be read")
