package workload

// Classes of errors: what results count errors under. An error says its own
// class with ErrorClass() string; these are the names for what many servers
// and file systems have in common. An error that none of them fits is in
// class "other:" and its code.
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
	OtherError     = "other"
)
