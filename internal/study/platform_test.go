package study_test

import (
	"encoding/json"
	"strings"
	"testing"

	"plimsoll/internal/study"
)

type cluster struct {
	Namespace string `yaml:"namespace,omitempty" json:"namespace,omitempty"`
}

func withPlatforms() study.Vocabulary {
	v := vocabulary()
	v.Platforms = map[string]study.Typed{
		"local": {Defaults: func() any { return &struct{}{} }},
		"cluster": {Defaults: func() any { return &cluster{Namespace: "default"} }, Validate: func(p any) []study.FieldError {
			if p.(*cluster).Namespace == "taken" {
				return []study.FieldError{{Field: "namespace", Reason: "somebody has it"}}
			}
			return nil
		}},
	}
	return v
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
		"platform: {name: cluster, namespace: taken}\n":   "somebody has it",
		"platform: {name: local, namespace: elsewhere}\n": `unknown field "namespace"`,
	} {
		if _, err := study.Parse("s.yaml", []byte(small+text), "", withPlatforms()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
