package campaign_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/analysis/next"
	"plimsoll/internal/campaign/campaigntest"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/test/quick"
)

// searchPlan searches up to 16 instances for a line.
func searchPlan() *plan.Plan {
	p := campaigntest.Plan([]study.Variant{campaigntest.Variant("a", campaigntest.Parameters{})}, []int{1}, 1)
	p.Study.Ladder = study.Ladder{Auto: true, From: 1, To: 16, Precision: 1, Budget: 16}
	p.Study.Objectives = []study.Objective{{Metric: "mean", Limit: 1000, Text: "mean <= 1000s"}}
	return p
}

// tooMany fails what concerns the sixth instance: the line is at five.
func tooMany(c campaigntest.Call) error {
	if c.Method == "Start" && strings.Contains(c.Name, "-005") {
		return errors.New("no more than five fit")
	}
	return nil
}

// orders lists what a search measured, with all that makes a trial the same.
func orders(trials []*result.Trial) (all []string) {
	for _, t := range trials {
		all = append(all, fmt.Sprintf("%02d %s seed %d %s", t.Position, t.ID, t.Seed, t.Status))
	}
	slices.Sort(all)
	return all
}

// searchWith goes on until the campaign ends, with a crash at each of the calls.
func searchWith(t *testing.T, crashes ...int) (trials []string, crashed int) {
	home := campaigntest.TempDir(t)
	campaigntest.Bubble(t, func(t *testing.T) {
		r := newRun(t, home, searchPlan())
		for _, at := range append(crashes, 0) {
			p := searchPlan() // as it is read from plan.json
			r.options.Plan, r.options.Next = p, next.Search(p)
			before := len(r.Calls(""))
			r.SetOn(func(c campaigntest.Call) error {
				if at > 0 && c.Number-before == at {
					defer r.cancel()
					return r.Crash(filepath.Join(r.home, "copies"), r.options.Dir, r.options.Scratch)
				}
				return tooMany(c)
			})
			down, err := r.run()
			r.SetOn(nil)
			if down {
				crashed++
			} else if err != nil {
				t.Fatal(err)
			}
			if err := r.clear(); err != nil {
				t.Fatal(err)
			}
		}
		trials = orders(r.trials())
	})
	return trials, crashed
}

// A search that is killed goes on as the one would have that was not.
func TestSearchGoesOnAfterACrash(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	whole, _ := searchWith(t)
	if len(whole) < 4 || !slices.ContainsFunc(whole, func(s string) bool { return strings.Contains(s, "a/5/1") && strings.HasSuffix(s, "passed") }) ||
		!slices.ContainsFunc(whole, func(s string) bool { return strings.Contains(s, "a/6/1") && strings.HasSuffix(s, "failed") }) {
		t.Fatalf("the search does not find the line at five: %v", whole)
	}
	for _, crashes := range [][]int{{60}, {150}, {300}, {150, 150}, {250, 60, 20}} {
		got, n := searchWith(t, crashes...)
		if n == 0 || !slices.Equal(got, whole) {
			t.Errorf("%d crashes at %v: %v, without %v", n, crashes, got, whole)
		}
	}
}
