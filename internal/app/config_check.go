package app

import "context"

// ConfigChecker is an engine that can tell, before anything is started, what
// of a configuration its server would refuse or silently change.
type ConfigChecker interface {
	// CheckConfig asks the installed server itself about the settings of the
	// study, and compares the limits with what the server needs to start.
	CheckConfig(ctx context.Context, in Installation, c Config) ([]ConfigProblem, error)
}

// ConfigProblem is one impossible part of a configuration.
type ConfigProblem struct {
	Field  string // key below engine: in a study, such as settings.work_mem
	Reason string // what the server says, in its words where it has some
	Hint   string // what to write instead; may be empty
}
