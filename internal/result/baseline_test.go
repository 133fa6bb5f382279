package result

import (
	"os"
	"path/filepath"
	"testing"
)

func TestABaselineOutlivesItsRun(t *testing.T) {
	theirs := &Run{ID: "drive", Trials: []*Trial{{Schema: SchemaVersion, ID: "hdd/1/1", Rung: 1, Repetition: 1, Status: Failed}}}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, TrialsDir), 0o755); err != nil {
		t.Fatal(err)
	}
	ours := &Run{Dir: dir}
	if b, err := ours.Baseline(); b != nil || err != nil {
		t.Errorf("a run without one has %v, %v", b, err)
	}
	if err := KeepBaseline(dir, theirs); err != nil {
		t.Fatal(err)
	}
	b, err := ours.Baseline()
	if err != nil || b.ID != "drive" || len(b.Trials) != 1 || b.Trials[0].ID != "hdd/1/1" {
		t.Fatalf("%+v, %v", b, err)
	}
	if run, err := Open(dir); err != nil || len(run.Trials) != 0 {
		t.Errorf("trials of the baseline are the run's: %+v, %v", run.Trials, err)
	}
}

// The trial of a tile is kept once, with the parts of all members, be the baseline lean or not.
func TestABaselineOfMembersKeepsAllOfThem(t *testing.T) {
	theirs, tile := tiled()
	tile.Schema, theirs.ID, theirs.Plan = SchemaVersion, "drive", nil
	theirs.Trials = tile.Trials()
	for round := range 2 {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, TrialsDir), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := KeepBaseline(dir, theirs); err != nil {
			t.Fatal(err)
		}
		b, err := (&Run{Dir: dir}).Baseline()
		if err != nil || len(b.Trials) != 2 || b.Trials[0].ID != "ssd.shop/2/1" || b.Trials[1].ID != "ssd.bulk/2/1" {
			t.Fatalf("round %d: %+v, %v", round, b, err)
		}
		if o := b.Trials[0].Operations["order"]; o.Count != 7 || len(b.Trials[1].Evidence) != 1 {
			t.Errorf("round %d: %+v", round, b.Trials[0])
		}
		if theirs, err = OpenLean(b.Dir); err != nil {
			t.Fatal(err)
		}
	}
}
