package study

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// storageFactor is the factor whose levels are the names of storages.
const storageFactor = "storage"

// parameterFactor begins the factors that vary a parameter of the workload.
const parameterFactor = "workload.parameters."

// deploymentFactor is the factor whose levels are deployments.
const deploymentFactor = "deployment"

const factorExpected = "storage, deployment, engine.<field>, stack.<role>.<field>, load.<field>, workload.parameters.<name>, storage.<name>.<parameter>, or storage.*.<parameter> for every storage"

// memberFactorExpected is the same in a study with members.
const memberFactorExpected = "storage, deployment, storage.<name>.<parameter>, or what is a member's own: members.<name>.load.<field>, members.<name>.engine.<field>, members.<name>.workload.parameters.<name>"

// base is the variant of one storage with nothing varied. Its parameters are
// copies, so that a level changes one variant alone.
func (s *Study) base(storageName string) (Variant, error) {
	v := Variant{
		Factors:     map[string]string{storageFactor: storageName},
		StorageName: storageName,
		Storages:    map[string]Storage{},
		Deployment:  s.Deployment,
	}
	err := s.place(&v, storageName)
	if err != nil {
		return v, err
	}
	for _, m := range s.Members {
		if m.Application, err = m.Application.copy(); err != nil {
			return v, err
		}
		v.Members = append(v.Members, m)
	}
	return v, nil
}

// copy has servers and parameters of its own, so that a level changes one variant alone.
func (a Application) copy() (Application, error) {
	a.Engine = a.Engine.copy()
	stack := map[string]Engine{}
	for role, e := range a.Stack {
		stack[role] = e.copy()
	}
	a.Stack = stack
	var err error
	if a.Workload.Parameters, err = copyOf(a.Workload.Parameters); err != nil {
		return a, fmt.Errorf("copying the parameters of workload %s: %w", a.Workload.Name, err)
	}
	return a, nil
}

// copy has settings of its own, so that a level changes one variant alone.
func (e Engine) copy() Engine {
	settings := map[string]string{}
	maps.Copy(settings, e.Settings)
	e.Settings, e.Storage = settings, maps.Clone(e.Storage)
	if e.Existing != nil {
		own := *e.Existing
		e.Existing = &own
	}
	return e
}

// copyOf copies a parameter struct through JSON, into a zero value because a
// default would come back where the original holds zero.
func copyOf(parameters any) (any, error) {
	if parameters == nil {
		return nil, nil
	}
	return retype(parameters, reflect.TypeOf(parameters))
}

// retype turns any value into a pointer type, by way of JSON.
func retype(value any, pointer reflect.Type) (any, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	out := reflect.New(pointer.Elem())
	if err := json.Unmarshal(text, out.Interface()); err != nil {
		return nil, err
	}
	return out.Interface(), nil
}

// applies reports whether a factor concerns a storage; one that varies
// another storage's parameter does not.
func applies(factor, storageName string) bool {
	rest, ok := strings.CutPrefix(factor, "storage.")
	if !ok {
		return true
	}
	name, _, _ := strings.Cut(rest, ".")
	return name == "*" || name == storageName
}

// set applies one level to a variant, decoding it as strictly as the file. It
// says whether the factor's path leads anywhere, whatever the level.
func (d *decoder) set(v *Variant, factor string, level *node) bool {
	head, rest, _ := strings.Cut(factor, ".")
	name, own, ofOne := ofMember(factor)
	switch {
	case ofOne:
		return d.setMember(v, factor, name, own, level)
	case slices.Contains(ownFields(), head):
		return d.setMember(v, factor, "", factor, level)
	case factor == storageFactor:
		return true // the base already is of that storage
	case factor == deploymentFactor:
		d.value(level, reflect.ValueOf(&v.Deployment).Elem(), factor)
		return true
	case head == storageFactor && strings.Contains(rest, "."):
		_, parameter, _ := strings.Cut(rest, ".")
		return d.setParameter(v.Storage().Parameters, factor, parameter, level)
	}
	d.problem(level, factor, fmt.Sprintf("%q cannot be varied", factor), factorExpected)
	return false
}

