// Package workload says what a workload is and holds the registry. A workload
// fills an instance with data, plays one user at a time and afterwards asks
// the instance whether everything that was acknowledged is there. Each
// workload is a package of its own below this one and passes workloadtest.
package workload

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sort"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
)

// Target is one running instance as sessions reach it.
type Target struct {
	Instance  int                 `json:"instance"` // 0-based number within the trial
	Endpoints []endpoint.Endpoint `json:"endpoints"`
	// Foreign reports that the instance is an existing one with only its address known.
	// Roles may have no endpoint.
	Foreign bool `json:"foreign,omitempty"`
	// Users is how many there are of this instance at the trial's rung, for whatever
	// shares it out among them or prepares something for each; 0 is not known.
	Users int `json:"users,omitempty"`
}

// Endpoint returns the first endpoint of a role; the endpoint of a role that
// the instance does not have is empty, of a kind that no workload can use.
func (t Target) Endpoint(role string) endpoint.Endpoint {
	for _, e := range t.Endpoints {
		if e.Role == role {
			return e
		}
	}
	return endpoint.Endpoint{Role: role}
}

// Role is a part of an instance that sessions or other roles need. A server
// fills it, or a volume alone.
type Role struct {
	Name  string   // db, web, volume
	Kinds []string // of the endpoints that may fill it, the preferred one first
	After []string // roles that must answer before its servers start, and that these use
	// Siblings reports that the role's servers of one instance must know each other's
	// addresses before any of them starts, as the members of a replica set do.
	Siblings bool
	// Mounts hold the data of the role's servers; without any the servers keep no data. A
	// role that a volume fills by itself has none.
	Mounts []describe.Mount
	// Needed says when the role takes part. Roles that it uses are then needed, too.
	Needed Presence
	// Content holds files that the role's servers serve, such as pages: texts by path.
	Content map[string]string
}

// Data is the mount of servers that keep all data in one directory.
func Data() []describe.Mount {
	return []describe.Mount{{Name: "data", Kinds: []string{endpoint.Directory}}}
}

// Presence says in which phases the servers of a role must run.
type Presence struct {
	Load  bool // while the data set is loaded
	Drive bool // while users are at work
	Audit bool // while the audit asks
}

// When roles are needed.
var (
	Always      = Presence{Load: true, Drive: true, Audit: true} // as those that keep data
	WhileDriven = Presence{Drive: true}                          // as those in front of them
)

// Or is whenever one of two is needed.
func (n Presence) Or(o Presence) Presence {
	return Presence{n.Load || o.Load, n.Drive || o.Drive, n.Audit || o.Audit}
}

// Kinds says by which kind of endpoint each role is filled.
type Kinds map[string]string

// Parameters is a workload's typed configuration with defaults filled in. Its
// fields carry yaml and json tags of the same name and a jsonschema
// description.
type Parameters interface {
	// Validate reports every impossible value, by its yaml key.
	Validate() []describe.Problem
}

// Workload is one kind of work, bound to nothing. Implementations are
// stateless and safe for concurrent use.
type Workload interface {
	// Name is the registry key.
	Name() string
	// Defaults returns a pointer to a fresh parameter struct.
	Defaults() Parameters
	// Describe says what the workload counts and reports.
	Describe(p Parameters) describe.Profile
	// Roles lists the parts of an instance, at least one, in the order of a target's
	// endpoints.
	Roles(p Parameters) []Role
	// Dataset describes what Prepare loads into an instance whose roles with
	// data are filled by these kinds; it is empty where they cannot be.
	Dataset(p Parameters, kinds Kinds, seed uint64) Dataset
	// Prepare loads the data set into an empty instance and verifies it. It needs the
	// administrator's target, because users may not make tables. progress gets the share
	// done, 0..1.
	Prepare(ctx context.Context, t Target, p Parameters, seed uint64, progress func(float64)) error
	// Open connects one user. seed is unique per user and trial.
	Open(ctx context.Context, t Target, p Parameters, user int, seed uint64) (Session, error)
	// Capabilities are the abilities that not every workload has.
	Capabilities() Capabilities
}

