package claim_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/conformance/storagetest"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/claim"
	"plimsoll/test/quick"
)

func TestMain(m *testing.M) { storagetest.Main(m, nil) }

func fast() storage.ClaimClass {
	return storage.ClaimClass{
		Name: "fast", Provisioner: "fast.example.com", SnapshotClass: "fast",
		Parameters: map[string]string{"type": "ssd", "csi.storage.k8s.io/fstype": "xfs", "csi.storage.k8s.io/provisioner-secret-name": "secret"},
	}
}

// RunClaims finds the leftovers, since the directories belong to the run.
func TestConformance(t *testing.T) {
	quick.Skip(t, quick.Media)
	for name, cannot := range map[string][2]string{
		"clones": {"", ""}, "snapshots": {"cannot clone volumes", ""}, "neither": {"cannot clone volumes", "no snapshots here"},
	} {
		t.Run(name, func(t *testing.T) {
			fakes := map[string]*storagetest.FakeClaims{} // by run
			var last *storagetest.FakeClaims
			storagetest.RunClaims(t, storagetest.Claims{
				New: func(env storage.Env) (storage.Class, error) {
					if fakes[env.RunID] == nil {
						dir := filepath.Dir(env.Scratch) // which carries the run's name
						fakes[env.RunID] = &storagetest.FakeClaims{Class: fast(), NoClones: cannot[0], NoSnapshots: cannot[1], Dir: dir, Journal: env.Journal}
					}
					last = fakes[env.RunID]
					env.Claims = last
					return claim.Kind{}.New("fast", claim.Kind{}.Defaults(), env)
				},
				Reach: func(_ context.Context, v storage.Volume) (string, error) { return last.Directory(v), nil },
				There: func(_ context.Context, v storage.Volume) bool {
					_, err := os.Stat(last.Directory(v))
					return err == nil
				},
				Sweep: sweep,
			})
		})
	}
}

func sweep(ctx context.Context, env storage.Env) error {
	state, err := journal.Read(filepath.Join(filepath.Dir(env.Scratch), "journal.jsonl"))
	if err != nil || len(state.Objects) == 0 {
		return fmt.Errorf("the journal lists %v, %w", state.Objects, err)
	}
	state.RunID = env.RunID
	for _, r := range journal.Sweep(ctx, state) {
		err = errors.Join(err, r.Err, env.Journal.Removed(r.Object))
	}
	return err
}

func TestValidate(t *testing.T) {
	for want, p := range map[string]claim.Parameters{
		"":              {StorageClass: "gp3.csi-driver", AccessMode: "ReadWriteOncePod", Clone: "snapshot", Size: 1},
		"storage_class": {StorageClass: "Fast One"},
		"size":          {Size: -1},
		"access_mode":   {AccessMode: "ReadOnlyMany"},
		"clone":         {Clone: "rsync"},
	} {
		bad := claim.Kind{}.Validate(&p)
		if (want == "") != (len(bad) == 0) || want != "" && bad[0].Path != want {
			t.Errorf("%+v: %v", p, bad)
		}
	}
}

func up(t *testing.T, p claim.Parameters, f *storagetest.FakeClaims) storage.Class {
	t.Helper()
	f.Dir = t.TempDir()
	class, err := claim.Kind{}.New("study-name", &p, storage.Env{RunID: "r", Claims: f, VolumeBytes: 3 << 30})
	if err != nil {
		t.Fatal(err)
	}
	if err := class.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	return class
}

