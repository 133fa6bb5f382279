package app

import (
	"fmt"
)

// ServerAccess is what an existing server permits a user.
type ServerAccess struct {
	// Refuses lists in sentences why a run cannot use the database.
	Refuses []string
	// Held is the contents of the database; they are examined where nothing refuses and
	// the user can open two connections.
	Held DatabaseContents
	// Free is how many connections the user can still open, -1 where it is not known,
	// and Slots how that was found: "max_connections 100, 3 reserved, 20 in use".
	Free  int
	Slots string
	// Server and Database are the same for two endpoints only where these are the same
	// running server, or the same database whatever server answers for it; empty where
	// that is not known.
	Server, Database string
	// WantsKeys is the setting by which the server refuses tables without a primary key,
	// empty where it does not.
	WantsKeys string
}

// Limit lowers Free to a number of connections if that is less, and records the source of
// the number.
func (s *ServerAccess) Limit(free int, slots string, values ...any) {
	if free < s.Free {
		s.Free, s.Slots = free, fmt.Sprintf(slots, values...)
	}
}
