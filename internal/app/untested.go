package app

// Untested is an engine of which no server was ever there to run it against. A study on it
// is refused unless whoever runs it allows that by the engine's name, and its results say so.
type Untested interface {
	// Untested says in a clause what was never run.
	Untested() string
}