// setOwn applies one level to an application; own is the factor's path in it.
func (d *decoder) setOwn(a *Application, factor, own string, level *node) bool {
	head, rest, _ := strings.Cut(own, ".")
	switch {
	case head == "engine" && rest != "":
		return d.setField(reflect.ValueOf(&a.Engine).Elem(), factor, rest, level)
	case head == "stack" && strings.Contains(rest, "."):
		return d.setServer(a, factor, rest, level)
	case head == "load" && rest != "":
		return d.setField(reflect.ValueOf(&a.Load).Elem(), factor, rest, level)
	case strings.HasPrefix(own, parameterFactor):
		return d.setParameter(a.Workload.Parameters, factor, strings.TrimPrefix(own, parameterFactor), level)
	}
	d.problem(level, factor, fmt.Sprintf("%q cannot be varied", factor), factorExpected)
	return false
}

// setServer changes a field of a server of the stack.
func (d *decoder) setServer(a *Application, factor, path string, level *node) bool {
	role, field, _ := strings.Cut(path, ".")
	e, ok := a.Stack[role]
	if !ok {
		d.near(level, factor, fmt.Sprintf("the stack has no role %q", role), role, sortedKeys(a.Stack))
		return false
	}
	set := d.setField(reflect.ValueOf(&e).Elem(), factor, field, level)
	a.Stack[role] = e
	return set
}

func (d *decoder) setParameter(parameters any, factor, path string, level *node) bool {
	if parameters == nil {
		return true // the kind is unknown; that is already noted
	}
	return d.setField(reflect.ValueOf(parameters).Elem(), factor, path, level)
}

// setField finds the field at a path and decodes the level into it.
func (d *decoder) setField(v reflect.Value, factor, path string, level *node) bool {
	switch v.Kind() {
	case reflect.Struct:
		return d.setStructField(v, factor, path, level)
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return d.setField(v.Elem(), factor, path, level)
	case reflect.Map:
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
		value := reflect.New(v.Type().Elem()).Elem()
		d.value(level, value, factor)
		v.SetMapIndex(reflect.ValueOf(path).Convert(v.Type().Key()), value)
		return true
	}
	d.problem(level, factor, fmt.Sprintf("%q has no fields below it", strings.TrimSuffix(factor, "."+path)), "the path of a single value")
	return false
}

func (d *decoder) setStructField(v reflect.Value, factor, path string, level *node) bool {
	key, rest, deeper := strings.Cut(path, ".")
	targets, names := fieldsOf(v)
	target, known := targets[key]
	switch {
	case !known:
		d.near(level, factor, fmt.Sprintf("unknown field %q", key), key, names)
		return false
	case deeper:
		return d.setField(target, factor, rest, level)
	}
	d.value(level, target, factor)
	return true
}

// factors checks the matrix: each level alone, at its place, and then all
// combinations.
func (c *checker) factors() {
	c.soundSoFar = len(c.problems) == c.began
	for _, f := range c.study.Matrix.Factors {
		c.factor(f, "matrix."+f.Path)
	}
	c.excludes()
	if len(c.problems) == c.began && c.root.at("matrix").form == mapping {
		c.combinations()
	}
}

func (c *checker) factor(f Factor, path string) {
	levels := c.levelNodes(f.Path)
	if c.misread[c.root.get("matrix").get(f.Path)] {
		return
	}
	if len(f.Levels) == 0 {
		c.wrongFactor(f.Path, path, "the list of levels is empty", "a list of levels, such as [1, 2]")
		return
	}
	if len(levels) != len(f.Levels) {
		return
	}
	seen := map[string]bool{}
	for i, level := range f.Levels {
		if level == nil {
			continue // not a single value; that is already noted
		}
		if seen[LevelText(level)] {
			c.problem(levels[i], path, fmt.Sprintf("duplicate level %s", LevelText(level)), "each level only once")
			continue
		}
		seen[LevelText(level)] = true
		before := len(c.problems)
		if !c.level(f, levels[i], path) {
			c.blamePath(f.Path, before)
			return
		}
	}
}

// blamePath shows the last problem at the factor's name, because its path leads
// nowhere, whatever the level, and drops the others found since.
func (c *checker) blamePath(factor string, since int) {
	p := c.problems[len(c.problems)-1]
	c.problems = c.problems[:since]
	at := c.root.get("matrix").field(factor)
	c.add(at.line, at.column, "matrix."+factor, p.Found, p.Expected, p.Suggestion)
}

func (c *checker) levelNodes(factor string) []*node {
	return c.root.get("matrix").get(factor).list()
}

func (n *node) list() []*node {
	if n == nil {
		return nil
	}
	return n.items
}

