package study

import (
	"bytes"
	_ "embed"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"plimsoll/internal/describe"
	"plimsoll/internal/text/unit"

	"github.com/invopop/jsonschema"
)

// descriptions are the comments of study.go on types and fields, by type or type.field, which the
// schema has as descriptions. A test makes the file from them:
//
//	go test ./internal/study -run TestDescriptionsAreCurrent -update
//
//go:embed descriptions.json
var descriptions []byte

const (
	sizePattern      = `^\d+(\.\d+)? ?(B|kB|KB|MB|GB|TB|KiB|MiB|GiB|TiB|Ki|Mi|Gi|Ti)$|^0$`
	coresPattern     = `^\d+(\.\d+)?m?$`
	sharePattern     = `^\d+(\.\d+)? ?%$`
	durationPattern  = `^(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+$|^0$`
	objectivePattern = `^\s*((\S+\s+)?(mean|p50|p90|p95|p99|p99\.9|max|errors|rolledback)\s*(<=|≤)|[a-z][a-z0-9_]*\s*(>=|≥))\s*\S.*$`
	urlPattern       = `^https?://[^/?#@]+(/[^?#]*)?$`
	namePattern      = `^[a-z0-9][a-z0-9.-]*$`
	memberPattern    = `^[a-z][a-z0-9]{0,19}$`
)

// Schema returns the JSON Schema (draft 2020-12) of study files, for editors
// and validators. Parse checks more than a schema can say.
func Schema(v Vocabulary) ([]byte, error) {
	comments := map[string]string{}
	if err := json.Unmarshal(descriptions, &comments); err != nil {
		return nil, fmt.Errorf("read the descriptions of the study's types: %w", err)
	}
	g := &generator{vocabulary: v.sorted(), comments: comments}
	root := g.study()
	root.Version = jsonschema.Version
	root.Title = "Plimsoll study"
	g.name(root)
	root.Properties.Set("profiles", g.profiles())
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(root); err != nil {
		return nil, fmt.Errorf("writing the schema: %w", err)
	}
	return out.Bytes(), nil
}

// generator makes schemas from types.
type generator struct {
	vocabulary Vocabulary
	comments   map[string]string
	partial    bool // for profiles, in which nothing is required
}

// study is the schema of a study without profiles.
func (g *generator) study() *jsonschema.Schema {
	s := g.reflect(reflect.TypeFor[Study]())
	property(property(s, "answer"), "parts").Items.Enum = anys(parts())
	member := property(s, "members").Items
	property(member, "name").Pattern = memberPattern
	for _, of := range []*jsonschema.Schema{s, member} {
		g.engines(of)
	}
	if !g.partial {
		s.OneOf = []*jsonschema.Schema{{Required: []string{"workload"}}, {Required: []string{"members"}}}
	}
	return s
}

// engines restricts what fills the roles of an application.
func (g *generator) engines(of *jsonschema.Schema) {
	for _, engine := range []*jsonschema.Schema{property(of, "engine"), property(of, "stack").AdditionalProperties} {
		engine.Properties.Set("version", scalar(property(engine, "version").Description))
		property(engine, "name").Enum = anys(g.vocabulary.Engines)
		property(engine, "settings").AdditionalProperties = scalar("")
	}
}

func (g *generator) reflect(t reflect.Type) *jsonschema.Schema {
	r := &jsonschema.Reflector{
		Anonymous:      true,
		DoNotReference: true,
		FieldNameTag:   "yaml",
		Mapper:         g.special,
		CommentMap:     g.comments,
	}
	s := r.ReflectFromType(t)
	s.Version = ""
	describeRanges(s, t)
	if g.partial {
		nothingRequired(s)
	}
	return s
}

// describeRanges adds the ranges of sizes and times, which a schema of texts cannot have, to the
// descriptions of their fields.
func describeRanges(s *jsonschema.Schema, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || s == nil || s.Properties == nil {
		return
	}
	for i := range t.NumField() {
		f := t.Field(i)
		key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		of, ok := s.Properties.Get(key)
		if !ok {
			continue
		}
		if allowed := describe.Range(f.Tag); allowed != "" {
			of.Description = strings.TrimPrefix(strings.TrimSuffix(of.Description, ".")+"; "+allowed, "; ")
		}
		describeRanges(of, f.Type)
	}
}

