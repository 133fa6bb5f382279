package study_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"plimsoll/internal/study"
)

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := study.Schema(vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("study.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("study.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t *testing.T, s *jsonschema.Schema, text string) error {
	t.Helper()
	asJSON, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(value)
}

func TestSchemaTakesGoodStudies(t *testing.T) {
	s := compiled(t)
	for _, text := range []string{good, small} {
		if err := validate(t, s, text); err != nil {
			t.Error(err)
		}
	}
}

func TestSchemaRefuses(t *testing.T) {
	s := compiled(t)
	for _, c := range [][2]string{
		{"  memory: 5Gi", "  memroy: 5Gi"},
		{"5Gi", "5Gigs"},
		{"measure: 5m", "measure: 5"},
		{"name: shop", "name: shpo"},
		{"name: postgres", "name: postgresql"},
		{"class: disk", "class: dsik"},
		{"{size: 1GB,", "{sise: 1GB,"},
		{"media: ssd", "medium: ssd"},
		{"[1, 2, 8]", "[0]"},
		{"[1, 2, 8]", "{auto: {form: 1}}"},
		{"engine.cpu: [1, 2]", "repetitions: [1, 2]"},
		{"p95 <= 200ms", "p96 <= 200ms"},
		{"study: shop-on-disks", "study: ../x"},
		{"study: shop-on-disks", "study: shop-on-disks\nanswer: {parts: [who breaks]}"},
		{"    reduced: true", "    reducd: true"},
	} {
		if err := validate(t, s, edit(t, c[0], c[1])); err == nil {
			t.Errorf("%q is taken for %q", c[1], c[0])
		}
	}
}

func TestSchemaDescribes(t *testing.T) {
	text, err := study.Schema(vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"concurrent users of each instance", "Size of the data", "A shop.", "default 5m"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the schema does not say %q", want)
		}
	}
}
