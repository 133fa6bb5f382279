package pod

import "errors"

// The protocol of the socket: a verb on a line, and after verbJob the job with its
// input in chunks (as in HTTP), so that an input which was cut off is not taken for
// its end. Answers are lines of JSON; verbStop and verbKill have none.
const (
	verbClock  = "clock"  // asks what time it is
	verbJob    = "job"    // is followed by the job; the answer confirms that all of it has arrived
	verbStatus = "status" // asks for the status now
	verbEnd    = "end"    // asks for the status at the task's end
	verbStop   = "stop"   // ends the task in order
	verbKill   = "kill"   // ends it at once
)

// answer is what the supervisor says.
type answer struct {
	Clock  int64   `json:"clock,omitempty"` // in ns since 1970
	Given  bool    `json:"given,omitempty"`
	Error  string  `json:"error,omitempty"`
	Status *Status `json:"status,omitempty"`
}

// Status is how a task is doing.
type Status struct {
	Given bool `json:"given"` // all of its job and input
	Ended bool `json:"ended"`
	// How is how it ended, as in "exit status 1" or "signal: killed"; Failed reports
	// whether this was a failure.
	How    string `json:"how,omitempty"`
	Failed bool   `json:"failed,omitempty"`
	// OutOfMemory reports whether the kernel killed a process of the pod because it or its
	// machine had no memory left.
	OutOfMemory bool   `json:"out_of_memory,omitempty"`
	Tail        string `json:"tail,omitempty"` // the last lines of its log
}

// ErrBroken reports that a link has broken. The request may have been carried out.
var ErrBroken = errors.New("the connection to the pod has broken")
