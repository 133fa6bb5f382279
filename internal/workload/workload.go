// Package workload says what a workload is and holds the registry. A workload
// fills an instance with data, plays one user at a time and afterwards asks
// the instance whether everything that was acknowledged is there. Each
// workload is a package of its own below this one and passes workloadtest.
package workload

import (
	"context"
	"fmt"
	"sort"
	"time"
)

// Target is one running instance as a user reaches it.
type Target struct {
	Instance int    `json:"instance"` // 0-based number within the trial
	Engine   string `json:"engine"`   // postgres, mariadb
	Network  string `json:"network"`  // tcp or unix
	Address  string `json:"address"`  // host:port, or the socket's path
	Database string `json:"database"`
	User     string `json:"user"`
	Password string `json:"password"` // what holds it goes through pipes or files of mode 0600
}

// Parameters is a workload's typed configuration with defaults filled in. Its
// fields carry yaml and json tags of the same name and a jsonschema
// description.
type Parameters interface {
	// Validate reports every impossible value; field is the yaml key.
	Validate() []ParameterError
}

// ParameterError is one impossible value.
type ParameterError struct {
	Field  string
	Reason string // what was found and what was expected
}

// Dataset says what Prepare loads, so that golden volumes can be shared and
// space estimated.
type Dataset struct {
	// Key is equal for equal contents: name, version, size, seed.
	Key string
	// Database is what its users look for in the given engine: "DS2".
	Database string
	// Bytes is the space the loaded data takes in the given engine, roughly.
	Bytes int64
	// Description is for people: "DVD Store 2, 10MB: 20,000 customers, ...".
	Description string
}

// Workload is one kind of work, bound to nothing. Implementations are
// stateless and safe for concurrent use.
type Workload interface {
	// Name is the registry key.
	Name() string
	// Defaults gives a pointer to a fresh parameter struct.
	Defaults() Parameters
	// Engines lists the engines that it can run on.
	Engines() []string
	// Dataset describes what Prepare loads.
	Dataset(p Parameters, engine string, seed uint64) Dataset
	// Operations lists the names that sessions report, in session order; the
	// first is always "order": the whole unit of work without think time.
	Operations(p Parameters) []string
	// Prepare creates the schema and loads the data set into an empty
	// instance and checks what it loaded. The target is the administrator's:
	// users may not make tables. progress gets the share done, 0..1.
	Prepare(ctx context.Context, t Target, p Parameters, seed uint64, progress func(float64)) error
	// Open connects one user. seed is unique per user and trial.
	Open(ctx context.Context, t Target, p Parameters, user int, seed uint64) (Session, error)
	// Audit compares what is in the instance with what the driver saw
	// acknowledged. acks iterates the acknowledgements of this instance;
	// doubtful ones ended in an error after which the outcome is unknown.
	Audit(ctx context.Context, t Target, p Parameters, seed uint64, acks func(yield func(Ack) bool) error) (AuditResult, error)
}

// Session is one user with one connection. It is used by one goroutine.
type Session interface {
	// Order performs one unit of work, reporting each operation and finally
	// "order" (operation 0) to rec. The error says that the order failed; the
	// session stays usable unless Broken says otherwise.
	Order(ctx context.Context, rec Recorder) error
	// Broken says that the connection is lost and the user must reconnect.
	Broken() bool
	// Close ends the connection.
	Close() error
}

// Outcome is how an operation ended.
type Outcome uint8

// Outcomes of an operation.
const (
	Done       Outcome = iota // as asked
	RolledBack                // the application's own decision (out of stock)
	Failed                    // an error; see Classify
)

// Recorder takes the timings of one session. Operation is an index into
// Operations(p).
type Recorder interface {
	// Observe records that an operation which began at start took d.
	Observe(operation int, start time.Time, d time.Duration, outcome Outcome)
	// Moved counts payload bytes of an operation (file workloads).
	Moved(operation int, bytes int64)
	// Acknowledge keeps what the audit will ask for.
	Acknowledge(Ack)
}

// Ack is one acknowledged (or doubtful) unit of work, small enough to be kept
// for every order.
type Ack struct {
	ID       int64 `json:"id"`       // the order's identifier in the instance; 0 when doubtful and not known
	Customer int64 `json:"customer"` // who ordered
	Lines    int32 `json:"lines"`
	Quantity int32 `json:"quantity"`
	Cents    int64 `json:"cents"` // total amount in hundredths
	Doubtful bool  `json:"doubtful,omitempty"`
}

// AuditResult is what an audit found, for one instance.
type AuditResult struct {
	Instance     int          `json:"instance"`
	Acknowledged int64        `json:"acknowledged"`
	Doubtful     int64        `json:"doubtful"`
	Present      int64        `json:"present"` // acknowledged and found, once, complete
	Checks       []AuditCheck `json:"checks"`
}

// AuditCheck is one question to the instance.
type AuditCheck struct {
	Name     string   `json:"name"` // "every acknowledged order is present"
	Passed   bool     `json:"passed"`
	Expected int64    `json:"expected"`
	Found    int64    `json:"found"`
	Examples []string `json:"examples,omitempty"` // at most ten offenders
}

// Passed says that every check passed.
func (a AuditResult) Passed() bool {
	for _, c := range a.Checks {
		if !c.Passed {
			return false
		}
	}
	return len(a.Checks) > 0
}

// Registry holds the workloads by name.
type Registry map[string]Workload

// NewRegistry registers each workload under its name; a name used twice is a
// mistake in the program.
func NewRegistry(all ...Workload) Registry {
	r := Registry{}
	for _, w := range all {
		if _, twice := r[w.Name()]; twice {
			panic("workload registered twice: " + w.Name())
		}
		r[w.Name()] = w
	}
	return r
}

// Get finds a workload, or says which there are.
func (r Registry) Get(name string) (Workload, error) {
	if w, ok := r[name]; ok {
		return w, nil
	}
	return nil, fmt.Errorf("unknown workload %q; known: %v", name, r.Names())
}

// Names lists the workloads in order.
func (r Registry) Names() []string {
	names := make([]string, 0, len(r))
	for n := range r {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}
