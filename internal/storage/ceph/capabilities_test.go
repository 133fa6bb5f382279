package ceph

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/describe/capability"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/s3"
)

// What wraps another class forwards what that can do, or puts its own in its place.
func TestCapabilitiesOfExistingClusters(t *testing.T) {
	buckets, err := s3.Kind{}.New("store", &s3.Parameters{URLs: []string{"http://store.example:9000"}, AccessKeyEnv: "A", SecretKeyEnv: "S", Region: "r", Addressing: s3.Path}, storage.Env{RunID: "r"})
	if err != nil {
		t.Fatal(err)
	}
	of := &BorrowedCluster{clients: &clients{}, e: &ExistingCluster{}}
	of.command = func(context.Context, ...string) *exec.Cmd { return exec.Command("false") }
	all := capability.Of(Kind{}.Capabilities().Class)
	for name, class := range map[string]storage.Class{"images": of, "buckets": &borrowedStore{Class: buckets, cluster: of}, "own": &Pool{}} {
		can := class.Capabilities()
		for _, one := range capability.Of(can) {
			if !slices.Contains(all, one) {
				t.Errorf("%s: the kind does not list %q", name, one)
			}
		}
		if can.CheckCopies != nil || can.TierWork != nil || (can.Clones != nil) != (name == "buckets") || (can.Remount != nil) != (name != "buckets") {
			t.Errorf("%s can %q", name, capability.Of(can))
		}
		if name == "own" {
			continue
		}
		if doubts := can.Doubts(t.Context()); len(doubts) != 1 || !strings.Contains(doubts[0].Said.Text, "the existing Ceph cluster did not answer") {
			t.Errorf("%s: doubts are the cluster's, got %v", name, doubts)
		}
	}
}
