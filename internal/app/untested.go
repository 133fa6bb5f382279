package app

// UntestedEngine is an engine that has never run against a real server. A study on it is refused
// unless the user allows it by the engine's name, and its results say so.
type UntestedEngine interface {
	// Untested names in a clause the untested part.
	Untested() string
}
