package sizing

import (
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/study"
)

// training is a run in which a drive fed so many accelerators, and a resource of a kind gave out
// above that.
func training(line loadline.LoadLine, limit resource.Kind) *analysis.Analysis {
	busy := resource.Resource{Name: "r", Kind: limit, Utilisation: 1, Servers: 1}
	return &analysis.Analysis{
		Study: analysis.StudyInfo{Name: "ai", Noun: "accelerator", Objectives: []study.Objective{{Metric: study.Idle, Limit: 0.1, Text: "au >= 90%"}}},
		Grade: "B",
		Variants: []analysis.Variant{{Name: "ssd", LoadLine: line, Drives: 1, Rungs: []rung.Rung{
			{Instances: line.Rung, Repetitions: 1}, {Instances: line.Next, Repetitions: 1, Resources: []resource.Resource{busy}},
		}}},
	}
}

func found(rung, next int, low float64) loadline.LoadLine {
	l := loadline.LoadLine{Rung: rung, Next: next, Count: stats.Exactly(float64(rung))}
	if low > 0 {
		l.Count = stats.Interval{Value: float64(rung), Low: low, High: float64(next), Confidence: 0.95}
	}
	return l
}

func usersDemand(users int, headroom Share) *Demand {
	return &Demand{Name: "d", Users: users, Headroom: headroom, Basis: []BasisOf{{Of: "runs/x", Variant: "ssd"}}}
}

func TestDrivesForUsers(t *testing.T) {
	open := loadline.LoadLine{Rung: 24, Open: true, Count: stats.Exactly(24)}
	wide := found(10, 24, 0) // the line was taken to be 15 from both
	wide.Count.Value = 15
	for name, c := range map[string]struct {
		line         loadline.LoadLine
		limit        resource.Kind
		users        int
		headroom     Share
		drives       int // of the store that was measured, where the demand says it
		count, least int
		say          string
	}{
		// 10 · 11^0.8 is 68, and 10 · 10^0.8 is 63.
		"a line":                      {found(10, 11, 0), resource.Device, 64, 0, 0, 11, 7, "64 accelerators need 11 drives such as that of ssd of ai, or 7 if nothing is lost between them; 11 drives carry 110 (68–110)."},
		"with headroom":               {found(10, 11, 0), resource.Device, 64, 0.2, 0, 14, 8, "64 accelerators need 14 drives"},
		"what repetitions leave":      {found(10, 11, 8), resource.Device, 64, 0, 0, 14, 8, ""},
		"a line between rungs":        {wide, resource.Device, 64, 0, 0, 11, 7, ""}, // counts on 10
		"no line was found":           {open, resource.Device, 64, 0, 0, 4, 3, "64 accelerators need at most 4 drives such as that of ssd of ai, whose load line was not found, or 3 if nothing is lost between them; 4 drives carry at least 72."},
		"one is enough":               {found(10, 11, 0), resource.Device, 10, 0, 0, 1, 1, "10 accelerators need 1 drive such as that of ssd of ai; 1 drive carries 10."},
		"measured on four":            {found(40, 41, 0), resource.Device, 64, 0, 4, 8, 7, ""},
		"fewer than four":             {found(40, 41, 0), resource.Device, 20, 0, 4, 2, 2, ""},
		"the client was the limit":    {found(10, 11, 0), resource.Driver, 64, 0, 0, 0, 0, "Ssd of ai carries 10 accelerators, limited by driver, which more drives do not relieve, and 64 are required."},
		"and enough for so few":       {found(10, 11, 0), resource.CPU, 8, 0, 0, 1, 1, ""},
		"nobody knows what the limit": {found(10, 11, 0), "", 64, 0, 0, 11, 7, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := usersDemand(c.users, c.headroom)
			d.Basis[0].Drives = c.drives
			basis, err := BasisFrom(training(c.line, c.limit), d.Basis[0])
			if err != nil {
				t.Fatal(err)
			}
			s := sized(t, d, basis)
			if got := s.Stores[0]; got.Count != c.count || got.Least != c.least || (got.Refusal != nil) != (c.count == 0) || s.Met() != (c.count > 0) {
				t.Errorf("%+v", got)
			}
			if !strings.HasPrefix(s.Text[0], c.say) {
				t.Errorf("%s", s.Text[0])
			}
			unknown := false
			for _, w := range s.Warnings {
				unknown = unknown || w.Kind == "limit"
			}
			if unknown != (c.limit == "") {
				t.Errorf("%+v", s.Warnings)
			}
		})
	}
}

// A run that cannot answer is refused, and the refusal says what run could.
func TestRunsThatSayNothingOfUsers(t *testing.T) {
	noLine, noObjective, instances := training(found(0, 1, 0), resource.Device), training(found(10, 11, 0), resource.Device), training(found(10, 11, 0), resource.Device)
	noObjective.Study.Objectives, instances.Study.Noun = nil, "instance"
	for say, a := range map[string]*analysis.Analysis{
		"it carries no accelerator within the objectives":  noLine,
		"its study has no objectives":                      noObjective,
		"its ladder counts instances and not users":        instances,
		"do not show that it carries a single accelerator": training(found(1, 2, 0.5), resource.Device),
		"users: -1; at least one":                          nil,
	} {
		d := usersDemand(64, 0)
		var err error
		if a == nil {
			d.Users = -1
			_, err = Size(d, nil)
		} else {
			var b Basis
			if b, err = BasisFrom(a, d.Basis[0]); err == nil {
				_, err = Size(d, []Basis{b})
			}
		}
		if err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%v does not say %q", err, say)
		}
	}
	d := &Demand{Instances: 64, Capacity: 1e12, Profile: profileLargeFiles}
	b, err := BasisFrom(training(found(10, 11, 0), resource.Device), BasisOf{Of: "x", Variant: "ssd", Nodes: 3})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Size(d, []Basis{b}); err == nil || !strings.Contains(err.Error(), "write users in place of instances") {
		t.Errorf("%v", err)
	}
}

func TestDemandsForUsers(t *testing.T) {
	const good = "demand: d\nusers: 64\nheadroom: 20%\nbasis: [{of: runs/x, variant: ssd}]\n"
	if d, err := ParseDemand("d.yaml", []byte(good)); err != nil || d.Users != 64 || d.Headroom != 0.2 {
		t.Errorf("%+v, %v", d, err)
	}
	for _, c := range []struct{ old, new, say string }{
		{"headroom: 20%", "headroom: 100%", "headroom: 100%"},
		{"headroom: 20%", "survive: 1\nservers: [{name: a, drives: 1, drive: 1TB}]", "servers: not with users"},
		{"basis: [{of: runs/x, variant: ssd}]", "", "basis: missing"},
		{"variant: ssd", "variant: ssd, nodes: 3", "give the drives"},
		{"users: 64", "instances: 64", "headroom: only with users"},
	} {
		if _, err := ParseDemand("d.yaml", []byte(strings.Replace(good, c.old, c.new, 1))); err == nil || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %v", c.new, err)
		}
	}
}
