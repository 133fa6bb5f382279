package oltp

import (
	"fmt"

	"plimsoll/internal/describe"
	"plimsoll/internal/workload/oltp/data"
	"plimsoll/internal/workload/oltp/session"
)

// Names of the checks, in their order.
const (
	missing   = "loaded and inserted rows that nobody deleted are there"
	undeleted = "deleted rows are gone"
	kCheck    = "k of every row is what it began as plus its acknowledged increments"
	cCheck    = "c of every row is what its last acknowledged writer wrote"
	padCheck  = "pad of every row is what was loaded, or its insert wrote"
	invented  = "rows that nobody inserted, or that are there twice"
	partial   = "transactions in doubt that are there in part"
)

// maxExamples bounds what a check says of its offenders.
const maxExamples = 10

// check counts the offenders of one check.
type check struct {
	name     string
	bad      int64
	examples []string
	lost     map[transaction]bool
}

// transaction names one.
type transaction struct {
	user   int32
	number int64
}

// checks are all checks of an audit.
type checks struct {
	all  []*check
	lost map[transaction]bool // acknowledged, and not there
	// doubt is what rows say of transactions in doubt.
	doubt map[transaction]struct{ there, absent bool }
}

func newChecks() *checks {
	c := &checks{lost: map[transaction]bool{}, doubt: map[transaction]struct{ there, absent bool }{}}
	for _, name := range []string{missing, undeleted, kCheck, cCheck, padCheck, invented, partial} {
		c.all = append(c.all, &check{name: name, lost: c.lost})
	}
	return c
}

func (c *checks) of(name string) *check {
	for _, one := range c.all {
		if one.name == name {
			return one
		}
	}
	panic("no check " + name)
}

// offend counts an offender, which the first ones are described of, and the
// acknowledged transaction whose write is not there, if it is known.
func (c *check) offend(w *write, format string, args ...any) {
	c.bad++
	if len(c.examples) < maxExamples {
		c.examples = append(c.examples, fmt.Sprintf(format, args...))
	}
	if w != nil {
		c.lost[transaction{w.user, w.number}] = true
	}
}

func (c *checks) witness(w *write, there bool) {
	key := transaction{w.user, w.number}
	seen := c.doubt[key]
	seen.there, seen.absent = seen.there || there, seen.absent || !there
	c.doubt[key] = seen
}

// results returns each check with its number of offenders, which must be 0.
func (c *checks) results() []describe.Check {
	var all []describe.Check
	for _, one := range c.all {
		all = append(all, describe.Check{Name: one.name, Passed: one.bad == 0, Found: one.bad, Examples: one.examples})
	}
	return all
}

// added audits a row that the server numbered.
func (a *auditor) added(r *row) {
	table := session.TableName(r.table)
	stamp, ok := data.ParseStamp(r.pad)
	if ok && stamp.Instance == a.instance%(data.MaxInstance+1) {
		if at := a.ledger.addition(r.table, stamp); at >= 0 && !a.ledger.found[at] {
			a.ledger.found[at] = true
			a.sameAs(r, stamp, &a.ledger.added[at])
			return
		}
	}
	if !a.foreign || ok {
		a.checks.of(invented).offend(nil, "row %d of %s", r.id, table)
	}
}

// sameAs compares a row with the insert that made it.
func (a *auditor) sameAs(r *row, stamp data.Stamp, w *write) {
	table := session.TableName(r.table)
	if r.k != w.k {
		a.checks.of(kCheck).offend(w, "row %d of %s has k %d, inserted was %d", r.id, table, r.k, w.k)
	}
	if a.text = a.writer.AppendC(a.text[:0], stamp, r.table, 0); string(a.text) != string(r.c) {
		a.checks.of(cCheck).offend(w, "row %d of %s has c %q", r.id, table, r.c)
	}
	if a.text = a.writer.AppendPad(a.text[:0], stamp, r.table, 0); string(a.text) != string(r.pad) {
		a.checks.of(padCheck).offend(w, "row %d of %s has pad %q", r.id, table, r.pad)
	}
}

// additions looks for acknowledged inserts that are not there.
func (a *auditor) additions() {
	for i := range a.ledger.added {
		if w := &a.ledger.added[i]; !a.ledger.found[i] && !w.doubtful {
			a.checks.of(missing).offend(w, "the row that user %d inserted into %s in transaction %d", w.user, session.TableName(int(w.table)), w.number)
		}
	}
}
