package app

import "time"

// MakeDirectories is a step of Initialise: directories of an instance's volumes, such as
// ${VOLUME}/data, in their order, for its user alone.
func MakeDirectories(c Config, paths ...string) Server {
	return Server{
		Name: c.Name + "-init", Command: append([]string{"/bin/mkdir", "-m", "700"}, paths...), Limits: c.Limits, Unprivileged: true,
		StartTimeout: time.Minute, Stop: "KILL",
	}
}
