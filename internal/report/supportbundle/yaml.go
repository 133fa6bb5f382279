package supportbundle

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// yamlSecrets are the values of the secret keys of a YAML text as a reader of YAML has them:
// behind an alias, in several lines, of keys that are written with escapes. There are none of a
// text that cannot be read.
func yamlSecrets(text []byte) []string {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil
	}
	w := &yamlWalk{anchors: map[string]ast.Node{}, below: map[string]bool{}}
	for _, d := range file.Docs {
		ast.Walk(w, d)
	}
	for len(w.aliases) > 0 { // which may lead to more
		name := w.aliases[0]
		w.aliases = w.aliases[1:]
		if n := w.anchors[name]; n != nil && !w.below[name] {
			w.below[name] = true
			w.take(n)
		}
	}
	return w.found
}

// yamlWalk looks at each node of a document.
type yamlWalk struct {
	anchors map[string]ast.Node
	aliases []string        // that values of secret keys are
	below   map[string]bool // anchors whose values were taken
	found   []string
}

// Visit implements ast.Visitor.
func (w *yamlWalk) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.AnchorNode:
		w.anchors[n.Name.GetToken().Value] = n.Value
	case *ast.MappingValueNode:
		if isSecret(keyOf(n.Key)) {
			w.take(n.Value)
		}
	}
	return w
}

// keyOf is a key without its quotes.
func keyOf(n ast.Node) string {
	if k, ok := n.(*ast.MappingKeyNode); ok {
		n = k.Value
	}
	if s, ok := n.(*ast.StringNode); ok {
		return s.Value
	}
	return n.String()
}

// take adds all that is below the value of a secret key.
func (w *yamlWalk) take(n ast.Node) { ast.Walk((*yamlValues)(w), n) }

// yamlValues looks at each node below the value of a secret key.
type yamlValues yamlWalk

// Visit implements ast.Visitor.
func (v *yamlValues) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.AliasNode:
		v.aliases = append(v.aliases, n.Value.GetToken().Value)
	case *ast.StringNode:
		v.found = append(v.found, strings.Split(n.Value, "\n")...)
	case *ast.LiteralNode:
		v.found = append(v.found, strings.Split(n.Value.Value, "\n")...)
	}
	return v
}
