package study

import (
	"fmt"
	"strconv"
	"strings"

	"plimsoll/internal/text/unit"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// A node is a piece of a study file with its place. The tree is our own,
// rather than the YAML library's, because profiles are merged into it and
// because levels of a matrix are made into nodes too.
type node struct {
	form   form
	text   string  // of a scalar, as written, without quotes
	fields []field // of a mapping, in the order of the file
	items  []*node // of a sequence
	line   int
	column int
}

// field is one "key: value" of a mapping.
type field struct {
	key    string
	line   int // of the key
	column int
	value  *node
}

type form uint8

const (
	empty    form = iota // null, or nothing after the colon
	plain                // a number, a truth value or unquoted text
	quoted               // text in quotes, or a block of text
	sequence             // a list
	mapping              // fields
)

// describe names what a node is, for "found ...".
func (n *node) describe() string {
	switch n.form {
	case empty:
		return "nothing"
	case sequence:
		return "a list"
	case mapping:
		return "a mapping"
	case quoted:
		return fmt.Sprintf("the text %q", n.text)
	default:
		return strconv.Quote(n.text)
	}
}

// get finds a field of a mapping.
func (n *node) get(key string) *node {
	if f := n.field(key); f != nil {
		return f.value
	}
	return nil
}

func (n *node) field(key string) *field {
	if n == nil {
		return nil
	}
	for i := range n.fields {
		if n.fields[i].key == key {
			return &n.fields[i]
		}
	}
	return nil
}

// at finds the node at a path of keys and list positions, or the deepest one
// on the way to it; a problem is then shown there.
func (n *node) at(path string) *node {
	if path == "" || n == nil {
		return n
	}
	key, rest, _ := strings.Cut(path, ".")
	if i, err := strconv.Atoi(key); err == nil && n.form == sequence && i >= 0 && i < len(n.items) {
		return n.items[i].at(rest)
	}
	// A key may contain dots itself (a storage named "fast.ssd"), so the
	// longest key that fits goes first.
	for _, f := range n.fields {
		if strings.Contains(f.key, ".") && (path == f.key || strings.HasPrefix(path, f.key+".")) {
			return f.value.at(strings.TrimPrefix(strings.TrimPrefix(path, f.key), "."))
		}
	}
	if f := n.field(key); f != nil {
		if f.value.form == empty {
			return &node{line: f.line, column: f.column}
		}
		return f.value.at(rest)
	}
	return n
}

// mostAliased is the largest number of values that aliases may repeat.
const mostAliased = 20_000

// builder makes nodes from the YAML library's syntax tree.
type builder struct {
	anchors map[string]*node
	sizes   map[*node]int
	aliased int // values repeated so far
	report  func(line, column int, found, expected string)
}

func (b *builder) build(n ast.Node) *node {
	out := b.shape(n)
	if b.sizes[out] == 0 {
		b.sizes[out] = b.measure(out)
	}
	return out
}

func (b *builder) measure(n *node) int {
	size := 1
	for _, f := range n.fields {
		size += b.sizes[f.value]
	}
	for _, item := range n.items {
		size += b.sizes[item]
	}
	return size
}

func (b *builder) shape(n ast.Node) *node {
	switch n := n.(type) {
	case nil:
		return &node{line: 1, column: 1}
	case *ast.NullNode:
		return placed(empty, "", n.Token)
	case *ast.StringNode:
		return placed(quoting(n.Token), n.Value, n.Token)
	case *ast.LiteralNode:
		return b.literal(n)
	case *ast.MappingNode:
		return b.mapping(n.GetToken(), n.Values)
	case *ast.MappingValueNode:
		return b.mapping(n.Key.GetToken(), []*ast.MappingValueNode{n})
	case *ast.SequenceNode:
		return b.sequence(n)
	case *ast.AnchorNode:
		return b.anchor(n)
	case *ast.AliasNode:
		return b.alias(n)
	case *ast.TagNode:
		out := placed(empty, "", n.Start)
		b.report(out.line, out.column, fmt.Sprintf("the tag %s is not supported in studies", n.Start.Value), "a plain value")
		return out
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return placed(plain, n.GetToken().Value, n.GetToken())
	default:
		out := placed(empty, "", n.GetToken())
		b.report(out.line, out.column, "this YAML feature is not supported in studies", "a mapping, a list, text or a number")
		return out
	}
}

func (b *builder) literal(n *ast.LiteralNode) *node {
	text := ""
	if n.Value != nil {
		text = n.Value.Value
	}
	return placed(quoted, text, n.Start)
}

func (b *builder) mapping(start *token.Token, values []*ast.MappingValueNode) *node {
	out := placed(mapping, "", start)
	for i, v := range values {
		key, ok := b.key(v)
		if !ok {
			continue
		}
		if i == 0 && !strings.HasPrefix(start.Value, "{") {
			out.line, out.column = key.line, key.column
		}
		if first := out.field(key.key); first != nil {
			b.report(key.line, key.column, fmt.Sprintf("duplicate field %q (first on line %d)", key.key, first.line), "each field only once")
			continue
		}
		key.value = b.build(v.Value)
		if key.value.form == empty && key.value.line == 0 {
			key.value.line, key.value.column = key.line, key.column
		}
		out.fields = append(out.fields, key)
	}
	return out
}

func (b *builder) key(v *ast.MappingValueNode) (field, bool) {
	t := v.Key.GetToken()
	f := field{line: t.Position.Line, column: t.Position.Column}
	switch k := v.Key.(type) {
	case *ast.StringNode:
		f.key = k.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		f.key = t.Value
	case *ast.MergeKeyNode:
		b.report(f.line, f.column, "merge keys (<<) are not supported in studies", "the fields themselves, or a profile")
		return f, false
	default:
		b.report(f.line, f.column, "this is not a valid field name", "a word")
		return f, false
	}
	return f, true
}

func (b *builder) sequence(n *ast.SequenceNode) *node {
	out := placed(sequence, "", n.GetToken())
	for _, v := range n.Values {
		out.items = append(out.items, b.build(v))
	}
	return out
}

func (b *builder) anchor(n *ast.AnchorNode) *node {
	out := b.build(n.Value)
	if n.Name != nil {
		b.anchors[n.Name.GetToken().Value] = out
	}
	return out
}

func (b *builder) alias(n *ast.AliasNode) *node {
	missing := placed(empty, "", n.Start)
	if n.Value == nil {
		return missing
	}
	name := n.Value.GetToken().Value
	target, ok := b.anchors[name]
	if !ok {
		b.report(missing.line, missing.column, fmt.Sprintf("no anchor &%s is defined before this line", name), "the name of an anchor")
		return missing
	}
	b.aliased += b.sizes[target]
	if b.aliased > mostAliased {
		b.report(missing.line, missing.column, "aliases make this file too large", fmt.Sprintf("at most %d repeated values", mostAliased))
		return missing
	}
	return target
}

// placed makes a node at the place of a token.
func placed(f form, text string, t *token.Token) *node {
	out := &node{form: f, text: text}
	if t != nil && t.Position != nil {
		out.line, out.column = t.Position.Line, t.Position.Column
	}
	return out
}

func quoting(t *token.Token) form {
	if t != nil && (t.Type == token.SingleQuoteType || t.Type == token.DoubleQuoteType) {
		return quoted
	}
	return plain
}

// scalarNode makes a node from a level, at the place where the level was
// written.
func scalarNode(level any, at *node) *node {
	out := &node{form: plain, text: LevelText(level)}
	if s, isText := level.(string); isText {
		out.text = s
		if _, isPlainText := natural(s).(string); !isPlainText {
			out.form = quoted
		}
	}
	if at != nil {
		out.line, out.column = at.line, at.column
	}
	return out
}

// natural gives an unquoted scalar the type it looks like, unless it would
// then print otherwise: 10.10 is a version, not ten and a tenth.
func natural(text string) any {
	switch text {
	case "true":
		return true
	case "false":
		return false
	}
	if i, err := strconv.ParseInt(text, 10, 64); err == nil && LevelText(i) == text {
		return i
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil && LevelText(f) == text && unit.IsNumber(text) {
		return f
	}
	return text
}

// LevelText prints a level of a factor as it appears in Variant.Factors.
func LevelText(level any) string {
	switch v := level.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return fmt.Sprint(v)
	}
}
