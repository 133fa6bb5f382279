package study_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"plimsoll/internal/study"
)

type cluster struct {
	Namespace string `yaml:"namespace,omitempty" json:"namespace,omitempty"`
}

func withPlatforms() study.Vocabulary {
	v := vocabulary()
	v.Platforms = map[string]study.VocabularyEntry{
		"local": {Defaults: func() any { return &struct{}{} }},
		"cluster": {Defaults: func() any { return &cluster{Namespace: "default"} }, Validate: func(p any) []study.FieldError {
			if p.(*cluster).Namespace == "taken" {
				return []study.FieldError{{Field: "namespace", Reason: "it is taken"}}
			}
			return nil
		}, CheckFault: checkNodeFault, ParseFault: parseNodeFault},
	}
	return v
}

// parseNodeFault knows "evict N [ROLE]" and "drain NODE".
func parseNodeFault(do string) study.Action {
	verb, rest, _ := strings.Cut(do, " ")
	switch verb {
	case "evict":
		number, role, _ := study.ParseInstance(rest)
		return study.Action{Verb: verb, Instance: number, Role: role}
	case "drain":
		return study.Action{Verb: verb, Part: rest}
	}
	return study.Action{}
}

func checkNodeFault(_ any, do string, before []string) error {
	if parseNodeFault(do).Verb == "" {
		return fmt.Errorf("%q is not a fault of a cluster; supported: evict N, drain NODE", do)
	}
	for _, b := range before {
		if b == do {
			return fmt.Errorf("%q was done before", do)
		}
	}
	return nil
}

func TestFaultsOfPlatforms(t *testing.T) {
	for _, c := range []struct{ platform, faults, want string }{
		{"cluster", "evict 0", ""},
		{"cluster", "evict 0 db", ""},
		{"cluster", "drain one", ""},
		{"cluster", "kill instance 0", ""},
		{"cluster", "evict 9", "instance 9 does not exist"},
		{"cluster", "evict 0 web", `no servers of role "web"`},
		{"cluster", "drain one}, {at: 2s, do: drain one", `platform cluster does not support "drain one": "drain one" was done before`},
		{"cluster", "explode", "platform cluster: \"explode\" is not a fault of a cluster; supported: evict N, drain NODE"},
		{"local", "evict 0", "it is a fault of platform cluster: add `platform: cluster` to the study"},
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
