package journal

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A journal may hold anything after a crash, a full disk or from another user: reading it
// ends without a panic, appended entries are read back, and nothing without the run's name
// is taken for the run's.
func FuzzJournal(f *testing.F) {
	f.Add([]byte(`{"at":"2026-11-22T00:00:00Z","act":"note","event":"run-started","detail":{"run":"k1-abcdefgh","machine":"m","uid":"0"}}` + "\n" +
		`{"act":"making","object":{"kind":"directory","path":"/tmp/plimsoll-k1-abcdefgh"}}` + "\n"))
	f.Add([]byte(`{"act":"making","object":{"kind":"process","name":"db","pid":1,"start_time":1}}` + "\n" + `{"act":"removed","obj`))
	f.Add([]byte(`{"act":"note","event":"run-started","detail":{"run":"home"}}` + "\n" + `{"act":"making","object":{"kind":"directory","path":"/home"}}` + "\n"))
	f.Add([]byte("\x00\n\n{}\n[]\nnull\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "journal.jsonl")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		appended := Object{Kind: Netns, Name: "appended"}
		appendTo(t, path, appended)
		s := state(t, path)
		if !slices.Contains(append(s.Objects, s.Unregistered...), appended) {
			t.Fatalf("what was appended is lost: %v", s.Objects)
		}
		if s.RunID != "" && !runIDForm.MatchString(s.RunID) {
			t.Fatalf("run identifier %q", s.RunID)
		}
		for _, o := range s.Objects {
			if s.owns(o) && !strings.Contains(o.Path+o.Name, namePrefix+s.RunID) {
				t.Fatalf("run %q is said to own %s", s.RunID, o)
			}
		}
		refusesAll(t, s)
	})
}

func appendTo(t *testing.T, path string, o Object) {
	t.Helper()
	j, err := Open(path, "fuzz")
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if err := j.Making(o); err != nil {
		t.Fatal(err)
	}
}

// refusesAll sweeps for a run that made nothing. Processes are left out: they
// are known by what runs, not by the journal alone.
func refusesAll(t *testing.T, s State) {
	t.Helper()
	s.RunID = "nobody's"
	var others []Object
	for _, o := range s.Objects {
		if o.Kind != Process {
			others = append(others, o)
		}
	}
	s.Objects = others
	for _, r := range Sweep(context.Background(), s) {
		if r.Err == nil && !strings.Contains(r.Object.Path+r.Object.Name, "nobody's") {
			t.Fatalf("removed %s", r.Object)
		}
	}
}
