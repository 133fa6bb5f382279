package cleanup

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/campaign/giveback"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/command/commandtest"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/storage"
)

// holograms is a made-up storage class whose volumes nothing outside this file knows: names in
// a projector, each with the run that made it.
type holograms struct {
	storage.Kind
	projector map[string]string
}

const hologram journal.Kind = "hologram"

func (holograms) Name() string { return "holograms" }

func (holograms) Capabilities() storage.KindCapabilities { return storage.KindCapabilities{} }

// Leaves implements journal.Leaver.
func (h holograms) Leaves() journal.Owners {
	return journal.Owners{{
		Kinds:   []journal.Kind{hologram},
		Present: func(_ string, o journal.Object) bool { return h.projector[o.Name] != "" },
		ByHand:  func(string, journal.Object) string { return "dim the projector" },
		Sweep: journal.Each(func(_ context.Context, run string, o journal.Object) (r journal.Removal) {
			switch maker := h.projector[o.Name]; maker {
			case "":
			case run:
				r.Found = true
				delete(h.projector, o.Name)
			default:
				r.Found, r.Err = true, fmt.Errorf("it is of run %q: dim the projector", maker)
			}
			return r
		}),
	}}
}

// leave makes a hologram of a killed run, as a class does: it is in the journal first.
func (h holograms) leave(s *commandtest.Site, name string) (run string) {
	s.T.Helper()
	run = s.Leave("killed", journal.Object{Kind: hologram, Name: name, Path: "the projector"})
	h.projector[name] = run
	return run
}

// A class that is registered has what it left found, proved and removed, whoever cleans and
// whenever: nothing outside it knows its kind.
func TestALeftoverOfAKindThatOnlyItsClassKnows(t *testing.T) {
	class := holograms{projector: map[string]string{"theirs": "another-run"}}
	o := Options{Parts: registry.Parts()}
	without := o
	o.Parts.Kinds = maps.Clone(o.Parts.Kinds)
	o.Parts.Kinds[class.Name()] = class
	s := commandtest.New(t)
	state := s.State()
	dir := filepath.Join("runs", "killed")
	clean := func(o Options) Cleaned {
		t.Helper()
		c, err := Run(state, dir, o)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	s.KilledRun("killed")
	class.leave(s, "one")

	// Without its class nobody touches it, and it is said.
	if c := clean(without); !says(c.Failed, `"hologram"`) || class.projector["one"] == "" {
		t.Errorf("without the class: %+v", c)
	}
	if c := clean(o); len(c.Failed) > 0 || !says(c.Removed, "hologram one at the projector") || class.projector["one"] != "" {
		t.Errorf("%+v", c)
	}
	if c := clean(o); len(c.Failed)+len(c.Removed) > 0 {
		t.Errorf("again: %+v", c)
	}

	// What is another run's stays, by the class's own proof.
	run := class.leave(s, "theirs")
	class.projector["theirs"] = "another-run"
	if c := clean(o); !says(c.Failed, `of run "another-run": dim the projector`) || class.projector["theirs"] == "" {
		t.Errorf("another run's: %+v", c)
	}
	class.projector["theirs"] = run

	// A copy of the run owns nothing; the way to remove it comes from the class.
	if err := os.CopyFS("copy", os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if c, err := Run(state, "copy", o); err != nil || !says(c.Failed, "if it is yours: dim the projector") || class.projector["theirs"] == "" {
		t.Errorf("a copy: %+v, %v", c, err)
	}

	// A run that goes on has it removed first.
	claimed, err := rundir.Claim(dir)
	if err != nil {
		t.Fatal(err)
	}
	if c := Sweep(state, claimed, o); len(c.Failed) > 0 || !says(c.Removed, "hologram theirs") {
		t.Errorf("before it goes on: %+v", c)
	}
	claimed.Release()

	// So has one whose directory is gone.
	class.leave(s, "two")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	all, _ := Orphans(state, nil, o)
	if len(all) != 1 || len(all[0].Failed) > 0 || !says(all[0].Removed, "hologram two") || len(class.projector) > 0 {
		t.Errorf("the directory is gone: %+v, left %v", all, class.projector)
	}
	if !slices.Contains(giveback.Owners(o.Parts, nil).Kinds(), hologram) {
		t.Error("its kind is not listed")
	}
}

func says(texts []string, text string) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, text) })
}

// What only the plan of a run leads to is named once when the run's directory is gone, with
// what a person does.
func TestWhatOnlyAPlanLeadsToIsNamedOnce(t *testing.T) {
	s := commandtest.New(t)
	dir := filepath.Join("runs", "killed")
	s.KilledRun("killed")
	lent := map[string]string{
		"database": "drop what the run made there", "bucket": "with a client of the store",
		"image": "`rbd rm x`", "subvolume": "`ceph fs subvolume rm x ''`", "store user": "`radosgw-admin user rm --uid=x`",
	}
	for kind := range lent {
		s.Leave("killed", journal.Object{Kind: journal.Kind(kind), Name: "x", Path: "there"})
	}
	o := Options{Parts: registry.Parts()}
	c, err := Run(s.State(), dir, o) // it has no plan, either
	if err != nil || len(c.Failed) != len(lent) {
		t.Errorf("%+v, %v", c, err)
	}
	for kind, by := range lent {
		if !says(c.Failed, by) {
			t.Errorf("%s: %q is missing in %q", kind, by, c.Failed)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{len(lent), 0} {
		left := 0
		all, _ := Orphans(s.State(), nil, o)
		for _, c := range all {
			left += len(c.Failed)
			for _, f := range c.Failed {
				if !strings.Contains(f, "is gone with its directory: ") {
					t.Error(f)
				}
			}
		}
		if left != want {
			t.Errorf("%d are named, want %d: %+v", left, want, all)
		}
	}
	if command.Exists(dir) {
		t.Errorf("%s is there again", dir)
	}
}
