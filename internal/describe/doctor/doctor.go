// Package doctor says what a check of the machine is, and holds what checks of
// several kinds look at: programs, packages, devices, rights. Engines, storage
// classes, platforms and workloads that need something of the machine are
// Checkers; package machine has the checks that concern all of them.
package doctor

import (
	"context"
	"slices"
	"strings"
)

// Status is how a check came out.
type Status string

// Outcomes of a check. Fail means that not even the quickstart can run; Warn
// that something cannot be done here.
const (
	OK   Status = "ok"
	Warn Status = "warn"
	Fail Status = "fail"
)

// Check is one thing that was looked at.
type Check struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Found  string `json:"found"`
	Means  string `json:"means,omitempty"` // what cannot be done without it
	Fix    string `json:"fix,omitempty"`   // the command that repairs it
	// Lacks are the packages that repair it, where some do.
	Lacks Packages `json:"-"`
	// Fetches names the files that a run downloads as long as they are missing, and their
	// size; empty if nothing is downloaded.
	Fetches string `json:"-"`
}

// By completes a check with the packages that repair it.
func (c Check) By(p Packages) Check {
	c.Lacks, c.Fix = p, p.Install()
	return c
}

// Checker checks what a part needs of the machine.
type Checker interface {
	// Checks looks at it. Checks of the same name are one: what their lacking
	// means is joined.
	Checks(ctx context.Context) []Check
	// Programs are those that results may depend on; their versions are
	// recorded with every run.
	Programs() []Program
}

// Merge joins checks of the same name and keeps their order. It drops the consequences of
// checks that found nothing missing.
func Merge(checks []Check) []Check {
	var all []Check
	for _, c := range checks {
		if c.Status == OK {
			c.Means, c.Fix, c.Lacks = "", "", Packages{}
		}
		i := slices.IndexFunc(all, func(have Check) bool { return have.Name == c.Name })
		if i < 0 {
			all = append(all, c)
			continue
		}
		switch have := &all[i]; {
		case have.Status == OK:
			*have = c
		case c.Means != "" && !strings.Contains(have.Means, c.Means):
			have.Means = strings.Trim(have.Means+"; "+c.Means, "; ")
		}
	}
	return all
}

// Wanted is OK, or otherwise when something is lacking.
func Wanted(there bool, otherwise Status) Status {
	if there {
		return OK
	}
	return otherwise
}
