package kubernetes_test

import (
	"context"
	"strings"
	"testing"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/kubernetes"
)

// sweep removes what a run left, as the kind's owners do.
func sweep(ctx context.Context, k platform.Kind, s journal.State) []journal.Removal {
	return k.(journal.Leaver).Leaves().Sweep(ctx, s, journal.AtEnd)
}

// Nobody goes to a cluster that only a run directory names: the commands for it are said, in
// which its names are words and nothing else.
func TestObjectsThatNoRegisterHasAreNamedWithCommands(t *testing.T) {
	s := journal.State{RunID: "received-abcdefgh"}
	wants := map[journal.Kind]string{
		"cluster namespace": "kubectl --context 'their $(context)' delete namespace 'x;reboot'",
		"cluster objects":   "kubectl --context 'their $(context)' --namespace 'x;reboot' delete pods,services,secrets,pvc,volumesnapshots -l plimsoll.io/run=received-abcdefgh",
		"cordoned node":     "kubectl --context 'their $(context)' uncordon 'x;reboot'",
	}
	for kind := range wants {
		s.Unregistered = append(s.Unregistered, journal.Object{Kind: kind, Name: "x;reboot", Path: "their $(context)", Config: "/no/such/kubeconfig"})
	}
	done := sweep(t.Context(), kubernetes.Kind{}, s)
	if len(done) != len(wants) {
		t.Fatalf("%v", done)
	}
	for _, r := range done {
		if r.Err == nil || !strings.HasSuffix(r.Err.Error(), "if it is yours: "+wants[r.Object.Kind]) {
			t.Errorf("%s: %v", r.Object, r.Err)
		}
	}
}

// The objects of an adopted run are in the plan's cluster, whatever its journal says.
func TestAnAdoptedObjectIsInThePlansCluster(t *testing.T) {
	theirs := journal.Object{Kind: "cluster namespace", Name: "x", Path: "context", Config: "/received/kubeconfig"}
	for mine, p := range map[string]*kubernetes.Parameters{"": {}, "/own/kubeconfig": {Kubeconfig: "/own/kubeconfig"}} {
		want := theirs
		want.Config = mine
		if got, ok := (kubernetes.Kind{}).Bind(p).(journal.Leaver).Leaves().Adopt(theirs); !ok || got != want {
			t.Errorf("%q: %+v, %t", mine, got, ok)
		}
	}
	here := journal.Object{Kind: journal.Directory, Path: "/home"}
	if got, ok := (kubernetes.Kind{}).Leaves().Adopt(here); ok {
		t.Errorf("%+v", got)
	}
}