// Capabilities are the optional abilities of a workload; a missing one is nil. The tag names an
// ability in lists.
type Capabilities struct {
	// Audit asks an instance whether everything that was acknowledged is there: it compares
	// the contents with the receipts. The profile of a workload without it says what its
	// correctness rests on.
	Audit func(ctx context.Context, t Target, p Parameters, seed uint64, receipts Receipts) (describe.Audit, error) `has:"an audit of what was acknowledged"`
	// Answerer is for users that a process without contents can answer.
	Answerer Answerer `has:"a ceiling of the driver without a store"`
	// Polls reports whether users always wait for answers in the poller, even if there are
	// few enough of them for a thread each. It is for protocols with several events to an
	// answer.
	Polls func(p Parameters) bool `has:"users that wait in the poller"`
	// Blocked is how many threads a user blocks at most, waiting in calls such as those on
	// files; 0 is none. Unless there are enough threads, users wait for each other.
	Blocked func(p Parameters) int `has:"users that block threads"`
}

// OneBlocked is Capabilities.Blocked for users that wait in one call at a time.
func OneBlocked(Parameters) int { return 1 }

// Answerer answers users of a workload in a process that keeps no contents.
// This measures the driver's own ceiling, which is reported next to its figures with a
// store.
type Answerer interface {
	// Answerable returns a target as its users find it where Answer listens; false where
	// they cannot be answered so.
	Answerable(t Target, p Parameters, address string) (at Target, able bool)
	// Answer answers the users of targets that are answerable until ctx ends. Contents are
	// such that users find them right.
	Answer(ctx context.Context, l net.Listener, targets []Target, p Parameters) error
}

// Receipts iterates what sessions gave to Recorder.Receipt for one instance, once and
// in any order. A receipt is valid until the next one. The error says why some are
// missing.
type Receipts func(yield func(receipt []byte) bool) error

// Each passes every receipt to take, until take returns an error.
func (r Receipts) Each(take func(receipt []byte) error) error {
	var refused error
	err := r(func(receipt []byte) bool {
		refused = take(receipt)
		return refused == nil
	})
	return errors.Join(err, refused)
}

// ErrReceipt refuses a receipt that no session of the workload's gave.
var ErrReceipt = errors.New("a receipt is damaged")

// Session is one user with one connection. It is used by one goroutine.
type Session interface {
	// Do performs one unit of work, reporting each operation and finally operation 0, the
	// unit itself, to rec. An error means that the unit failed; the session stays usable
	// unless Broken reports otherwise. The error is ErrFinished, and nothing was done, when
	// all fixed work is done.
	Do(ctx context.Context, rec Recorder) error
	// Broken reports whether the connection is lost and the user must reconnect.
	Broken() bool
	// Close ends the connection.
	Close() error
}

// PacedSession is a session that keeps several units of work in flight, and therefore takes by
// itself when each is due. Pace is called once, before the first Do. A Do then begins the
// units that are due, waits for one to end, and reports those that have ended: any number
// of units, at most one of them failed. It returns the error of that one. The start of
// operation 0 is when the unit was due. When Next has reported that there are no more, and
// all have ended, Do returns ErrFinished. It is found by an assertion, and not among the
// capabilities: it is the session that has the pace, and only some sessions of a workload may.
type PacedSession interface {
	Session
	Pace(p Pace)
}

// Pace says when units of work begin.
type Pace interface {
	// Next returns the moment at which the next unit is due, zero for at once;
	// there is none when more is false.
	Next() (due time.Time, more bool)
}

// ErrFinished ends the work of a user whose workload is fixed, or of a Paced
// session.
var ErrFinished = errors.New("the work is finished")

// Outcome is how an operation ended.
type Outcome uint8

// Outcomes of an operation.
const (
	Done       Outcome = iota // as asked
	RolledBack                // the application's own decision (out of stock)
	Failed                    // an error; see driver.Classify
)

// Recorder takes the timings of one session. Operation is an index into
// Profile.Operations.
type Recorder interface {
	// Observe records that an operation which began at start took d.
	Observe(operation int, start time.Time, d time.Duration, outcome Outcome)
	// Moved counts payload bytes of an operation.
	Moved(operation int, bytes int64)
	// Spent keeps what servers counted of an operation that ended well.
	Spent(operation int, e describe.Effort)
	// Receipt keeps what the audit will ask for: a short record of each unit
	// of work that was acknowledged or whose outcome an error left open. Only
	// the workload can read it. It is copied.
	Receipt(r []byte)
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
