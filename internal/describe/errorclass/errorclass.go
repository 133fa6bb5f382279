// Package errorclass names the classes under which results count errors. An error
// gives its own class by a method ErrorClass() string; the names here are for
// failures that many servers and file systems share. An error that fits none of
// them is counted under "other:" and its code.
package errorclass

// The classes.
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
	NoFiles        = "no-file-handles" // the process or the machine has no more of them
	NoConnections  = "no-connections"  // a server has no slot left
	OutOfMemory    = "out-of-memory"
	Other          = "other"
)
