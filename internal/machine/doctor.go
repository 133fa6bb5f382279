package machine

import "context"

// Status is how a check came out.
type Status string

// Outcomes of a check. Fail means that not even the quickstart can run; Warn
// that something cannot be done here.
const (
	OK   Status = "ok"
	Warn Status = "warn"
	Fail Status = "fail"
)

// Check is one thing that was looked at.
type Check struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Found  string `json:"found"`
	Means  string `json:"means,omitempty"` // what cannot be done without it
	Fix    string `json:"fix,omitempty"`   // the command that repairs it
}

// DoctorOptions say what to look at.
type DoctorOptions struct {
	// Work is the directory that volumes would live in.
	Work string
}

// Doctor looks at everything that studies need, in the order of importance.
func Doctor(ctx context.Context, o DoctorOptions) []Check {
	d := doctor{ctx: ctx, o: o}
	return d.all()
}
