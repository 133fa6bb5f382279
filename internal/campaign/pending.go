package campaign

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/platform/job"
	"plimsoll/internal/storage"
	"plimsoll/internal/study/plan"
)

// Events of the journal about databases on existing servers.
const (
	databaseClaimed  = "database-claimed"
	databaseReleased = "database-released"
)

// releaseLimit is how long a server may take to give a database back.
const releaseLimit = time.Minute

// databaseDetail names a database in the journal. How to log in is in the plan.
func databaseDetail(e job.EngineCheck) map[string]string {
	return map[string]string{"engine": e.Engine, "server": e.Endpoint.Address, "database": endpoint.Database(e.Endpoint), "user": e.Endpoint.User}
}

// databaseObject is what of a database is registered: by it, and not by the notes of a
// directory that may be anybody's, clean knows that this user's run claimed it here.
func databaseObject(detail map[string]string) journal.Object {
	return journal.Object{Kind: journal.Database, Name: fmt.Sprintf("%q at %s of user %q (%s)", detail["database"], detail["server"], detail["user"], detail["engine"])}
}

// claiming notes databases before anything is made in them.
func (c *Campaign) claiming(borrowed []job.EngineCheck) error {
	for _, e := range borrowed {
		detail := databaseDetail(e)
		if err := errors.Join(c.journal.Making(databaseObject(detail)), c.journal.Note(databaseClaimed, detail)); err != nil {
			return err
		}
	}
	return nil
}

// released notes that a database was given back.
func released(j *journal.Journal, detail map[string]string) error {
	return errors.Join(j.Note(databaseReleased, detail), j.Removed(databaseObject(detail)))
}

// PendingDatabases lists the databases on existing servers that a run has claimed and not given
// back, as its journal names them.
func PendingDatabases(s journal.State) (pending []map[string]string) {
	for _, n := range s.Notes {
		if n.Event != databaseClaimed && n.Event != databaseReleased {
			continue
		}
		pending = slices.DeleteFunc(pending, func(d map[string]string) bool { return maps.Equal(d, n.Detail) })
		if n.Event == databaseClaimed {
			pending = append(pending, n.Detail)
		}
	}
	return pending
}

// Claimed reports whether the register of this machine has a database that a
// run has not given back: the plan and the notes of a run directory may be anybody's, and
// name any server.
func Claimed(s journal.State, database map[string]string) bool {
	return slices.Contains(s.Objects, databaseObject(database))
}

// GiveBack drops what a run noted as its own in a database, and its mark,
// and says so in the journal. done says what was given back.
func GiveBack(ctx context.Context, parts Parts, p *plan.Plan, run string, database map[string]string, j *journal.Journal) (done string, err error) {
	what := fmt.Sprintf("database %q at %s (user %q)", database["database"], database["server"], database["user"])
	ctx, cancel := context.WithTimeout(ctx, releaseLimit)
	defer cancel()
	e, err := parts.pendingDatabase(p, database)
	if err == nil {
		err = parts.Engines[e.Engine].(app.Borrower).Release(ctx, e.Endpoint, run) // borrowedBy lists no others
	}
	done = "what the run made in " + what
	switch {
	case errors.Is(err, app.ErrNoDatabase):
		done, err = what+", which is gone from the server with what the run made there", nil
	case errors.Is(err, app.ErrClaimed):
		done, err = "this run's claim on "+what+", which another run has taken over with what was there", nil
	}
	if err == nil {
		err = released(j, database)
	}
	if err != nil {
		return "", fmt.Errorf("what the run made in %s: %w", what, err)
	}
	return done, nil
}

// pendingDatabase finds how to log in to a database that a run has not given back.
func (p Parts) pendingDatabase(of *plan.Plan, database map[string]string) (job.EngineCheck, error) {
	var errs []error
	for _, v := range each(of.Variants) {
		all, err := p.borrowedBy(v)
		errs = append(errs, err)
		for _, e := range all {
			if maps.Equal(databaseDetail(e), database) {
				return e, nil
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return job.EngineCheck{}, err
	}
	return job.EngineCheck{}, errors.New("the run's plan does not say how to log in there")
}

// PendingVolumes lists the volumes on existing servers that a run has made and not removed, as
// this machine's register has them, last made first: one may be a clone of an earlier one.
func PendingVolumes(s journal.State) (pending []journal.Object) {
	for _, o := range s.Objects {
		if o.Lent() && o.Kind != journal.Database {
			pending = append(pending, o)
		}
	}
	slices.Reverse(pending)
	return pending
}

// GiveBackVolume removes a volume that a run has not given back, by the storage of its plan that the
// volume is of, and says so in the journal. done says what was removed; it is empty where
// the volume was gone.
func GiveBackVolume(ctx context.Context, parts Parts, p *plan.Plan, run string, o journal.Object, j *journal.Journal) (done string, err error) {
	ctx, cancel := context.WithTimeout(ctx, removeLimit)
	defer cancel()
	kind, parameters := parts.lender(p, o)
	if kind == nil {
		return "", fmt.Errorf("%s: the run's plan does not say how to log in there", o)
	}
	found, err := kind.GiveBack(ctx, parameters, run, o)
	if err == nil {
		err = j.Removed(o)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", o, err)
	}
	if found {
		done = o.String()
	}
	return done, nil
}

// removeLimit is how long a volume on an existing server may take to be emptied and removed.
const removeLimit = 30 * time.Minute

// lender is the storage of a plan that a volume on an existing server is of, nil for none.
func (p Parts) lender(of *plan.Plan, o journal.Object) (storage.Lender, any) {
	for _, v := range each(of.Variants) {
		for _, s := range v.Storages() {
			if k, lends := p.Kinds[s.Class].(storage.Lender); lends && k.Lent(s.Parameters, o) {
				return k, s.Parameters
			}
		}
	}
	return nil, nil
}