// The cluster is asked once how it clones, and only where the study leaves it open.
func TestHowItClones(t *testing.T) {
	for _, c := range []struct {
		clone, noClones, noSnapshots, snapshotClass string
		by, whyNot                                  string
		tried                                       int
	}{
		{"auto", "", "", "", "volume clone", "", 1},
		{"auto", "it cannot", "", "snap", "snapshot", "", 2},
		{"auto", "it cannot", "", "", "", "StorageClass fast does not clone claims (it cannot), and the cluster has no class of snapshots for it", 1},
		{"auto", "it cannot", "full", "snap", "", "nor by snapshots (full)", 2},
		{"csi", "it cannot", "", "", "volume clone", "", 0},
		{"snapshot", "", "", "snap", "snapshot", "", 0},
		{"none", "", "", "snap", "", "clone: none", 0},
	} {
		f := &storagetest.FakeClaims{Class: fast(), NoClones: c.noClones, NoSnapshots: c.noSnapshots}
		f.Class.SnapshotClass = c.snapshotClass
		clones := up(t, claim.Parameters{Clone: c.clone}, f).Capabilities().Clones
		for range 2 {
			by, whyNot, err := clones(t.Context())
			if err != nil || by != c.by || !strings.Contains(whyNot, c.whyNot) || (by == "") == (whyNot == "") {
				t.Errorf("%+v: by %q, why not %q, %v", c, by, whyNot, err)
			}
		}
		if f.Tried != c.tried {
			t.Errorf("%+v: tried %d times", c, f.Tried)
		}
	}
	f := &storagetest.FakeClaims{Class: fast()}
	f.Class.SnapshotClass = ""
	if _, _, err := up(t, claim.Parameters{Clone: "snapshot"}, f).Capabilities().Clones(t.Context()); err == nil || !strings.Contains(err.Error(), "clone: auto") {
		t.Errorf("snapshots without a class of them: %v", err)
	}
}

// An interruption is no answer.
func TestAnInterruptedTrialIsNotRemembered(t *testing.T) {
	f := &storagetest.FakeClaims{Class: fast()}
	clones := up(t, claim.Parameters{Clone: "auto"}, f).Capabilities().Clones
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := clones(ctx); err == nil {
		t.Error("an interrupted trial has an answer")
	}
	if by, _, err := clones(t.Context()); by == "" || err != nil {
		t.Errorf("afterwards: by %q, %v", by, err)
	}
}

func TestDescribe(t *testing.T) {
	f := &storagetest.FakeClaims{Class: fast()}
	d := up(t, claim.Parameters{}, f).Describe()
	if d.Media != "ssd" || d.MediaKind != "ssd" || d.FileSystem != "xfs" || d.Simulated || len(d.Notes) > 0 || d.Options["provisioner"] != "fast.example.com" {
		t.Errorf("%+v", d)
	}
	for key, value := range d.Options {
		if strings.Contains(key+value, "secret") {
			t.Errorf("where the driver's secrets are is in the result: %s: %s", key, value)
		}
	}
	if d.Options["size"] != "3221225472" || !strings.Contains(d.Text, "StorageClass fast (fast.example.com), 3 GiB each, bound at once") {
		t.Errorf("size: %s", d.Text)
	}
	f.Class.Simulated, f.Class.Media, f.Class.Retains, f.Class.Waits = true, "hdd-7200", true, true
	d = up(t, claim.Parameters{Size: 1 << 30}, f).Describe()
	if !d.Simulated || d.MediaKind != "hdd" || len(d.Notes) != 1 || !strings.Contains(d.Text, "1 GiB each, bound when") {
		t.Errorf("%+v", d)
	}
	if d = up(t, claim.Parameters{Media: "nvme", Protection: "replica 3"}, f).Describe(); d.Media != "nvme" || d.Protection != "replica 3" {
		t.Errorf("what the study says does not count: %+v", d)
	}
}

func TestUpSaysWhatIsMissing(t *testing.T) {
	for want, env := range map[string]storage.Env{
		"--platform kubernetes":             {},
		"no StorageClass gold; it has fast": {Claims: &storagetest.FakeClaims{Class: fast()}},
	} {
		class, err := claim.Kind{}.New("x", &claim.Parameters{StorageClass: "gold"}, env)
		if err != nil {
			t.Fatal(err)
		}
		if err := class.Up(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v", err)
		}
	}
}

// Only claims that several nodes may mount are shared by servers, wherever these run.
func TestClaimsAreSharedWhereTheirModeAllowsIt(t *testing.T) {
	for mode, shared := range map[string]bool{"ReadWriteOnce": false, "ReadWriteOncePod": false, "ReadWriteMany": true} {
		if err := (claim.Kind{}).CheckShared(&claim.Parameters{AccessMode: mode}); (err == nil) != shared {
			t.Errorf("%s: %v", mode, err)
		}
	}
}
