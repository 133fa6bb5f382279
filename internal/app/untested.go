package app

// Untested is an engine that has never run against a real server. A study on it is refused
// unless the user allows it by the engine's name, and its results say so.
type Untested interface {
	// Untested says in a clause what was never run.
	Untested() string
}
