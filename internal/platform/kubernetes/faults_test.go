package kubernetes

import (
	"strings"
	"testing"

	"plimsoll/internal/study"
)

func TestParseFault(t *testing.T) {
	for text, want := range map[string]study.Action{
		"delete pod 0":                     {Verb: deletePod},
		"delete pod 3 db":                  {Verb: deletePod, Instance: 3, Role: "db"},
		"kill server 1  web":               {Verb: killServer, Instance: 1, Role: "web"},
		"drain node worker-2.example":      {Verb: drainNode, Part: "worker-2.example"},
		"drain node of instance 1":         {Verb: drainNode, Instance: 1},
		"uncordon node of instance 1 db":   {Verb: uncordonNode, Instance: 1, Role: "db"},
		"delete pods 0":                    {},
		"kill instance 0":                  {},
		"cut power":                        {},
		"":                                 {},
		"delete pod":                       {Verb: deletePod, Part: "delete pod"},
		"delete pod -1":                    {Verb: deletePod, Part: "delete pod -1"},
		"drain node a b":                   {Verb: drainNode, Part: "drain node a b"},
		"drain node":                       {Verb: drainNode, Part: "drain node"},
		"drain node of instance":           {Verb: drainNode, Part: "drain node of instance"},
		"drain node of instance 0 db more": {Verb: drainNode, Part: "drain node of instance 0 db more"},
	} {
		if got := (Kind{}).ParseFault(text); got != want {
			t.Errorf("%q is %+v, want %+v", text, got, want)
		}
	}
}

func TestCheckFault(t *testing.T) {
	for _, c := range []struct {
		before []string
		text   string
		want   string
	}{
		{nil, "delete pod 0", ""},
		{nil, "drain node a", ""},
		{[]string{"drain node a"}, "drain node b", ""},
		{[]string{"drain node a"}, "uncordon node a", ""},
		{[]string{"drain node a", "uncordon node a"}, "drain node a", ""},
		{[]string{"drain node of instance 0", "delete pod 0"}, "uncordon node of instance 0", ""},
		{[]string{"drain node a"}, "drain node a", "drained already"},
		{nil, "uncordon node a", "as in drain node a"},
		{[]string{"drain node of instance 0"}, "uncordon node of instance 1", "no earlier fault drains it"},
		{[]string{"drain node a", "uncordon node a"}, "uncordon node a", "no earlier fault drains it"},
		{nil, "delete pod x", "supported: delete pod N"},
	} {
		err := Kind{}.CheckFault(nil, c.text, c.before)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q after %v: %v, want %q", c.text, c.before, err, c.want)
		}
	}
}
