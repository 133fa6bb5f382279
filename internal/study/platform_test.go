package study_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/event"
	"plimsoll/internal/study"
)

type cluster struct {
	Namespace string `yaml:"namespace,omitempty" json:"namespace,omitempty"`
}

func withPlatforms() study.Vocabulary {
	v := vocabulary()
	v.Platforms = map[string]study.VocabularyEntry{
		"local": {Defaults: func() any { return &struct{}{} }},
		"cluster": {Defaults: func() any { return &cluster{Namespace: "default"} }, Validate: func(p any) []describe.Problem {
			if p.(*cluster).Namespace == "taken" {
				return []describe.Problem{{Path: "namespace", Text: "it is taken"}}
			}
			return nil
		}, Events: nodeEvents},
	}
	return v
}

// nodeEvents are "evict instance N [ROLE]" and "drain node NAME", which is done once.
func nodeEvents(any) event.Declaration {
	return event.Declaration{Of: "a cluster", Verbs: []event.Verb{
		{Name: "evict", Object: event.Object{Form: event.Servers, Kind: "instance"}, Breaks: true},
		{Name: "drain", Object: event.Object{Form: event.Node, Kind: "node"}, Breaks: true},
	}, Order: func(e event.Event, earlier []event.Event) error {
		if e.Verb.Name == "drain" && slices.ContainsFunc(earlier, e.SameObject) {
			return fmt.Errorf("%q was done before", e.Text)
		}
		return nil
	}}
}

func TestFaultsOfPlatforms(t *testing.T) {
	for _, c := range []struct{ platform, faults, want string }{
		{"cluster", "evict instance 0", ""},
		{"cluster", "evict instance 0 db", ""},
		{"cluster", "drain node one", ""},
		{"cluster", "kill instance 0", ""},
		{"cluster", "evict instance 9", "instance 9 does not exist"},
		{"cluster", "evict instance 0 web", `no servers of role "web"`},
		{"cluster", "drain node one}, {at: 2s, do: drain node one", `platform cluster does not support "drain node one": "drain node one" was done before`},
		{"cluster", "explode", "platform cluster: \"explode\" is not a fault of a cluster; supported: evict instance N, evict instance N ROLE, drain node NAME, drain node of instance N"},
		{"local", "evict instance 0", "it is a fault of platform cluster: add `platform: cluster` to the study"},
	} {
		text := small + "platform: " + c.platform + "\nfaults: [{at: 1s, do: " + c.faults + "}]\n"
		_, err := study.Parse("s.yaml", []byte(text), "", withPlatforms())
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s on %s: %v, want %q", c.faults, c.platform, err, c.want)
		}
	}
}

func TestAPlatformIsANameOrAMapping(t *testing.T) {
	for text, want := range map[string]any{
		"":                          nil,
		"platform: cluster\n":       cluster{"default"},
		"platform: {name: cluster}": cluster{"default"},
		"platform: {name: cluster, namespace: mine}\n": cluster{"mine"},
	} {
		s, err := study.Parse("s.yaml", []byte(small+text), "", withPlatforms())
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if want == nil {
			if s.Platform != (study.Platform{}) {
				t.Errorf("%+v without a platform", s.Platform)
			}
			continue
		}
		kept, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var back study.Study
		if err := json.Unmarshal(kept, &back); err != nil {
			t.Fatal(err)
		}
		if err := study.Rebind(&back, withPlatforms()); err != nil {
			t.Fatal(err)
		}
		for _, got := range []any{s.Platform.Parameters, back.Platform.Parameters} {
			if got, ok := got.(*cluster); !ok || *got != want {
				t.Errorf("%s: %+v, want %+v", text, got, want)
			}
		}
	}
}

func TestWrongPlatforms(t *testing.T) {
	for text, want := range map[string]string{
		"platform: clutser\n":                             `unknown platform "clutser"`,
		"platform: {namespace: a}\n":                      "the platform has no name",
		"platform: [a]\n":                                 "the platform has no name",
		"platform: {name: cluster, spacename: a}\n":       `unknown field "spacename"`,
		"platform: {name: cluster, namespace: taken}\n":   "it is taken",
		"platform: {name: local, namespace: elsewhere}\n": `unknown field "namespace"`,
	} {
		if _, err := study.Parse("s.yaml", []byte(small+text), "", withPlatforms()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
