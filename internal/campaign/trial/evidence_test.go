package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/local"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
)

// stopped is a server that ends when it is asked to, unless it refuses.
type stopped struct {
	platform.Process
	refuses error
}

func (p stopped) Stop(context.Context) error { return p.refuses }
func (p stopped) Endpoint() endpoint.Endpoint {
	return endpoint.Endpoint{User: "web", Password: "of the users"}
}

// failed makes a trial with the given number of instances, all of which failed their audit.
func failed(t *testing.T, instances int, refuses error) *trial {
	t.Helper()
	dir := t.TempDir()
	w, err := result.Create(dir, nil, nil, result.Machine{})
	if err != nil {
		t.Fatal(err)
	}
	files, err := w.Trial("ssd/6/1")
	if err != nil {
		t.Fatal(err)
	}
	kept, err := newReceipts(filepath.Join(t.TempDir(), "receipts"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = kept.remove() })
	made := alone(&trial{files: files}, "some")
	made.Dir, made.Platform = dir, &local.Local{}
	m := made.members[0]
	m.receipts, m.Data.Admin = kept, "of the administrator"
	for n := range instances {
		volume := storage.Volume{Path: t.TempDir()}
		write(t, filepath.Join(volume.Path, "table"), fmt.Sprint("rows of ", n))
		if err := kept.add(n, []byte(fmt.Sprint("receipts of ", n))); err != nil {
			t.Fatal(err)
		}
		i := running(made, n, stopped{refuses: refuses}, &volume)
		made.instances, made.suspects = append(made.instances, i), append(made.suspects, i)
	}
	return made
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestEvidenceIsKeptAndNamed(t *testing.T) {
	made := failed(t, 3, nil)
	made.suspects = made.suspects[1:]
	cause := errors.New("the audit failed")
	err := made.keepEvidence(t.Context(), cause)
	if !errors.Is(err, cause) || len(made.result.Evidence) != 2 {
		t.Fatalf("%v; %+v", err, made.result.Evidence)
	}
	for _, e := range made.result.Evidence {
		dir := filepath.Join(made.Dir, e.Path)
		if e.Missing != "" || !strings.Contains(err.Error(), dir) {
			t.Errorf("%+v, but the failure says: %v", e, err)
		}
		for name, want := range map[string]string{
			"volumes/db-0/table": fmt.Sprint("rows of ", e.Instance), "receipts": fmt.Sprint("receipts of ", e.Instance),
			"accounts.json": "of the administrator",
		} {
			if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(text), want) {
				t.Errorf("%s holds %q (%v)", name, text, err)
			}
		}
		for path, want := range map[string]os.FileMode{filepath.Dir(dir): 0o700, dir: 0o700, filepath.Join(dir, "accounts.json"): 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v (%v)", path, info.Mode(), err)
			}
		}
	}
	if found := result.EvidenceDirs(made.Dir); len(found) != 1 {
		t.Errorf("clean finds %v", found)
	}
}

func TestEvidenceOfManyInstancesIsBounded(t *testing.T) {
	made := failed(t, 6, nil)
	err := made.keepEvidence(t.Context(), errors.New("the audit failed"))
	kept := 0
	for _, e := range made.result.Evidence {
		if e.Path != "" {
			kept++
		}
	}
	if kept != maxEvidence || len(made.result.Evidence) != 6 || !strings.Contains(err.Error(), "nothing kept of instance 5") {
		t.Errorf("%d of 6 kept: %v", kept, err)
	}
}

// If evidence cannot be kept, the failure says so next to the cause, and no partial copy is left.
func TestEvidenceThatCannotBeKeptIsTold(t *testing.T) {
	made := failed(t, 1, errors.New("it does not stop"))
	made.instances[0].Servers[0].Mounted()[0].Made.Path = filepath.Join(t.TempDir(), "gone")
	err := made.keepEvidence(t.Context(), errors.New("the audit failed"))
	for _, want := range []string{"the audit failed", "it does not stop", "gone"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in: %v", want, err)
		}
	}
	if _, err := os.Stat(filepath.Join(made.Dir, made.result.Evidence[0].Path, "volumes", "db-0")); err == nil {
		t.Error("half a copy is left")
	}
}

func TestAFailedAuditSaysWhatAndWhere(t *testing.T) {
	good := describe.Audit{Present: 3, Checks: []describe.Check{{Name: "a", Passed: true}}}
	bad := describe.Audit{Instance: 1, Checks: []describe.Check{
		{Name: "a", Passed: true}, {Name: "every order", Expected: 3, Found: 2, Examples: []string{"order 7"}}}}
	if s := summarise([]describe.Audit{good, bad}, 0, describe.Unit{}); s.Passed || s.Text != "instance 1: every order: expected 3, found 2: order 7" {
		t.Errorf("%+v", s)
	}
	reads := describe.Audit{Checks: []describe.Check{{Name: "every row", Passed: true}}}
	if s := summarise([]describe.Audit{reads}, 0, describe.Unit{Plural: "orders"}); !s.Passed || s.Text != "no acknowledged orders to look for, all 1 checks passed" {
		t.Errorf("work that only reads: %+v", s)
	}
	if s := summarise([]describe.Audit{good, {Instance: 1}}, 0, describe.Unit{}); s.Passed || !strings.Contains(s.Text, "instance 1") {
		t.Errorf("an instance that was not asked passes: %+v", s)
	}
}
