package journal

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// inCluster is an object of a run in a cluster, as its platform registers it.
var inCluster = Object{Kind: "cluster namespace", Name: "x", Path: "context", Config: "/own/kubeconfig"}

// cluster owns it, and counts what it is asked to remove.
func cluster(swept *[]Object) Owners {
	return Owners{{
		Kinds:   []Kind{inCluster.Kind},
		Present: func(string, Object) bool { return true },
		ByHand:  func(_ string, o Object) string { return "kubectl --context " + o.Path + " delete namespace " + o.Name },
		Sweep: Each(func(_ context.Context, _ string, o Object) Removal {
			*swept = append(*swept, o)
			return Removal{Found: true}
		}),
	}}
}

// Cluster objects in a run directory's list are ignored unless this user's register has
// them, and the register's configuration is used.
func TestAClusterIsThatOfTheRegister(t *testing.T) {
	var swept []Object
	owners := cluster(&swept)
	done := owners.Sweep(t.Context(), state(t, forge(t, testID("received"), inCluster)), ByClean)
	if len(done) != 1 || done[0].Err == nil || !strings.Contains(done[0].Err.Error(), "kubectl --context context delete namespace x") || len(swept) > 0 {
		t.Errorf("of a received run: %v, swept %v", done, swept)
	}
	if s := state(t, forge(t, testID("received"), inCluster)); len(s.Objects) > 0 || len(s.Unregistered) != 1 || s.Registered {
		t.Errorf("of a received run: objects %v, registered %v", s.Objects, s.Registered)
	}
	j, path := open(t)
	if err := j.Making(inCluster); err != nil {
		t.Fatal(err)
	}
	// Another file in the journal, which whoever can write there may have put in.
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	forged := strings.ReplaceAll(string(text), inCluster.Config, "runs/received/kubeconfig")
	if err := os.WriteFile(path, []byte(forged), 0o600); err != nil {
		t.Fatal(err)
	}
	s := state(t, path)
	if len(s.Objects) != 1 || s.Objects[0] != inCluster || len(s.Unregistered) > 0 || !s.Registered {
		t.Errorf("of an own run: objects %v, others %v, registered %v", s.Objects, s.Unregistered, s.Registered)
	}
	if done := owners.Sweep(t.Context(), s, AtEnd); len(done) != 1 || done[0].Err != nil || len(swept) != 1 || swept[0] != inCluster {
		t.Errorf("of an own run: %v, swept %v", done, swept)
	}
}

// A run that was begun here may go on here as long as its directory is there, moved or
// not; a copy may not.
func TestARunIsKnownAsLongAsItsDirectoryIsThere(t *testing.T) {
	j, path := open(t) // which begins the run
	if err := j.Making(Object{Kind: Directory, Path: "/x/" + Name(j.RunID)}); err != nil {
		t.Fatal(err)
	}
	file := j.register.path
	if err := errorsOf(j.Removed(Object{Kind: Directory, Path: "/x/" + Name(j.RunID)}), j.Close()); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || strings.Count(string(text), "\n") != 2 {
		t.Errorf("the register of an ended run: %s, %v", text, err)
	}
	dir := filepath.Dir(path)
	copied, moved := t.TempDir(), filepath.Join(t.TempDir(), "moved")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if state(t, filepath.Join(copied, "journal.jsonl")).Registered {
		t.Error("a copy is taken for the run")
	}
	if !state(t, path).Registered {
		t.Error("the run is not known")
	}
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	if s := state(t, filepath.Join(moved, "journal.jsonl")); !s.Registered {
		t.Error("moved, the run is not known")
	}
	if err := os.RemoveAll(moved); err != nil {
		t.Fatal(err)
	}
	Orphans()
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the register of a run whose directory is gone: %v", err)
	}
}
