package gluster

import (
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/describe/event"
	"plimsoll/internal/describe/event/eventtest"
	"plimsoll/internal/storage/disk"
)

func TestOrderOfEvents(t *testing.T) {
	// Eight bricks, six of them used by volumes: 1 and 5 are on peer 1.
	p := &Parameters{Peers: 4, Bricks: 2, Geometry: "2x3", Disk: small()}
	p.Disk.Tier = &disk.Tier{Size: 1 << 30}
	for _, c := range []struct {
		before, action string
		want           string // "" when it can be done
	}{
		{"", "kill peer 4", ""},
		{"", "kill peer 5", "peer 5 does not exist; the pool has 1 to 4"},
		{"", "kill peer 0", "peer 0 does not exist"},
		{"kill peer 1", "kill peer 1", "already down at that point"},
		{"kill peer 1, restart peer 1", "kill peer 1", ""},
		{"", "restart peer 1", "healthy at that point"},
		{"kill peer 2", "restart peer 1", "healthy at that point"},
		{"kill peer 1", "restart peer 1", ""},
		{"", "cut power", ""},
		{"", "cut power peer 4", ""},
		{"", "cut power peer 5", "peer 5 does not exist"},
		{"kill peer 1", "cut power peer 1", "already down at that point"},
		{"cut power peer 1", "kill peer 1", "already down at that point"},
		{"cut power peer 1", "stop brick 5", "already down at that point"},
		{"cut power peer 1", "restart peer 1", ""},
		{"", "cut power brick 1", "is not a fault"},
		{"kill peer 1, cut power", "restart peer 1", "healthy at that point"},
		{"cut link 1, cut power", "restore link 1", ""},
		{"kill peer 1, restart peer 1", "restart peer 1", "healthy at that point"},
		{"", "stop brick 6", ""},
		{"", "stop brick 7", "brick 7 does not exist; the pool has 1 to 6"},
		{"stop brick 1", "stop brick 1", "already down at that point"},
		{"kill peer 1", "stop brick 5", "already down at that point"},
		{"stop brick 1, stop brick 2, restart brick 2", "stop brick 1", ""}, // one restarts all
		{"stop brick 1, stop brick 2, restart brick 2", "restart brick 1", ""},
		{"stop brick 1", "restart brick 2", "healthy at that point"},
		{"", "lose tier 6", ""},
		{"", "lose tier 7", "tier 7 does not exist; the pool has 1 to 6"},
		{"lose tier 2", "lose tier 2", "already down at that point"},
		{"lose tier 2", "restore tier 2", ""},
		{"lose tier 2", "restore tier 3", "healthy at that point"},
		{"lose tier 2, restore tier 2", "restore tier 2", "healthy at that point"},
		{"lose tier 2", "cut power", "tier 2 is lost at that point"},
		{"lose tier 5", "cut power peer 1", "tier 5 is lost at that point"},
		{"lose tier 5", "cut power peer 2", ""},
		{"lose tier 5, kill peer 1", "restart peer 1", "tier 5 is lost at that point"},
		{"", "cut link 4", ""},
		{"", "restore link 1", "healthy at that point"},
		{"degrade link 1 1mbit", "restore link 1", ""},
		{"cut link 1", "restore link 1", ""},
		{"", "degrade link 1 100mbit", ""},
		{"", "degrade link 1", "has no rate"},
		{"", "degrade link 1 fast", `"fast" is not a rate`},
		{"", "kill brick 1", "is not a fault of a Gluster pool; supported: kill peer N"},
		{"", "kill peer one", "is not a fault"},
		{"", "kill peer 1 2", "is not a fault"},
		{"", "kill", "is not a fault"},
	} {
		t.Run(c.before+" then "+c.action, func(t *testing.T) {
			err := eventtest.Check(Kind{}.Events(p), c.action, strings.Split(c.before, ", "))
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%q is not said: %v", c.want, err)
			}
		})
	}
}

// The power of bricks in directories is this machine's.
func TestCheckPowerCutWithoutDisks(t *testing.T) {
	for _, action := range []string{"cut power", "cut power peer 1"} {
		err := eventtest.Check(Kind{}.Events(&Parameters{Peers: 3, Bricks: 1, Geometry: "replica 3"}), action, nil)
		if err == nil || !strings.Contains(err.Error(), "only simulated disks can lose power") {
			t.Errorf("%s: %v", action, err)
		}
	}
}

func TestWhatEventsDo(t *testing.T) {
	for text, want := range map[string]event.Verb{
		"kill peer 1":            {Breaks: true, Note: event.Crash},
		"stop brick 1":           {Breaks: true},
		"degrade link 1 100mbit": {Breaks: true},
		"restart peer 1":         {Undoes: []string{"kill", "cut power"}},
		"restart brick 2":        {Undoes: []string{"stop"}},
		"restore link 3":         {Undoes: []string{"cut", "degrade"}},
	} {
		e, err := Kind{}.Events(nil).Parse(text)
		if got := e.Verb; err != nil || got.Breaks != want.Breaks || got.Note != want.Note || !slices.Equal(got.Undoes, want.Undoes) {
			t.Errorf("%q means %+v, %v; want %+v", text, got, err, want)
		}
	}
}
