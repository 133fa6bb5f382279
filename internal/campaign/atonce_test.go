package campaign_test

import (
	"sync"
	"testing"
	"time"

	"plimsoll/internal/campaign/campaigntest"
	"plimsoll/internal/campaign/progress"
	"plimsoll/internal/study"
	"plimsoll/test/quick"
)

// crowd counts the calls of a method that are under way. Each call takes a while.
type crowd struct {
	takes int // more are refused for now; 0 is no limit

	mu             sync.Mutex
	underWay, most int
}

func (c *crowd) call(r *runs) {
	for !c.enter() {
		r.Refused.Add(1)
		time.Sleep(time.Second)
	}
	time.Sleep(10 * time.Second)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.underWay--
}

func (c *crowd) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.takes > 0 && c.underWay >= c.takes {
		return false
	}
	c.underWay++
	c.most = max(c.most, c.underWay)
	return true
}

// TestStartsAtOnce has a platform with so many machines start 100 instances.
func TestStartsAtOnce(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for _, c := range []struct {
		name        string
		nodes       int
		takes       int // starts at once; more are refused for now
		least, most int // of starts that were under way at once
	}{
		{"one machine that everything shares", 0, 0, 8, 8},
		{"a cluster that takes many", 40, 0, 16, 100},
		{"a cluster that takes some", 40, 12, 8, 12},
		{"a cluster that takes few", 40, 2, 1, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := campaigntest.Plan([]study.Variant{campaigntest.Variant("a", campaigntest.Parameters{})}, []int{100}, 1)
			inTime(t, p, func(r *runs) {
				r.Nodes = c.nodes
				starts, clones := &crowd{takes: c.takes}, &crowd{}
				r.SetOn(func(call campaigntest.Call) error {
					switch call.Method {
					case "Start":
						starts.call(r)
					case "Class.Clone":
						clones.call(r)
					}
					return nil
				})
				all := r.finishes()
				if starts.most < c.least || starts.most > c.most {
					t.Errorf("at most %d were started at once, want %d to %d", starts.most, c.least, c.most)
				}
				if did := all[0].Provisioned; did == nil || did.AtOnce < clones.most || did.AtOnce > 2*clones.most { // one that ends is counted a moment longer
					t.Errorf("at most %d were cloned at once, and the result says %+v", clones.most, did)
				}
			})
		})
	}
}

// TestProgressOfStarts is what a watcher sees of a long stage.
func TestProgressOfStarts(t *testing.T) {
	p := campaigntest.Plan([]study.Variant{campaigntest.Variant("a", campaigntest.Parameters{})}, []int{80}, 1)
	inTime(t, p, func(r *runs) {
		starts := &crowd{}
		r.SetOn(func(call campaigntest.Call) error {
			if call.Method == "Start" {
				starts.call(r)
			}
			return nil
		})
		var mu sync.Mutex
		left := map[int]time.Duration{}
		r.options.Progress = func(e progress.Event) {
			mu.Lock()
			defer mu.Unlock()
			if e.Text == "start instances" && e.CountOf == 80 {
				left[e.Count] = e.StageLeft
			}
		}
		r.finishes()
		// Eight at a time take 10 s: of 80, 40 are done after 50 s.
		if len(left) != 80 || left[40] < 30*time.Second || left[40] > 70*time.Second || left[80] != 0 {
			t.Errorf("the time left by what is done: %v", left)
		}
	})
}
