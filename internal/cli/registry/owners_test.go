package registry_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"plimsoll/internal/campaign/giveback"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/study/plan"
)

// A kind has one owner, which says what a person does where nothing else can.
func TestEveryKindHasOneOwner(t *testing.T) {
	owners := giveback.Owners(registry.Parts(), nil)
	kinds := owners.Kinds()
	slices.Sort(kinds)
	if len(slices.Compact(slices.Clone(kinds))) != len(kinds) {
		t.Errorf("a kind has two owners: %q", kinds)
	}
	for _, owner := range owners {
		for _, k := range owner.Kinds {
			o := journal.Object{Kind: k, Name: "theirs; reboot", Path: "there; reboot"}
			if by := owner.ByHand("run", o); by == "" || strings.Contains(strings.ReplaceAll(strings.ReplaceAll(by, "'theirs; reboot'", ""), "'there; reboot'", ""), "reboot") {
				t.Errorf("%s: by hand: %s", k, by)
			}
		}
	}
}

// old are objects as earlier versions wrote them, and which are named where no register has
// them.
var old = []struct {
	line  string
	named bool
}{
	{`{"kind":"process","name":"db","pid":4194304,"start_time":1}`, false},
	{`{"kind":"mount","name":"pool","path":"/x/plimsoll-old-abcdefgh/mount"}`, false},
	{`{"kind":"loop","path":"/x/plimsoll-old-abcdefgh/block"}`, false},
	{`{"kind":"cgroup","path":"/sys/fs/cgroup/plimsoll-old-abcdefgh"}`, false},
	{`{"kind":"netns","name":"plimsoll-old-abcdefgh.net"}`, false},
	{`{"kind":"directory","path":"/x/plimsoll-old-abcdefgh"}`, false},
	{`{"kind":"database","name":"\"shop\" at s:1 of user \"me\" (postgres)"}`, true},
	{`{"kind":"bucket","name":"plimsoll-abc","path":"http://s:1"}`, false},
	{`{"kind":"image","name":"pool/plimsoll-old-abcdefgh.one","path":"/etc/ceph.conf"}`, false},
	{`{"kind":"subvolume","name":"fs/plimsoll-old-abcdefgh.one","path":"/etc/ceph.conf"}`, false},
	{`{"kind":"store user","name":"plimsoll-old-abcdefgh.pool","path":"/etc/ceph.conf"}`, false},
	{`{"kind":"cluster namespace","name":"plimsoll-old-abcdefgh","path":"theirs","config":"/x/kubeconfig"}`, true},
	{`{"kind":"cluster objects","name":"theirs","path":"theirs"}`, true},
	{`{"kind":"cordoned node","name":"node1","path":"theirs"}`, true},
}

// The journal and the register of an earlier version are read as they are: each kind has its
// owner, whose objects are known again when they are removed.
func TestAJournalOfAnEarlierVersion(t *testing.T) {
	t.Setenv("PLIMSOLL_STATE", t.TempDir())
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	text := `{"act":"note","event":"run-started","detail":{"run":"old-abcdefgh","machine":"` + journal.MachineID() + `","uid":"` + strconv.Itoa(os.Geteuid()) + `","version":"0.1"}}` + "\n"
	named := 0
	for _, o := range old {
		text += `{"at":"2026-11-20T00:00:00Z","act":"making","object":` + o.line + "}\n"
		if o.named {
			named++
		}
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	state := read(t, path)
	owners := giveback.Owners(registry.Parts(), func() (*plan.Plan, error) { return nil, errors.New("there is no plan") })
	done := owners.Sweep(t.Context(), state, journal.ByClean)
	if len(state.Unregistered) != len(old) || len(done) != named {
		t.Errorf("%d of %d are read, %d of %d are named: %v", len(state.Unregistered), len(old), len(done), named, done)
	}
	for _, r := range done {
		if r.Err == nil || !strings.Contains(r.Err.Error(), "if it is yours: ") {
			t.Errorf("%s: %v", r.Object, r.Err)
		}
	}
	j, err := journal.Open(path, state.RunID)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range state.Unregistered {
		if !slices.Contains(owners.Kinds(), o.Kind) {
			t.Errorf("nobody owns %s", o)
		}
		if err := j.Making(o); err != nil {
			t.Fatal(err)
		}
	}
	if state = read(t, path); len(state.Objects) != len(old) || len(state.Unregistered) > 0 {
		t.Errorf("registered are %v, others %v", state.Objects, state.Unregistered)
	}
	for _, o := range state.Objects {
		if err := j.Removed(o); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if state = read(t, path); len(state.Objects)+len(state.Unregistered) > 0 {
		t.Errorf("left are %v and %v", state.Objects, state.Unregistered)
	}
}

func read(t *testing.T, path string) journal.State {
	t.Helper()
	s, err := journal.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
