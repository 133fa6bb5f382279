package cli

import (
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/result/resulttest"
	"plimsoll/test/quick"
)

// What the commands write is what the schemas say.
func TestOutputsFollowTheirSchemas(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	s := newSite(t)
	s.Write("demand.yaml", demand)
	if err := resulttest.Run("runs/often", []string{"ssd", "hdd"}, []int{1, 4, 16}, 4, 30); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ schema, args string }{
		{"report", "report reference/cns-ds2"},
		{"report", "report runs/often"},
		{"comparison", "compare runs/often:ssd runs/often:hdd --min-grade F"},
		{"comparison", "compare reference/cns-ds2:ssd-16 reference/cns-ds2:hdd-16"},
		{"sizing", "size demand.yaml"},
	} {
		_, schema, errs := s.plimsoll("schema", c.schema)
		compiled := compileSchema(t, schema+errs)
		_, out, errs := s.plimsoll(append(strings.Fields(c.args), "--json")...)
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(out))
		if err != nil {
			t.Fatalf("%s: %v: %s%s", c.args, err, out, errs)
		}
		if err := compiled.Validate(value); err != nil {
			t.Errorf("%s: %v\n%.500s", c.args, err, out)
		}
	}
}

const demand = `demand: shops
instances: 80
profile: database
capacity: 40GB
basis:
  - {of: reference/cns-ds2, variant: hdd-16, nodes: 3}
`

func compileSchema(t *testing.T, text string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func TestSchemaOfAnUnknownName(t *testing.T) {
	code, _, errs := newSite(t).plimsoll("schema", "comparisn")
	if code != command.ExitUsage || !strings.Contains(errs, `mean "comparison"?`) {
		t.Errorf("exit code %d: %s", code, errs)
	}
}
