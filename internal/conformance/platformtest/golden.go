package platformtest

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
)

// fillWith has a server write a text into a golden volume.
func fillWith(t *testing.T, p platform.Platform, name, text string) func(map[string]storage.Volume) ([]byte, error) {
	return func(volumes map[string]storage.Volume) ([]byte, error) {
		v := volumes["db-0"]
		return []byte("note of " + text), p.Run(t.Context(), shell(name, `echo `+text+` > "${VOLUME}/table"`, v), v)
	}
}

func (s Suite) copied(t *testing.T) {
	p, v := s.openWith(t, "copied")
	if err := p.Run(t.Context(), shell("copied", `mkdir "${VOLUME}/base"; echo rows > "${VOLUME}/base/table"`, v), v); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "volume")
	if err := p.CopyOut(t.Context(), v, to); err != nil || read(t, to, "base", "table") != "rows" {
		t.Errorf("copied %q, %v", read(t, to, "base", "table"), err)
	}
	gone := filepath.Join(t.TempDir(), "gone")
	if err := p.CopyOut(t.Context(), storage.Volume{Name: "none", Path: filepath.Join(v.Path, "none")}, gone); err == nil {
		t.Error("a volume that is not there was copied")
	}
	if _, err := os.Stat(gone); err == nil {
		t.Error("half a copy is left")
	}
}

func (s Suite) golden(t *testing.T) {
	p := s.open(t)
	if g, ok, err := p.Golden(t.Context(), "empty-1"); ok || err != nil {
		t.Fatalf("found %v, %v", g, err)
	}
	made, err := p.MakeGolden(t.Context(), "empty-1", []storage.Claim{{Name: "db-0"}}, fillWith(t, p, "golden", "rows"))
	if err != nil {
		t.Fatal(err)
	}
	found, ok, err := p.Golden(t.Context(), "empty-1")
	if !ok || err != nil || found.Sources["db-0"] != made.Sources["db-0"] || string(found.Note) != "note of rows" {
		t.Errorf("found %+v, %v, made %+v", found, err, made)
	}
	if read(t, found.Sources["db-0"], "table") != "rows" {
		t.Error("the volume is empty")
	}
	claims := []storage.Claim{{Name: "db-0"}, {Name: "db-0-log", With: "db-0"}}
	_, err = p.MakeGolden(t.Context(), "two", claims, func(volumes map[string]storage.Volume) ([]byte, error) {
		if one, two := ownerOf(t, volumes["db-0"]), ownerOf(t, volumes["db-0-log"]); one != two {
			t.Errorf("two volumes of a server belong to %d and %d", one, two)
		}
		return []byte("note of two"), nil
	})
	if err != nil {
		t.Error(err)
	}
	for _, key := range []string{"", "..", "a/b"} {
		if _, _, err := p.Golden(t.Context(), key); err == nil {
			t.Errorf("%q is a key", key)
		}
	}
}

func (s Suite) goldenFails(t *testing.T) {
	p := s.open(t)
	broken := errors.New("the schema is wrong")
	_, err := p.MakeGolden(t.Context(), "broken", []storage.Claim{{Name: "db-0"}}, func(map[string]storage.Volume) ([]byte, error) { return nil, broken })
	if !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	if _, ok, err := p.Golden(t.Context(), "broken"); ok || err != nil {
		t.Errorf("it was kept: %v", err)
	}
}

// goldenTwice has another run keep the volume while this one makes it.
func (s Suite) goldenTwice(t *testing.T) {
	p := s.open(t)
	first, err := p.MakeGolden(t.Context(), "both", []storage.Claim{{Name: "db-0"}}, fillWith(t, p, "first", "rows"))
	if err != nil {
		t.Fatal(err)
	}
	g, err := p.MakeGolden(t.Context(), "both", []storage.Claim{{Name: "db-0"}}, fillWith(t, p, "late", "late"))
	if err != nil || g.Sources["db-0"] != first.Sources["db-0"] || string(g.Note) != "note of rows" || read(t, g.Sources["db-0"], "table") != "rows" {
		t.Errorf("the second to make it has %+v, %v", g, err)
	}
}

// ownerOf is the user that a volume belongs to.
func ownerOf(t *testing.T, v storage.Volume) uint32 {
	t.Helper()
	info, err := os.Stat(v.Path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Sys().(*syscall.Stat_t).Uid
}
