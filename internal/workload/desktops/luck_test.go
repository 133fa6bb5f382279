package desktops

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/describe/errorclass"
	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/driver"
	"plimsoll/internal/workload/fileio"
	"plimsoll/internal/workload/mix"
)

// room is one session on a volume of its own.
type room struct {
	p        *Parameters
	target   workload.Target
	dir      string
	session  *session
	receipts [][]byte
	seen     map[string]int // operations that ended well
	limit    int            // actions that are left
	due      time.Time      // of the next ones
}

// enter prepares a volume in a directory and opens a session that does one verb.
func enter(t *testing.T, dir, verb string) *room {
	t.Helper()
	p := defaults()
	p.Mix = mix.Verbs{{Verb: verb, Weight: 1}}
	p.Documents, p.Document, p.Settings, p.System, p.Large, p.Start = 3, 12<<10, 5, 128<<10, 300<<10, nothing
	r := &room{p: p, dir: dir, seen: map[string]int{}}
	r.target = workload.Target{Users: 1, Endpoints: []endpoint.Endpoint{endpoint.OfDirectory(fileio.VolumeRole, dir)}}
	if err := (Workload{}).Prepare(t.Context(), r.target, p, 1, func(float64) {}); err != nil {
		t.Fatal(err)
	}
	r.open(t)
	return r
}