// special returns the schemas of types whose YAML differs from their fields.
func (g *generator) special(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[unit.Bytes]():
		return &jsonschema.Schema{Type: "", OneOf: []*jsonschema.Schema{
			{Type: "string", Pattern: sizePattern}, {Type: "integer", Minimum: "0", Maximum: "0"}},
			Description: "A size: a number and a unit, such as 10MB or 5GiB."}
	case reflect.TypeFor[unit.Cores]():
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "number", Minimum: "0"}, {Type: "string", Pattern: coresPattern}}}
	case reflect.TypeFor[Percentage]():
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "string", Pattern: sharePattern}, {Type: "integer", Minimum: "0", Maximum: "0"}}}
	case reflect.TypeFor[unit.Duration]():
		return &jsonschema.Schema{Type: "string", Pattern: durationPattern,
			Description: "A duration: a number and a unit, such as 10ms, 30s or 5m."}
	case reflect.TypeFor[Target]():
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{
			{Type: "string", Pattern: urlPattern}, {Type: "array", Items: &jsonschema.Schema{Type: "string", Pattern: urlPattern}}}}
	case reflect.TypeFor[Objective]():
		return &jsonschema.Schema{Type: "string", Pattern: objectivePattern, Description: g.comments[commentKey("Objective")]}
	case reflect.TypeFor[Workload]():
		return g.workload()
	case reflect.TypeFor[Storage]():
		return g.storage()
	case reflect.TypeFor[Platform]():
		return g.platform()
	case reflect.TypeFor[Ladder]():
		return g.ladder()
	case reflect.TypeFor[Matrix]():
		return g.matrix()
	}
	if t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return &jsonschema.Schema{Type: "string"} // as its decoder reads it, such as a rate of 20MB/s
	}
	return nil
}

func (g *generator) workload() *jsonschema.Schema {
	s := object("What the users do.")
	s.Properties.Set("name", &jsonschema.Schema{Type: "string", Enum: anys(sortedKeys(g.vocabulary.Workloads))})
	s.Properties.Set("parameters", &jsonschema.Schema{Type: "object"})
	s.AdditionalProperties = jsonschema.FalseSchema
	if !g.partial {
		s.Required = []string{"name"}
	}
	for _, name := range sortedKeys(g.vocabulary.Workloads) {
		kind := g.vocabulary.Workloads[name]
		then := object("")
		then.Properties.Set("parameters", g.parameters(kind))
		s.AllOf = append(s.AllOf, &jsonschema.Schema{If: is("name", name), Then: then})
	}
	return s
}

// parameters is the schema of a kind's own struct, without required fields,
// as all have defaults.
func (g *generator) parameters(kind VocabularyEntry) *jsonschema.Schema {
	s := g.reflect(reflect.TypeOf(kind.Defaults()).Elem())
	nothingRequired(s)
	s.Description = strings.TrimSpace(kind.Text)
	return s
}

func (g *generator) storage() *jsonschema.Schema {
	s := object("A storage class: its kind, and the parameters of that kind.")
	s.Properties.Set("class", &jsonschema.Schema{Type: "string", Enum: anys(sortedKeys(g.vocabulary.Classes))})
	if !g.partial {
		s.Required = []string{"class"}
	}
	for _, name := range sortedKeys(g.vocabulary.Classes) {
		then := g.parameters(g.vocabulary.Classes[name])
		then.Properties.Set("class", &jsonschema.Schema{Const: name})
		then.Properties.Set("name", &jsonschema.Schema{Type: "string", Pattern: `^[a-z0-9][a-z0-9-]*$`,
			Description: "Only in otherwise: the name of the storage when this fallback is used."})
		then.Properties.Set("label", &jsonschema.Schema{Type: "string", Description: "The label of the storage in charts and tables, at most 40 characters."})
		then.Properties.Set("otherwise", &jsonschema.Schema{Type: "object", Required: []string{"class"},
			Description: "The class to use where this one is not usable, with its parameters."})
		s.AllOf = append(s.AllOf, &jsonschema.Schema{If: is("class", name), Then: then})
	}
	return s
}

// platform is a name, or the name with the platform's parameters.
func (g *generator) platform() *jsonschema.Schema {
	names := sortedKeys(g.vocabulary.Platforms)
	long := object("")
	long.Properties.Set("name", &jsonschema.Schema{Type: "string", Enum: anys(names)})
	if !g.partial {
		long.Required = []string{"name"}
	}
	for _, name := range names {
		then := g.parameters(g.vocabulary.Platforms[name])
		then.Properties.Set("name", &jsonschema.Schema{Const: name})
		long.AllOf = append(long.AllOf, &jsonschema.Schema{If: is("name", name), Then: then})
	}
	return &jsonschema.Schema{Description: "Where the instances run: the name of a platform, or a mapping of its name and parameters.",
		OneOf: []*jsonschema.Schema{{Type: "string", Enum: anys(names)}, long}}
}

