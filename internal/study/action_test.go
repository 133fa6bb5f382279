package study

import "testing"

func TestParseAction(t *testing.T) {
	for do, want := range map[string]Action{
		"kill instance 0":       {Verb: KillInstance},
		"kill instance 12":      {Verb: KillInstance, Instance: 12},
		"kill instance 3  web ": {Verb: KillInstance, Instance: 3, Role: "web"},
		"kill instance":         {},
		"kill instance x":       {},
		"kill peer 1":           {},
		"cut power":             {Verb: CutPower},
		"cut power peer 2":      {Verb: CutPower, Part: "peer 2"},
		"cut powerful":          {},
		"restore link 1":        {},
		"":                      {},
	} {
		if got := ParseAction(do); got != want {
			t.Errorf("%q is %+v, want %+v", do, got, want)
		}
	}
}
