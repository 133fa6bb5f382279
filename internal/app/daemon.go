package app

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"time"

	"plimsoll/internal/describe/doctor"
)

// Daemon completes a server that runs as long as its instance does. It has the name, the
// limits and the peers of its configuration, and no privileges. Unless s says otherwise, it
// answers within a minute, and TERM ends it within half a minute.
func Daemon(c Config, s Server) Server {
	s.Name, s.Limits, s.Peers, s.Unprivileged = c.Name, c.Limits, c.Peers, true
	s.StartTimeout, s.StopTimeout = cmp.Or(s.StartTimeout, time.Minute), cmp.Or(s.StopTimeout, 30*time.Second)
	s.Stop = cmp.Or(s.Stop, "TERM")
	return s
}

// Checks completes an engine's check of the machine: its program is installed, or else why
// Find finds none.
func Checks(ctx context.Context, e Engine, program string, c doctor.Check) []doctor.Check {
	in, err := e.Find(ctx, "", false)
	if err != nil {
		c.Status, c.Found = doctor.Warn, err.Error()
	} else {
		c.Status, c.Found = doctor.OK, "installed: "+in.Version+", "+filepath.Dir(in.Paths[program])
	}
	return []doctor.Check{c}
}

// JSONFile is a configuration that only the server reads. v has nothing that JSON has not.
func JSONFile(path string, v any) File {
	return File{Path: path, Content: string(inJSON(v)), Mode: 0o600, Escape: func(text string) string {
		quoted := inJSON(text)
		return string(quoted[1 : len(quoted)-1])
	}}
}

func inJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}
