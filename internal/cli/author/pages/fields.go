package pages

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"
)

// Fields is a page of the fields of study files, from their JSON Schema, in Markdown: one
// table of the study, and one of the parameters of each kind.
func Fields(text []byte) (string, error) {
	var root jsonschema.Schema
	if err := json.Unmarshal(text, &root); err != nil {
		return "", fmt.Errorf("read the schema of studies: %w", err)
	}
	p := &fieldsPage{seen: map[string]bool{}}
	p.b.WriteString("# Fields of a study\n\n" +
		"These are the fields that `plimsoll schema` describes to an editor, with their types. [Studies](../study.md) says what they are for and gives defaults.\n\n" +
		"`<name>` stands for a name of your choice, `[]` for each element of a list.\n")
	p.b.WriteString("\n## The study\n\n")
	p.table(&root)
	for len(p.kinds) > 0 {
		k := p.kinds[0]
		p.kinds = p.kinds[1:]
		fmt.Fprintf(&p.b, "\n## %s `%s`\n\n", k.title, k.name)
		if d := k.of.Description; d != "" {
			p.b.WriteString(escaped(strings.Join(strings.Fields(d), " ")) + "\n\n")
		}
		p.table(k.of)
	}
	return p.b.String(), nil
}

type fieldsPage struct {
	b     strings.Builder
	kinds []kindOf // whose tables follow
	seen  map[string]bool
}

// A kindOf is a workload, a storage class or a platform.
type kindOf struct {
	title, name string
	of          *jsonschema.Schema // its parameters
}

func (p *fieldsPage) table(of *jsonschema.Schema) {
	before := p.b.Len()
	p.b.WriteString("| field | type | meaning |\n|---|---|---|\n")
	header := p.b.Len()
	p.fields("", of)
	if p.b.Len() == header {
		kept := p.b.String()[:before]
		p.b.Reset()
		p.b.WriteString(kept + "No parameters.\n")
	}
}

// fields are the rows of a mapping.
func (p *fieldsPage) fields(path string, of *jsonschema.Schema) {
	if of.Properties == nil {
		return
	}
	for pair := of.Properties.Oldest(); pair != nil; pair = pair.Next() {
		if name := pair.Key; path != "" || name != "profiles" {
			p.field(strings.TrimPrefix(path+"."+name, "."), pair.Value, slices.Contains(of.Required, name))
			continue
		}
		p.row("profiles.<name>", "mapping", pair.Value.Description) // the fields of the study again
	}
}

func (p *fieldsPage) field(path string, of *jsonschema.Schema, required bool) {
	meaning := of.Description
	if required {
		meaning = "Required. " + meaning
	}
	if of.Const != nil && path == "class" || of.Const != nil && path == "name" {
		return // the kind itself, which is the heading
	}
	p.row(path, typeOf(of), meaning)
	p.below(path, of)
}

// below are the rows of what a field holds.
func (p *fieldsPage) below(path string, of *jsonschema.Schema) {
	if p.kindsOf(of) {
		return
	}
	p.fields(path, of)
	for _, one := range of.OneOf {
		if !p.kindsOf(one) {
			p.fields(path, one)
		}
	}
	if of.Items != nil && of.Items.Properties != nil {
		p.fields(path+"[]", of.Items)
	}
	if a := of.AdditionalProperties; a != nil && a.Properties != nil {
		p.fieldsNamed(path, a)
	}
}

func (p *fieldsPage) fieldsNamed(path string, of *jsonschema.Schema) {
	if p.kindsOf(of) {
		p.fields(path+".<name>", &jsonschema.Schema{Properties: of.Properties, Required: of.Required})
		return
	}
	p.fields(path+".<name>", of)
}

// kindsOf notes the kinds that a mapping tells apart by one of its fields, and reports
// whether there are any.
func (p *fieldsPage) kindsOf(of *jsonschema.Schema) bool {
	found := false
	for _, condition := range of.AllOf {
		if condition.If == nil || condition.If.Properties == nil || condition.Then == nil {
			continue
		}
		by := condition.If.Properties.Oldest()
		found = true
		k := kindOf{title: "Platform", name: fmt.Sprint(by.Value.Const), of: condition.Then}
		if by.Key == "class" {
			k.title = "Storage class"
		} else if parameters, ok := condition.Then.Properties.Get("parameters"); ok {
			k.title, k.of = "Workload", parameters
		}
		if key := k.title + k.name; !p.seen[key] {
			p.seen[key] = true
			p.kinds = append(p.kinds, k)
		}
	}
	return found
}

func (p *fieldsPage) row(path, kind, meaning string) {
	fmt.Fprintf(&p.b, "| `%s` | %s | %s |\n", path, kind, escaped(strings.Join(strings.Fields(meaning), " ")))
}

// typeOf says what a field takes.
func typeOf(s *jsonschema.Schema) string {
	switch {
	case s.Const != nil:
		return fmt.Sprintf("`%v`", s.Const)
	case len(s.Enum) > 0:
		return choice(s.Enum)
	case s.Type == "array" && s.Items != nil:
		return "list of " + typeOf(s.Items)
	case s.Type == "object":
		return "mapping"
	case s.Type == "string" && strings.Contains(s.Pattern, "µs"):
		return "duration"
	case s.Type != "":
		return s.Type
	}
	return oneOf(append(slices.Clone(s.OneOf), s.AnyOf...))
}

func oneOf(all []*jsonschema.Schema) string {
	var types []string
	for _, one := range all {
		if t := typeOf(one); t != "" && !slices.Contains(types, t) {
			if strings.Contains(one.Pattern, "KiB") {
				t = "size"
			}
			types = append(types, t)
		}
	}
	if slices.Contains(types, "size") {
		return "size"
	}
	return strings.Join(types, " or ")
}

func choice(of []any) string {
	var words []string
	for _, v := range of {
		words = append(words, fmt.Sprintf("`%v`", v))
	}
	return strings.Join(words, ", ")
}
