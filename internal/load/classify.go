package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
)

// Classes of errors that Classify gives. Any other error of a database is
// "other:" and its SQLSTATE or number.
const (
	ConnectionLost = "connection-lost"
	Deadlock       = "deadlock"
	LockTimeout    = "lock-timeout"
	Serialization  = "serialization"
	OutOfSpace     = "out-of-space"
	ReadOnly       = "read-only"
	InputOutput    = "input-output"
	Timeout        = "timeout"
	Refused        = "refused"
	Other          = "other"
)

// Classify says in one word what went wrong.
func Classify(err error) string {
	if coded, ok := errors.AsType[databaseError](err); ok {
		return classifyDatabase(coded)
	}
	for _, c := range systemClasses() {
		if errors.Is(err, c.err) {
			return c.class
		}
	}
	if network, ok := errors.AsType[net.Error](err); ok && network.Timeout() {
		return Timeout
	}
	return Other
}

// databaseError is what errors of databases offer.
type databaseError interface {
	error
	SQLState() string
	Errno() int // of MariaDB, 0 elsewhere
}

type systemClass struct {
	err   error
	class string
}

func systemClasses() []systemClass {
	return []systemClass{
		{os.ErrDeadlineExceeded, Timeout},
		{context.DeadlineExceeded, Timeout},
		{syscall.ETIMEDOUT, Timeout},
		{syscall.ECONNREFUSED, Refused},
		{syscall.ENOSPC, OutOfSpace},
		{syscall.EDQUOT, OutOfSpace},
		{syscall.EROFS, ReadOnly},
		{syscall.EIO, InputOutput},
		{syscall.ECONNRESET, ConnectionLost},
		{syscall.EPIPE, ConnectionLost},
		{net.ErrClosed, ConnectionLost},
		{io.ErrUnexpectedEOF, ConnectionLost},
		{io.EOF, ConnectionLost},
		{syscall.ENOENT, Refused}, // a unix socket that is gone
	}
}

func classifyDatabase(err databaseError) string {
	if n := err.Errno(); n != 0 {
		if class, ok := mariadbClasses()[n]; ok {
			return class
		}
		return fmt.Sprintf("%s:%d", Other, n)
	}
	state := err.SQLState()
	if class, ok := stateClasses()[state]; ok {
		return class
	}
	if len(state) == 5 {
		if class, ok := stateClasses()[state[:2]]; ok {
			return class
		}
	}
	return Other + ":" + state
}

// stateClasses maps SQLSTATEs, and the two characters of whole classes, as
// listed in the PostgreSQL manual, appendix "PostgreSQL Error Codes".
func stateClasses() map[string]string {
	return map[string]string{
		"40P01": Deadlock,
		"55P03": LockTimeout,
		"40001": Serialization,
		"53100": OutOfSpace,
		"25006": ReadOnly,
		"58030": InputOutput,
		"57014": Timeout,        // statement_timeout
		"08":    ConnectionLost, // connection exception
		"57P01": ConnectionLost, // the administrator ended it
		"57P02": ConnectionLost, // another process crashed
		"57P03": Refused,        // starting up or shutting down
		"53300": Refused,        // too many connections
		"28":    Refused,        // authorisation
		"3D000": Refused,        // no such database
	}
}

// mariadbClasses maps error numbers as listed in the MariaDB documentation,
// "MariaDB Error Codes".
func mariadbClasses() map[int]string {
	return map[int]string{
		1213: Deadlock,
		1205: LockTimeout,
		1020: Serialization, // the record has changed since it was read
		1021: OutOfSpace,    // disk full
		1114: OutOfSpace,    // table full
		1290: ReadOnly,
		1792: ReadOnly,
		1836: ReadOnly,
		1026: InputOutput, // error writing a file
		1030: InputOutput, // error from the storage engine
		1969: Timeout,     // max_statement_time
		3024: Timeout,     // the same in MySQL
		1053: ConnectionLost,
		1927: ConnectionLost, // killed
		1040: Refused,        // too many connections
		1045: Refused,
		1049: Refused, // no such database
		1130: Refused,
		1203: Refused,
	}
}
