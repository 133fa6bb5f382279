package campaign_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"plimsoll/internal/campaign"
	"plimsoll/internal/campaign/campaigntest"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/journal/journaltest"
	"plimsoll/internal/result"
	"plimsoll/internal/study/plan"
)

// runs is one run, and the world that it is in.
type runs struct {
	*campaigntest.World
	t       *testing.T
	home    string
	options campaign.Options
	cancel  context.CancelFunc // of the campaign that runs
}

const runID = "test-run"

func newRun(t *testing.T, home string, p *plan.Plan) *runs {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(home, "run"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := &runs{World: campaigntest.New(), t: t, home: home}
	r.options = campaign.Options{
		Plan: p, Dir: filepath.Join(home, "run"), RunID: runID,
		Scratch: filepath.Join(home, journal.Name(runID)), Cache: filepath.Join(home, "cache"), ErrorLimit: 0.5,
	}
	return r
}

// register brings back what was registered at the moment of the crash, for the directory
// that has come back in the place of the other.
func (r *runs) register() {
	r.t.Helper()
	path := filepath.Join(r.options.Dir, result.JournalFile)
	state, err := journal.Read(path)
	if err != nil {
		r.t.Fatal(err)
	}
	if !exists(path) {
		return
	}
	j, err := journal.Open(path, runID)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, o := range state.Unregistered {
		err = errors.Join(err, j.Made(o))
	}
	if err := errors.Join(err, j.Close()); err != nil {
		r.t.Fatal(err)
	}
}

// run runs the campaign once, from where it is. A crash is over when it returns.
func (r *runs) run() (crashed bool, err error) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r.cancel = cancel
	err = campaign.Run(ctx, r.Parts(), r.options)
	cancel()
	crashed, reviveErr := r.Revive()
	if reviveErr != nil {
		r.t.Fatal(reviveErr)
	}
	if crashed {
		r.register()
	}
	r.options.Resume = exists(filepath.Join(r.options.Dir, result.PlanFile))
	return crashed, err
}

func TestMain(m *testing.M) { os.Exit(journaltest.WithRegisters(m)) }