// wrongFactor notes a problem at the factor's name.
func (c *checker) wrongFactor(factor, path, found, expected string) {
	if f := c.root.get("matrix").field(factor); f != nil {
		c.problem(&node{line: f.line, column: f.column}, path, found, expected)
	}
}

// level tries one level of one factor; false says that the factor's path is
// wrong, and the last problem says how.
func (c *checker) level(f Factor, level *node, path string) bool {
	if f.Path == storageFactor {
		if _, known := c.study.Storage[level.text]; !known {
			c.near(level, path, fmt.Sprintf("unknown storage %q", level.text), level.text, c.study.StorageOrder)
		}
		return true
	}
	concerned := c.concerned(f.Path)
	if len(c.study.StorageOrder) == 0 {
		return true // there is nothing to try it on; that is already noted
	}
	if len(concerned) == 0 {
		name, _, _ := strings.Cut(strings.TrimPrefix(f.Path, "storage."), ".")
		c.near(level, path, fmt.Sprintf("unknown storage %q", name), name, c.study.StorageOrder)
		return false
	}
	for _, name := range concerned {
		if !c.tryLevel(f.Path, name, level, path) {
			return false
		}
	}
	return true
}

// concerned lists the storages on which a factor shows; for one that has
// nothing to do with storage the first stands for all.
func (c *checker) concerned(factor string) []string {
	if !strings.HasPrefix(factor, "storage.") {
		return c.study.StorageOrder[:min(1, len(c.study.StorageOrder))]
	}
	var names []string
	for _, name := range c.study.StorageOrder {
		if applies(factor, name) {
			names = append(names, name)
		}
	}
	return names
}

// tryLevel applies a level to a storage's variant and checks what comes of it.
func (c *checker) tryLevel(factor, storageName string, level *node, path string) bool {
	v, err := c.study.base(storageName)
	if err != nil {
		c.problem(level, path, err.Error(), "")
		return true
	}
	before := len(c.problems)
	if !c.set(&v, factor, level) {
		return false
	}
	if len(c.problems) == before && c.soundSoFar {
		c.variant(&v, level)
	}
	return true
}

// variant checks a variant whose problems, if any, come from a level, and are
// shown there.
func (c *checker) variant(v *Variant, level *node) {
	for n, one := range v.Tile() {
		at := *c
		at.study, at.root = c.study.Tile()[n], level // every path ends at the level
		at.varied(&one)
		at.deployment(one, deploymentFactor)
		at.loadShape(one.Load, one.Workload, "load")
		if kind, ok := c.vocabulary.Workloads[one.Workload.Name]; ok && one.Workload.Parameters != nil {
			c.invalid(level, kind, one.Workload.Parameters, "workload.parameters")
		}
	}
	if s := v.Storage(); s.Parameters != nil {
		c.invalid(level, c.vocabulary.Classes[s.Class], s.Parameters, "storage."+v.StorageName)
	}
}

// varied checks the servers that a level changed.
func (c *checker) varied(v *Variant) {
	if v.Engine.Name != c.study.Engine.Name && c.engineName(v.Engine.Name, "engine.name") {
		for _, r := range c.vocabulary.Workloads[v.Workload.Name].roles(v.Workload.Parameters, v.names) {
			c.fills("engine", v.Engine, r)
		}
	}
	c.engineLimits(v.Engine, "engine")
	for _, role := range sortedKeys(v.Stack) {
		if e := v.Stack[role]; c.engineName(e.Name, "stack."+role+".name") {
			c.engineLimits(e, "stack."+role)
		}
	}
}

func (c *checker) excludes() {
	for i, ex := range c.study.Matrix.Exclude {
		path := fmt.Sprintf("matrix.exclude.%d", i)
		at := c.root.get("matrix").get("exclude").list()[i]
		if len(ex) == 0 && at.form == mapping {
			c.problem(at, path, "nothing is excluded", "factors and the level of each")
		}
		for _, factor := range sortedKeys(ex) {
			c.priceFor(factor, LevelText(ex[factor]), path)
		}
	}
}

// combinations expands the matrix, for what only shows when levels meet.
func (c *checker) combinations() {
	variants, err := c.study.Expand()
	switch {
	case err != nil:
		c.wrong("matrix", err.Error(), "")
	case len(variants) == 0:
		c.wrong("matrix.exclude", "every variant is excluded", "at least one variant that is not excluded")
	case len(variants) > mostVariants:
		c.wrong("matrix", fmt.Sprintf("the matrix has %d variants", len(variants)), fmt.Sprintf("at most %d", mostVariants))
	}
}
