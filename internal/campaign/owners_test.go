package campaign_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/campaign"
	"plimsoll/internal/campaign/campaigntest"
	"plimsoll/internal/campaign/giveback"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

// borrower is an engine that counts how often a server is asked for a database back.
type borrower struct {
	app.Engine
	asked []string
	fails error
}

func (*borrower) Name() string                     { return "an engine" }
func (b *borrower) Capabilities() app.Capabilities { return app.Capabilities{Borrower: b} }
func (*borrower) Claim(context.Context, endpoint.Endpoint, string, bool) error {
	return errors.ErrUnsupported
}
func (*borrower) Note(context.Context, endpoint.Endpoint) error { return errors.ErrUnsupported }
func (b *borrower) Release(_ context.Context, e endpoint.Endpoint, _ string) error {
	b.asked = append(b.asked, e.Address)
	return b.fails
}

// claimed are lines of a journal of an earlier version that claimed a database.
func claimed(run, server string) string {
	return `{"act":"note","event":"run-started","detail":{"run":"` + run + `","machine":"` + journal.MachineID() + `","uid":"` + strconv.Itoa(os.Geteuid()) + `"}}
{"act":"note","event":"database-claimed","detail":{"engine":"an engine","server":"` + server + `","database":"shop","user":"me"}}
`
}

// The notes in a run directory may come from anybody, so no password is sent to a server that
// only they name. A server registered on this machine gets it.
func TestOnlyRegisteredDatabasesAreGivenBack(t *testing.T) {
	const server = "db.example:5432"
	engine := &borrower{}
	parts := campaigntest.New().Parts()
	parts.Engines = map[string]app.Engine{engine.Name(): engine}
	of := &plan.Plan{Variants: []study.Variant{{Application: study.Application{Engine: study.Engine{Name: engine.Name(), Existing: &study.Existing{Servers: []string{server + "/shop"}, User: "me"}}}}}}
	owners := giveback.Owners(parts, func() (*plan.Plan, error) { return of, nil })
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	id := journal.NewRunID("borrows")
	if err := os.WriteFile(path, []byte(claimed(id, server)), 0o600); err != nil {
		t.Fatal(err)
	}
	sweep := func(at journal.Occasion) []journal.Removal {
		state, err := journal.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		return owners.Sweep(t.Context(), state, at)
	}
	if done := sweep(journal.ByClean); len(done) != 1 || done[0].Err == nil || !strings.Contains(done[0].Err.Error(), app.ByHand) || len(engine.asked) > 0 {
		t.Errorf("claimed by notes alone: %v, asked %q", done, engine.asked)
	}
	state, err := journal.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open(path, id)
	if err != nil {
		t.Fatal(err)
	}
	other := state.Unregistered[0]
	other.Name = strings.ReplaceAll(other.Name, "db.example", "else.example")
	if err := errors.Join(j.Making(state.Unregistered[0]), j.Making(other), j.Close()); err != nil {
		t.Fatal(err)
	}
	if done := sweep(journal.BeforeResuming); len(done) > 0 || len(engine.asked) > 0 {
		t.Errorf("a run that goes on gives back what it uses again: %v", done)
	}
	done := sweep(journal.ByClean)
	if len(done) != 2 || strings.Join(engine.asked, " ") != server {
		t.Fatalf("%v, asked %q", done, engine.asked)
	}
	if done[0].Err == nil || !strings.Contains(done[0].Err.Error(), "does not say how to log in") {
		t.Errorf("a database on another server: %v", done[0].Err)
	}
	if done[1].Err != nil || !strings.Contains(done[1].String(), `what the run made in database "shop" at db.example:5432`) {
		t.Errorf("%s: %v", done[1], done[1].Err)
	}
	for err, said := range map[error]string{app.ErrNoDatabase: "is gone from the server", app.ErrClaimed: "another run has taken over"} {
		engine.fails = err
		if done := sweep(journal.ByClean); done[1].Err != nil || !strings.Contains(done[1].String(), said) {
			t.Errorf("%v: %s, %v", err, done[1], done[1].Err)
		}
	}
	engine.fails = errors.New("the server is down")
	if done := sweep(journal.ByClean); !errors.Is(done[1].Err, engine.fails) {
		t.Errorf("%s: %v", done[1], done[1].Err)
	}
}

// leaver is a storage class whose left-overs nobody else knows.
type leaver struct {
	storage.Kind
	first journal.Occasion
	swept []journal.Object
}

func (*leaver) Capabilities() storage.KindCapabilities { return storage.KindCapabilities{} }

func (l *leaver) Leaves() journal.Owners {
	return journal.Owners{{
		Kinds: []journal.Kind{"hologram"}, First: l.first,
		Sweep: journal.Each(func(_ context.Context, _ string, o journal.Object) journal.Removal {
			l.swept = append(l.swept, o)
			return journal.Removal{Found: true}
		}),
	}}
}

// The end of a run sweeps what its parts own, unless it is for later.
func TestTheEndOfARunSweepsWhatItsPartsOwn(t *testing.T) {
	for first, left := range map[journal.Occasion]int{journal.AtEnd: 0, journal.BeforeResuming: 1} {
		inTime(t, fixed(5), func(r *runs) {
			path := filepath.Join(r.options.Dir, result.JournalFile)
			j, err := journal.Open(path, runID)
			if err != nil {
				r.t.Fatal(err)
			}
			if err := errors.Join(j.Making(journal.Object{Kind: "hologram", Name: "one"}), j.Close()); err != nil {
				r.t.Fatal(err)
			}
			class, parts := &leaver{first: first}, r.Parts()
			parts.Kinds["holograms"] = class
			if err := campaign.Run(context.Background(), parts, r.options); err != nil {
				r.t.Fatal(err)
			}
			state, err := journal.Read(path)
			if err != nil || len(state.Objects) != left || len(class.swept) != 1-left {
				r.t.Errorf("first at %d: left are %v (%v), swept %v", first, state.Objects, err, class.swept)
			}
		})
	}
}
