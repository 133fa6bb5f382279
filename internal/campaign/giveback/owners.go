// Package giveback gives back what runs have of others: databases and volumes on existing servers,
// while a run goes on, when it ends, and by its journal after it was killed.
package giveback

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/job"
	"plimsoll/internal/storage"
	"plimsoll/internal/study/plan"
)

// Owners are the owners of everything that runs with these parts leave. A run's plan says how to
// log in to the existing servers that it has used.
func Owners(p facts.Parts, of func() (*plan.Plan, error)) journal.Owners {
	platforms := map[string]platform.Kind{p.Platform.Name(): p.Platform}
	for name, k := range p.Platforms {
		if platforms[name] == nil {
			platforms[name] = k
		}
	}
	all := slices.Concat(leftBy(platforms), leftBy(p.Kinds), leftBy(p.Engines), leftBy(p.Workloads))
	mine := lenders{p, of}
	return append(all, mine.databases(), mine.volumes())
}

// leftBy are the owners among parts.
func leftBy[P any](parts map[string]P) (all journal.Owners) {
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		if l, leaves := any(parts[name]).(journal.Leaver); leaves {
			all = append(all, l.Leaves()...)
		}
	}
	return all
}

// databaseKind is the kind of a database on an existing server. Its Name says which, where
// and by whom it was claimed.
const databaseKind journal.Kind = "database"

// databaseObject is a database in the journal. How to log in is in the plan.
func databaseObject(e job.EngineCheck) journal.Object {
	return journal.Object{Kind: databaseKind, Name: fmt.Sprintf("%q at %s of user %q (%s)", endpoint.Database(e.Endpoint), e.Endpoint.Address, e.Endpoint.User, e.Engine)}
}

// releaseLimit is how long a server may take to give a database back, and removeLimit how long
// a volume on an existing server may take to be emptied and removed.
const (
	releaseLimit = time.Minute
	removeLimit  = 30 * time.Minute
)

// lenders are the existing servers that a run's plan names, by the parts that know them.
type lenders struct {
	facts.Parts
	plan func() (*plan.Plan, error)
}

// databases owns databases on existing servers. A run that goes on uses them again.
func (p lenders) databases() journal.Owner {
	byHand := func(string, journal.Object) string { return app.ByHand }
	return journal.Owner{
		Kinds: []journal.Kind{databaseKind}, First: journal.ByClean, ByHand: byHand,
		Present: func(string, journal.Object) bool { return true }, // nobody logs in to look
		Sweep:   p.planned(releaseLimit, byHand, p.release),
	}
}

// release drops the objects that a run noted as its own in a database, and its mark.
func (p lenders) release(ctx context.Context, of *plan.Plan, run string, o journal.Object) journal.Removal {
	e, err := p.borrowedAs(of, o)
	if err != nil {
		return journal.Removal{Err: err}
	}
	err = p.Engines[e.Engine].Capabilities().Borrower.Release(ctx, e.Endpoint, run) // BorrowedBy lists no others
	switch {
	case errors.Is(err, app.ErrNoDatabase):
		return journal.Removal{Found: true, Said: o.String() + ", which is gone from the server with what the run made there"}
	case errors.Is(err, app.ErrClaimed):
		return journal.Removal{Found: true, Said: "this run's claim on " + o.String() + ", which another run has taken over with what was there"}
	}
	return journal.Removal{Found: true, Said: "what the run made in " + o.String(), Err: err}
}

// errUnknown is the error of what the run's plan does not lead to.
var errUnknown = errors.New("the run's plan does not say how to log in there")

// borrowedAs finds how to log in to a database that the journal has.
func (p lenders) borrowedAs(of *plan.Plan, o journal.Object) (job.EngineCheck, error) {
	var errs []error
	for _, v := range of.Applications() {
		all, err := p.BorrowedBy(v)
		errs = append(errs, err)
		for _, e := range all {
			if databaseObject(e) == o {
				return e, nil
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return job.EngineCheck{}, err
	}
	return job.EngineCheck{}, errUnknown
}

// volumes owns what storage classes make on existing servers. One volume may be a clone of an
// earlier one.
func (p lenders) volumes() journal.Owner {
	byKind := map[journal.Kind]storage.Lender{}
	for _, name := range slices.Sorted(maps.Keys(p.Kinds)) {
		if l := p.Kinds[name].Capabilities().Lender; l != nil {
			for _, k := range l.Lends() {
				byKind[k] = l
			}
		}
	}
	byHand := func(_ string, o journal.Object) string { return byKind[o.Kind].ByHand(o) }
	return journal.Owner{
		Kinds: slices.Sorted(maps.Keys(byKind)), First: journal.BeforeResuming, ByHand: byHand,
		Sweep: p.planned(removeLimit, byHand, p.giveBack),
	}
}

// giveBack removes a volume by the storage of the plan that it is of.
func (p lenders) giveBack(ctx context.Context, of *plan.Plan, run string, o journal.Object) (done journal.Removal) {
	kind, parameters := p.lender(of, o)
	if kind == nil {
		return journal.Removal{Err: errUnknown}
	}
	done.Found, done.Err = kind.GiveBack(ctx, parameters, run, o)
	return done
}

// lender is the storage of a plan that a volume on an existing server is of, nil for none.
func (p lenders) lender(of *plan.Plan, o journal.Object) (storage.Lender, any) {
	for _, v := range of.Applications() {
		for _, s := range v.Storages {
			if l := p.Kinds.Capabilities(s.Class).Lender; l != nil && l.Lent(s.Parameters, o) {
				return l, s.Parameters
			}
		}
	}
	return nil, nil
}

// planned sweeps objects on existing servers one by one, each within a limit, by what the run's
// plan says. Without a plan the error says how to do it by hand.
func (p lenders) planned(limit time.Duration, byHand func(string, journal.Object) string, give func(context.Context, *plan.Plan, string, journal.Object) journal.Removal) func(context.Context, journal.State, []journal.Object) []journal.Removal {
	return journal.Each(func(ctx context.Context, run string, o journal.Object) journal.Removal {
		of, err := p.plan()
		if err != nil {
			return journal.Removal{Err: fmt.Errorf("%w: %s", err, byHand(run, o))}
		}
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		return give(ctx, of, run, o)
	})
}
