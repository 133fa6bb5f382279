package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	reflector "github.com/invopop/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"plimsoll/internal/analysis/compare"
	"plimsoll/internal/analysis/sizing"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/text/unit"
)

// documents are what the schemas describe.
var documents = map[string]struct {
	title string
	of    reflect.Type
}{
	"report":     {"Plimsoll report: plimsoll report --json", reflect.TypeFor[Document]()},
	"comparison": {"Plimsoll comparison: plimsoll compare --json", reflect.TypeFor[compare.Comparison]()},
	"sizing":     {"Plimsoll sizing: plimsoll size --json", reflect.TypeFor[sizing.Sizing]()},
}

// TestSchemasAreCurrent makes the schemas again from the types and compares them
// with those that are embedded; -update writes them.
func TestSchemasAreCurrent(t *testing.T) {
	for _, name := range SchemaNames() {
		made := made(t, name)
		if *update {
			if err := os.WriteFile(filepath.Join("schema", name+".json"), made, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		have, err := Schema(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(have, made) {
			t.Errorf("schema/%s.json is not that of the types: run go test ./internal/report -run TestSchemasAreCurrent -update", name)
		}
	}
}

// TestTypesOfThePageAreCurrent finds in web/src/read/model.ts the hash of the schemas that
// it was generated from.
func TestTypesOfThePageAreCurrent(t *testing.T) {
	hash := sha256.New()
	for _, name := range []string{"report", "comparison"} {
		hash.Write(made(t, name))
	}
	types, err := os.ReadFile("../../web/src/read/model.ts")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(types, []byte(hex.EncodeToString(hash.Sum(nil)))) {
		t.Error("web/src/read/model.ts is not generated from the schemas of the types: run make web")
	}
}

// made is a schema as the types and their comments have it now.
func made(t *testing.T, name string) []byte {
	t.Helper()
	r := &reflector.Reflector{Anonymous: true, AllowAdditionalProperties: true, Mapper: special}
	for _, dir := range []string{".", "../analysis", "../analysis/compare", "../analysis/diagnose", "../analysis/stats", "../analysis/loadline", "../analysis/price", "../analysis/resource", "../analysis/rung", "../analysis/scale", "../analysis/say", "../analysis/sizing", "../analysis/timeprofile", "../analysis/trust", "../analysis/whatif", "../describe", "../result", "../study", "../text/words"} {
		if err := r.AddGoComments("plimsoll/internal/report", dir, reflector.WithFullComment()); err != nil {
			t.Fatal(err)
		}
	}
	for key, text := range r.CommentMap {
		r.CommentMap[key] = strings.Join(strings.Fields(text), " ")
	}
	r.LookupComment = func(of reflect.Type, field string) string { return sharedComment(r.CommentMap, of, field) }
	root := r.ReflectFromType(documents[name].of)
	root.Title = documents[name].title
	for _, d := range root.Definitions {
		for p := d.Properties.Oldest(); p != nil; p = p.Next() {
			orNull(p.Value, !slices.Contains(d.Required, p.Key))
		}
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(root); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// sharedComment finds the comment on a field that is described together with one
// before it: "Low and High are ...".
func sharedComment(comments map[string]string, of reflect.Type, name string) string {
	field, found := reflect.StructField{}, false
	if of.Kind() == reflect.Struct {
		field, found = of.FieldByName(name)
	}
	if !found || len(field.Index) != 1 {
		return ""
	}
	for at := field.Index[0]; at >= 0; at-- {
		text := comments[of.PkgPath()+"."+of.Name()+"."+of.Field(at).Name]
		if text != "" && (at == field.Index[0] || slices.Contains(nameIn.FindAllString(text, -1), name)) {
			return text
		}
	}
	return ""
}

var nameIn = regexp.MustCompile(`\w+`)

// special gives the types whose JSON differs from their fields.
func special(t reflect.Type) *reflector.Schema {
	switch t {
	case reflect.TypeFor[unit.Bytes](), reflect.TypeFor[sizing.Share](), reflect.TypeFor[unit.Duration]():
		return &reflector.Schema{Type: "string"}
	}
	if t == reflect.TypeFor[trust.Kind]() || t == reflect.TypeFor[trust.Form]() {
		return &reflector.Schema{Type: "string"} // each doubt adds one, and no program has to know all
	}
	if values := constants(t); len(values) > 0 {
		return &reflector.Schema{Type: "string", Enum: values}
	}
	return nil
}

// constants are the values of a type of ours that is a string with names for all of its values: the
// page's types are unions of them.
func constants(t reflect.Type) (values []any) {
	dir, ours := strings.CutPrefix(t.PkgPath(), "plimsoll/internal/")
	if t.Kind() != reflect.String || !ours {
		return nil
	}
	files, _ := filepath.Glob(filepath.Join("..", dir, "*.go"))
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil || strings.HasSuffix(name, "_test.go") {
			continue
		}
		for n := range ast.Preorder(file) {
			spec, is := n.(*ast.ValueSpec)
			if of, named := typeOf(spec, is); !named || of != t.Name() {
				continue
			}
			for _, v := range spec.Values {
				if text, is := v.(*ast.BasicLit); is && text.Kind == token.STRING {
					value, _ := strconv.Unquote(text.Value)
					values = append(values, value)
				}
			}
		}
	}
	return values
}

// typeOf is the type that a declaration of values names.
func typeOf(spec *ast.ValueSpec, is bool) (name string, named bool) {
	if !is {
		return "", false
	}
	of, named := spec.Type.(*ast.Ident)
	if !named {
		return "", false
	}
	return of.Name, true
}

// orNull lets numbers be null that could not be computed, and lists and maps that are
// empty, except those that are then left out.
func orNull(s *reflector.Schema, leftOut bool) {
	if s.Items != nil {
		orNull(s.Items, false)
	}
	if s.AdditionalProperties != nil {
		orNull(s.AdditionalProperties, false)
	}
	if s.Type == "number" || !leftOut && (s.Type == "array" || s.Type == "object") {
		s.Extras = map[string]any{"type": []string{s.Type, "null"}}
		s.Type = ""
	}
}

// TestSchemasDescribeEveryField so that whoever reads the JSON need not guess.
func TestSchemasDescribeEveryField(t *testing.T) {
	for _, name := range SchemaNames() {
		text, err := Schema(name)
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Defs map[string]struct {
				Properties map[string]struct{ Description string }
			} `json:"$defs"`
		}
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		for of, def := range doc.Defs {
			for field, p := range def.Properties {
				if p.Description == "" {
					t.Errorf("%s: %s.%s has no description: write a comment on the field", name, of, field)
				}
			}
		}
	}
}

// TestSchemasTakeWhatIsWritten validates the JSON of all fixtures.
func TestSchemasTakeWhatIsWritten(t *testing.T) {
	for name, a := range fixtures() {
		var out bytes.Buffer
		if err := JSON(&out, a); err != nil {
			t.Fatal(err)
		}
		if err := validate(t, "report", out.Bytes()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, a := range poorFixtures() {
		var out bytes.Buffer
		if err := JSON(&out, a); err != nil {
			t.Fatal(err)
		}
		if err := validate(t, "report", out.Bytes()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, v := range map[string]any{"comparison": comparisonFixture(), "sizing": sizingFixture()} {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, name, text); err != nil {
			t.Error(err)
		}
	}
}

// TestSchemasRefuse what no reader could use.
func TestSchemasRefuse(t *testing.T) {
	for _, c := range [][2]string{
		{"report", `{"schema": 1}`},
		{"report", `{"schema": "1", "analysis": {}}`},
		{"comparison", `{"a": 1}`},
		{"sizing", `{"demand": "x"}`},
	} {
		if validate(t, c[0], []byte(c[1])) == nil {
			t.Errorf("%s is taken for a %s", c[1], c[0])
		}
	}
}

func validate(t *testing.T, name string, text []byte) error {
	t.Helper()
	schema, err := Schema(name)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return compiled.Validate(value)
}
