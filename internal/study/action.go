package study

import (
	"strconv"
	"strings"
)

// The verbs of faults that a campaign carries out itself, on every storage
// class or on all that can cut the power. A platform may have verbs of its own;
// every other action is the class's.
const (
	// KillInstance kills all servers of an instance ("kill instance 0"), or those of one of
	// its roles ("kill instance 0 db").
	KillInstance = "kill instance"
	// CutPower cuts the power of the whole storage. Writes that no completed flush covers
	// may be lost; file systems and servers recover from the rest. If it is followed by a
	// part of the storage, only that part loses power.
	CutPower = "cut power"
)

// Action is what a fault does.
type Action struct {
	Verb     string // KillInstance, CutPower or one of the platform's; empty for the class's own
	Instance int    // that KillInstance ends, or that the platform's is about where it has no Part
	Role     string // of it; empty is all
	Part     string // whose power CutPower cuts, empty is everything; or what of the platform it is about
}

// ParseAction reads what a study's fault does.
func ParseAction(do string) Action {
	if rest, ok := strings.CutPrefix(do, KillInstance+" "); ok {
		if n, role, err := ParseInstance(rest); err == nil {
			return Action{Verb: KillInstance, Instance: n, Role: role}
		}
	}
	if rest, ok := strings.CutPrefix(do, CutPower); ok && (rest == "" || rest[0] == ' ') {
		return Action{Verb: CutPower, Part: strings.TrimSpace(rest)}
	}
	return Action{}
}

// ParseInstance reads what follows the verb of an action on the servers of an
// instance: "0", or of one of its roles: "0 db".
func ParseInstance(text string) (number int, role string, err error) {
	first, role, _ := strings.Cut(strings.TrimSpace(text), " ")
	number, err = strconv.Atoi(first)
	return number, strings.TrimSpace(role), err
}
