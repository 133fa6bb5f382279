package instance

import (
	"context"
	"maps"
	"testing"
	"time"

	"plimsoll/internal/storage"
	"plimsoll/internal/study"
)

// server is one with volumes that are made.
func server(by filler, volumes ...storage.Volume) *Server {
	s := &Server{by: by}
	for n := range volumes {
		s.ownVolumes = append(s.ownVolumes, &Volume{Made: &volumes[n]})
	}
	return s
}

// A server without a volume runs on the node that its instance shares with its storage.
func TestServersWithoutAVolumeShareTheNode(t *testing.T) {
	node := map[string]string{"cpu": "/node1"}
	db, web := server(startedServers{}, storage.Volume{Path: "/data", Cgroups: node}), server(startedServers{})
	i := &Instance{Servers: []*Server{db, web}}
	db.i, web.i = i, i
	if v := web.home(); v.Path != "" || !maps.Equal(v.Cgroups, node) {
		t.Errorf("it runs on %+v", v)
	}
	if v := db.home(); v.Path != "/data" {
		t.Errorf("the database runs on %+v", v)
	}
}

// A task finds the volumes that its users reach by path; what servers keep is
// theirs.
func TestTasksFindTheVolumesThatUsersReach(t *testing.T) {
	i := &Instance{Servers: []*Server{
		server(bareVolumes{}, storage.Volume{Path: "/files"}), server(startedServers{}, storage.Volume{Path: "/database"}), server(borrowedServers{}),
	}}
	if got := i.Volumes(); len(got) != 1 || got[0].Path != "/files" {
		t.Errorf("volumes %v", got)
	}
}

// Only a study that cuts the power has media keep what a cut would undo.
func TestWhoCutsThePower(t *testing.T) {
	for _, c := range []struct {
		study study.Study
		want  bool
	}{
		{study.Study{}, false},
		{study.Study{Faults: []study.Event{{Do: "kill peer 1"}, {Do: "cut link 1"}}}, false},
		{study.Study{Faults: []study.Event{{Do: "kill peer 1"}, {Do: "cut power"}}}, true},
		{study.Study{Faults: []study.Event{{Do: "cut power peer 1"}}}, true},
		{study.Study{Phases: study.Phases{End: study.CutPower}}, true},
	} {
		if got := cutsPower(&c.study); got != c.want {
			t.Errorf("%+v: %v", c.study.Faults, got)
		}
	}
}

// The second interrupt cuts the sweep short, too.
func TestSweepEndsWithPatience(t *testing.T) {
	patience, end := context.WithCancel(t.Context())
	ctx, cancel := Clock{Patience: patience}.Outlasting(t.Context(), time.Second)
	defer cancel()
	if ctx.Err() != nil {
		t.Fatal("cancelled before patience has ended")
	}
	end()
	select {
	case <-ctx.Done():
	case <-time.After(time.Minute):
		t.Error("the sweep goes on although nobody waits for it")
	}
}
