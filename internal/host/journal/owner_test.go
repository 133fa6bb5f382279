package journal

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A kind that nobody owns is said and left alone, whoever lists it: neither the path that is
// there nor a command for it is taken from a file.
func TestAKindThatNobodyOwnsIsLeftAlone(t *testing.T) {
	j, path := open(t)
	dir := filepath.Join(t.TempDir(), Name(j.RunID))
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	later := Object{Kind: "hologram", Name: Name(j.RunID), Path: dir}
	if err := j.Making(later); err != nil {
		t.Fatal(err)
	}
	for who, c := range map[string]struct {
		path string
		at   []Occasion
	}{
		"registered": {path, []Occasion{AtEnd, BeforeResuming, ByClean}},
		"forged":     {forge(t, testID("received"), later), []Occasion{ByClean}},
	} {
		for _, at := range []Occasion{AtEnd, BeforeResuming, ByClean} {
			done := Owners(nil).Sweep(t.Context(), state(t, c.path), at)
			if !slices.Contains(c.at, at) {
				if len(done) > 0 {
					t.Errorf("%s, occasion %d: %v", who, at, done)
				}
				continue
			}
			if len(done) != 1 || done[0].Err == nil || !strings.Contains(done[0].Err.Error(), `"hologram"`) || strings.Contains(done[0].Err.Error(), "rm ") {
				t.Errorf("%s, occasion %d: %v", who, at, done)
			}
		}
	}
	if done := Sweep(t.Context(), state(t, path)); len(done) > 0 {
		t.Errorf("a sweep of the machine alone: %v", done)
	}
	if !exists(dir) {
		t.Error("the directory was removed")
	}
}

// Owners sweep their own kinds, from the first occasion on; the machine's go first.
func TestOwnersSweepWhenItIsTime(t *testing.T) {
	j, path := open(t)
	dir := filepath.Join(t.TempDir(), Name(j.RunID))
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	var owners Owners
	for at, kind := range []Kind{"early", "late", "last"} {
		owners = append(owners, Owner{
			Kinds: []Kind{kind}, First: Occasion(at),
			Sweep: Each(func(_ context.Context, run string, o Object) Removal {
				if run != j.RunID || exists(dir) {
					t.Errorf("%s of run %q: the directory is there: %t", o, run, exists(dir))
				}
				return Removal{Found: true}
			}),
		})
	}
	for _, o := range []Object{{Kind: "last", Name: "a"}, {Kind: "late", Name: "b"}, {Kind: "late", Name: "c"}, {Kind: "early", Name: "d"}, {Kind: Directory, Path: dir}} {
		if err := j.Making(o); err != nil {
			t.Fatal(err)
		}
	}
	for at, want := range []string{dir + " d", dir + " d c b", dir + " d c b a"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range owners.Sweep(t.Context(), state(t, path), Occasion(at)) {
			if r.Err != nil || !r.Found {
				t.Errorf("%s: found %t, %v", r.Object, r.Found, r.Err)
			}
			got = append(got, r.Object.Name+r.Object.Path)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("occasion %d: %q", at, got)
		}
	}
}

// Databases were noted before they were registered: of such a journal they are named, once,
// until they were released, whatever else it has.
func TestDatabasesOfAnEarlierVersion(t *testing.T) {
	const (
		claimed  = `{"act":"note","event":"database-claimed","detail":{"engine":"e","server":"s:1","database":"shop","user":"me"}}` + "\n"
		making   = `{"act":"making","object":{"kind":"database","name":"\"shop\" at s:1 of user \"me\" (e)"}}` + "\n"
		removed  = `{"act":"removed","object":{"kind":"database","name":"\"shop\" at s:1 of user \"me\" (e)"}}` + "\n"
		released = `{"act":"note","event":"database-released","detail":{"engine":"e","server":"s:1","database":"shop","user":"me"}}` + "\n"
	)
	for text, want := range map[string]int{claimed: 1, making + claimed: 1, claimed + released: 0, making + claimed + released + removed: 0, making + claimed + removed: 0, released: 0} {
		path := forge(t, testID("earlier"))
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(before, text...), 0o600); err != nil {
			t.Fatal(err)
		}
		s := state(t, path)
		if len(s.Objects) > 0 || len(s.Unregistered) != want {
			t.Errorf("%s: objects %v, others %v", text, s.Objects, s.Unregistered)
		}
	}
}