func (r *room) open(t *testing.T) {
	t.Helper()
	s, err := Workload{}.Open(t.Context(), r.target, r.p, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // of a volume that may be gone
	s.(workload.PacedSession).Pace(r)
	r.session = s.(*session)
}

// Next implements workload.Pace.
func (r *room) Next() (time.Time, bool) {
	r.limit--
	return r.due, r.limit >= 0
}

// Observe, Moved, Spent and Receipt implement workload.Recorder.
func (r *room) Observe(operation int, _ time.Time, _ time.Duration, outcome workload.Outcome) {
	if outcome == workload.Done {
		r.seen[r.p.operations()[operation]]++
	}
}
func (*room) Moved(int, int64)           {}
func (*room) Spent(int, describe.Effort) {}
func (r *room) Receipt(text []byte)      { r.receipts = append(r.receipts, bytes.Clone(text)) }

// actions does so many and gives the classes of those that failed.
func (r *room) actions(t *testing.T, n int) (classes []string) {
	t.Helper()
	for r.limit = n; r.limit > 0 || r.session.Waits; {
		if err := r.session.Do(t.Context(), r); err != nil {
			t.Log(err)
			classes = append(classes, driver.Classify(err))
		}
	}
	return classes
}

// end ends the work and gives the audit and the checks that fail.
func (r *room) end(t *testing.T) (a describe.Audit, failed []string) {
	t.Helper()
	r.limit = 0
	if err := r.session.Do(t.Context(), r); !errors.Is(err, workload.ErrFinished) {
		t.Fatal(err)
	}
	return r.audit(t, r.receipts)
}

func (r *room) audit(t *testing.T, receipts [][]byte) (a describe.Audit, failed []string) {
	t.Helper()
	a, err := Workload{}.Audit(t.Context(), r.target, r.p, 1, func(yield func([]byte) bool) error {
		for _, one := range receipts {
			if !yield(one) {
				break
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range a.Checks {
		if !c.Passed {
			t.Logf("%s: expected %d, found %d: %q", c.Name, c.Expected, c.Found, c.Examples)
			failed = append(failed, c.Name)
		}
	}
	return a, failed
}

// path returns the path of a file of the session.
func (r *room) path(parts ...string) string {
	return filepath.Join(append([]string{r.dir, homeOf(0)}, parts...)...)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Another program changes the files: what meets that says so, and the audit finds it, too.
func TestMeddling(t *testing.T) {
	scribble := func(path string, at int64) error {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteAt([]byte("scribble"), at)
		return errors.Join(err, f.Close())
	}
	for _, c := range []struct {
		name, verb string
		meddle     func(r *room) error
		class      string // of the errors in the actions after; empty is none
		failed     string
	}{
		{"deletes a document", search, func(r *room) error { return os.Remove(r.path(documents, "1")) }, fileio.Missing, checkDocuments},
		{"deletes a document", browse, func(r *room) error { return os.Remove(r.path(documents, "1")) }, fileio.Missing, checkDocuments},
		{"truncates a document", browse, func(r *room) error { return os.Truncate(r.path(documents, "1"), 4096) }, fileio.WrongSize, checkDocuments},
		{"truncates a document", pack, func(r *room) error { return os.Truncate(r.path(documents, "1"), 4096) }, fileio.ShortIO, checkDocuments},
		{"appends to a document", browse, func(r *room) error { return os.Truncate(r.path(documents, "1"), 16<<10) }, fileio.WrongSize, checkDocuments},
		{"scribbles into a document", search, func(r *room) error { return scribble(r.path(documents, "1"), 5000) }, blockcheck.Corrupt, checkDocuments},
		{"puts a document in the place of another", search, func(r *room) error { return os.Rename(r.path(documents, "0"), r.path(documents, "1")) }, "", checkDocuments},
		{"makes a file", browse, func(r *room) error { return os.WriteFile(r.path(documents, "01"), nil, 0o600) }, blockcheck.Foreign, checkNames},
		{"leaves an unfinished file", browse, func(r *room) error { return os.WriteFile(r.path(documents, "1.new"), nil, 0o600) }, blockcheck.Foreign, checkNames},
		{"adds a file to the settings", browse, func(r *room) error { return os.WriteFile(r.path(settings, "5"), nil, 0o600) }, "", checkNames},
		{"makes an archive", browse, func(r *room) error { return os.WriteFile(r.path("archive"), nil, 0o600) }, "", checkNames},
		{"scribbles into the large file", duplicate, func(r *room) error { return scribble(r.path("large"), 100_000) }, blockcheck.Corrupt, checkUnchanged},
		{"scribbles into settings", browse, func(r *room) error { return scribble(r.path(settings, "2"), 99) }, "", checkDocuments},
	} {
		t.Run(c.name+", "+c.verb, func(t *testing.T) {
			r := enter(t, t.TempDir(), c.verb)
			if classes := r.actions(t, 2); len(classes) > 0 {
				t.Fatal(classes)
			}
			must(t, c.meddle(r))
			if classes := r.actions(t, 2); c.class != "" && !slices.Contains(classes, c.class) {
				t.Errorf("errors of classes %q, want %q", classes, c.class)
			}
			if _, failed := r.end(t); !slices.Contains(failed, c.failed) {
				t.Errorf("%q failed, want %q", failed, c.failed)
			}
		})
	}
}

// What was made is changed afterwards, which only the audit can see.
func TestOutputsThatChange(t *testing.T) {
	for which, verb := range storage.verbs {
		for name, change := range map[string]func(path string) error{
			"gone":    os.Remove,
			"shorter": func(path string) error { return os.Truncate(path, 8192) },
			"another": func(path string) error { return os.WriteFile(path, make([]byte, 300<<10), 0o600) },
		} {
			t.Run(verb+" "+name, func(t *testing.T) {
				r := enter(t, t.TempDir(), verb)
				if classes := r.actions(t, 2); len(classes) > 0 {
					t.Fatal(classes)
				}
				must(t, change(r.path(outputs[which])))
				if a, failed := r.end(t); !slices.Equal(failed, []string{checkOutputs}) || a.Acknowledged != 2 || a.Present != 0 {
					t.Errorf("%q failed; %+v", failed, a)
				}
			})
		}
	}
}

// Archives and compressed files are such as other programs read.
func TestOutputsAreReadable(t *testing.T) {
	r := enter(t, t.TempDir(), pack)
	r.actions(t, 1)
	r.p.Mix = mix.Verbs{{Verb: compress, Weight: 1}}
	r.actions(t, 1)
	packed, err := os.Open(r.path("archive"))
	must(t, err)
	defer packed.Close()
	names := 0
	for in := tar.NewReader(packed); ; names++ {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		got, err := io.ReadAll(in)
		must(t, err)
		if want, err := os.ReadFile(r.path(filepath.FromSlash(h.Name))); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs: %v", h.Name, err)
		}
	}
	if names != int(r.p.Documents) {
		t.Errorf("the archive has %d documents", names)
	}
	small, err := os.Open(r.path("compressed"))
	must(t, err)
	defer small.Close()
	z, err := gzip.NewReader(small)
	must(t, err)
	got, err := io.ReadAll(z)
	must(t, err)
	if want, err := os.ReadFile(r.path("large")); err != nil || !bytes.Equal(got, want) {
		t.Errorf("what was compressed differs: %v", err)
	}
}

// The medium reverts to its state before an edit, a saving or a copy that was acknowledged.
func TestLostChanges(t *testing.T) {
	for _, verb := range []string{edit, save, duplicate} {
		t.Run(verb, func(t *testing.T) {
			dir := t.TempDir()
			r := enter(t, dir, verb)
			before := filepath.Join(t.TempDir(), "before")
			must(t, os.CopyFS(before, os.DirFS(dir)))
			r.actions(t, 4)
			must(t, os.RemoveAll(filepath.Join(dir, top)))
			must(t, os.CopyFS(dir+"/"+top, os.DirFS(filepath.Join(before, top))))
			a, failed := r.end(t)
			if len(failed) == 0 || a.Acknowledged == 0 || a.Present >= a.Acknowledged {
				t.Errorf("%+v", a)
			}
		})
	}
}

// A session begins with its start actions, and repeats them after it was away.
func TestStarts(t *testing.T) {
	r := enter(t, t.TempDir(), open)
	r.p.Start = boot
	r.open(t)
	r.actions(t, 3)
	if want := map[string]int{"action": 3, "start": 2, boot: 1, login: 1, "interactive": 1, open: 1}; !equal(r.seen, want) {
		t.Errorf("%v, want %v", r.seen, want)
	}
	r.session.p.Away = 1e6
	r.due = r.session.ended.Add(r.session.p.Away.D())
	r.actions(t, 1)
	r.due = time.Time{}
	r.actions(t, 2)
	if want := map[string]int{"action": 6, "start": 4, boot: 2, login: 2, "interactive": 2, open: 2}; !equal(r.seen, want) {
		t.Errorf("%v, want %v", r.seen, want)
	}
	if a, failed := r.end(t); len(failed) > 0 || a.Acknowledged == 0 {
		t.Errorf("%+v", a)
	}
}

func equal(a, b map[string]int) bool {
	for name := range b {
		if a[name] != b[name] {
			return false
		}
	}
	return len(a) == len(b)
}

// A document that could not be saved is as before, and one whose saving is in doubt is saved
// anew before it is used.
func TestDoubt(t *testing.T) {
	dir := workloadtest.Tmpfs(t, 4<<20)
	r := enter(t, dir, save)
	r.actions(t, 5)
	full := filepath.Join(dir, "full")
	f, err := os.Create(full)
	must(t, err)
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	must(t, f.Close())
	if classes := r.actions(t, 2); !slices.Equal(classes, []string{errorclass.OutOfSpace, errorclass.OutOfSpace}) {
		t.Errorf("errors of classes %q", classes)
	}
	must(t, os.Remove(full))
	r.session.files[1].doubt = true
	r.session.files[2].doubt = true
	a, failed := r.audit(t, r.session.ledger.receipts(r.session.volume, 0))
	if len(failed) > 0 || a.Doubtful != 2 {
		t.Errorf("%+v", a)
	}
	r.p.Mix = mix.Verbs{{Verb: search, Weight: 1}}
	if classes := r.actions(t, 1); len(classes) > 0 {
		t.Error(classes)
	}
	if a, failed := r.end(t); len(failed) > 0 || a.Doubtful != 0 || a.Acknowledged == 0 || a.Present != a.Acknowledged {
		t.Errorf("%+v", a)
	}
}

// Receipts that are missing, there twice, or of something else.
func TestReceipts(t *testing.T) {
	r := enter(t, t.TempDir(), edit)
	r.actions(t, 6)
	r.end(t)
	last := len(r.receipts) - 1
	for name, receipts := range map[string][][]byte{
		"none": nil, "without the head": r.receipts[:last], "without one of a file": r.receipts[1:],
		"one twice": append(slices.Clone(r.receipts), r.receipts[0]), "all twice": append(slices.Clone(r.receipts), r.receipts...),
	} {
		if _, failed := r.audit(t, receipts); !slices.Contains(failed, checkAccounted) {
			t.Errorf("%s: %q failed", name, failed)
		}
	}
	k := newKnown(r.p, r.session.volume, 1)
	for _, text := range [][]byte{nil, []byte("?"), bytes.Repeat([]byte{255}, 40), r.receipts[0][:len(r.receipts[0])-1], []byte(strings.Repeat("\x01", 20))} {
		if err := k.add(text); !errors.Is(err, workload.ErrReceipt) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