func (g *generator) ladder() *jsonschema.Schema {
	count := &jsonschema.Schema{Type: "integer", Minimum: "1"}
	least := uint64(1)
	bounds := object("")
	for _, key := range []string{"from", "to", "precision", "budget"} {
		bounds.Properties.Set(key, count)
	}
	rungs := &jsonschema.Schema{Type: "array", Items: count, MinItems: &least}
	bounds.Properties.Set("within", g.special(reflect.TypeFor[unit.Duration]()))
	bounds.Properties.Set("rungs", rungs)
	bounds.AdditionalProperties = jsonschema.FalseSchema
	whole := object("")
	whole.Properties.Set("of", &jsonschema.Schema{Enum: []any{"instances", OfUsers}, Description: "What a rung counts: instances (the default) or the users of one instance."})
	whole.Properties.Set("rungs", rungs)
	whole.Properties.Set("auto", bounds)
	whole.Properties.Set("alone", &jsonschema.Schema{Type: "boolean", Description: "Measure each member alone as well, without the others of its tile."})
	whole.OneOf = []*jsonschema.Schema{{Required: []string{"rungs"}}, {Required: []string{"auto"}}}
	whole.AdditionalProperties = jsonschema.FalseSchema
	return &jsonschema.Schema{Description: g.comments[commentKey("Ladder")], OneOf: []*jsonschema.Schema{rungs, {Const: "auto"}, whole}}
}

func (g *generator) matrix() *jsonschema.Schema {
	s := object(g.comments[commentKey("Matrix")])
	level := scalar("")
	least := uint64(1)
	s.Properties.Set("exclude", &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "object", AdditionalProperties: level},
		Description: "Combinations to leave out: each maps factors to levels."})
	s.PatternProperties = map[string]*jsonschema.Schema{
		`^(storage|deployment|(members\.[^.]+\.)?(engine\..+|stack\.[^.]+\..+|load\..+|workload\.parameters\..+)|storage\.[^.]+\..+)$`: {Type: "array", Items: level, MinItems: &least}}
	s.AdditionalProperties = jsonschema.FalseSchema
	return s
}

func (g *generator) profiles() *jsonschema.Schema {
	inner := *g
	inner.partial = true
	profile := inner.study()
	// A storage of a profile is merged with the study's, so its class may be
	// given there, and null takes it away.
	property(profile, "storage").AdditionalProperties = orNull(&jsonschema.Schema{Type: "object"})
	nullable(profile)
	return &jsonschema.Schema{Type: "object", AdditionalProperties: profile,
		PropertyNames: &jsonschema.Schema{Pattern: namePattern},
		Description:   "Named variations of the study: each is merged into it field by field; lists are replaced, null removes a field."}
}

// name restricts what becomes part of file names.
func (g *generator) name(root *jsonschema.Schema) {
	property(root, "study").Pattern = namePattern
	property(root, "storage").PropertyNames = &jsonschema.Schema{Pattern: `^[a-z0-9][a-z0-9-]*$`}
}

func property(s *jsonschema.Schema, name string) *jsonschema.Schema {
	p, _ := s.Properties.Get(name)
	return p
}

func object(description string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), Description: description}
}

// is holds for objects whose field has the value.
func is(field, value string) *jsonschema.Schema {
	s := &jsonschema.Schema{Properties: jsonschema.NewProperties(), Required: []string{field}}
	s.Properties.Set(field, &jsonschema.Schema{Const: value})
	return s
}

func anys(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// nothingRequired makes every field optional, at any depth outside the
// parameters' own conditions.
func nothingRequired(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	nothingRequired(s.AdditionalProperties)
	if s.Properties == nil {
		return
	}
	s.Required = nil
	for pair := s.Properties.Oldest(); pair != nil; pair = pair.Next() {
		nothingRequired(pair.Value)
	}
}

// nullable lets every field be null, which takes it away in a profile.
func nullable(s *jsonschema.Schema) {
	for pattern, value := range s.PatternProperties {
		s.PatternProperties[pattern] = orNull(value)
	}
	for _, condition := range s.AllOf {
		if condition.Then != nil {
			nullable(condition.Then)
		}
	}
	if of := s.AdditionalProperties; of != nil && of != jsonschema.FalseSchema {
		nullable(of)
		s.AdditionalProperties = orNull(of)
	}
	if s.Properties == nil {
		return
	}
	for pair := s.Properties.Oldest(); pair != nil; pair = pair.Next() {
		nullable(pair.Value)
		s.Properties.Set(pair.Key, orNull(pair.Value))
	}
}

func orNull(s *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{s, {Type: "null"}}}
}

// scalar is text that YAML may take for a number or a truth value; it is read
// as written.
func scalar(description string) *jsonschema.Schema {
	return &jsonschema.Schema{Description: description, AnyOf: []*jsonschema.Schema{{Type: "string"}, {Type: "number"}, {Type: "boolean"}}}
}

func commentKey(name string) string { return reflect.TypeFor[Study]().PkgPath() + "." + name }
