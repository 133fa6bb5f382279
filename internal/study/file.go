package study

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"plimsoll/internal/text/sanitize"
)

// largestFile bounds the size of a study file, in bytes. Shipped studies have a hundredth
// of it.
const largestFile = 256 << 10

// deepest bounds the nesting of brackets, because the YAML library recurses.
const deepest = 200

// mostProblems is how many problems are listed; a file that is something else
// altogether would fill the screen.
const mostProblems = 40

// source is a study file while it is read: its lines, its tree, its problems.
type source struct {
	file     string
	lines    []string
	settings []string // from the command line: lines after the end of the file
	problems []Problem
}

// load reads the file's tree; nil when it is not YAML at all.
func load(file string, data []byte) (*source, *node) {
	s := &source{file: file}
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // editors leave a byte-order mark
	if !s.readable(data) {
		return s, nil
	}
	s.lines = strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	parsed, err := parseYAML(data)
	if err != nil {
		s.notYAML(err)
		return s, nil
	}
	return s, s.root(parsed)
}

func (s *source) readable(data []byte) bool {
	if len(data) > largestFile {
		s.add(1, 1, "", fmt.Sprintf("the file has %d bytes", len(data)), fmt.Sprintf("a study of at most %d bytes", largestFile), "")
		return false
	}
	if !s.text(data) {
		return false
	}
	if depth(data) > deepest {
		s.add(1, 1, "", "the brackets or lists are nested too deeply", fmt.Sprintf("at most %d levels", deepest), "")
		return false
	}
	return true
}

// text reports whether the file is text in UTF-8; where it is not, the line says so.
func (s *source) text(data []byte) bool {
	const expected = "YAML text in UTF-8"
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		s.add(1, 1, "", "the file is text in UTF-16", expected, "")
		return false
	}
	for i, rest := 0, data; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if r == 0 || r == utf8.RuneError && size == 1 {
			before := data[:i]
			line := before[bytes.LastIndexByte(before, '\n')+1:]
			found := "the file is binary"
			if r != 0 {
				found = fmt.Sprintf("the byte 0x%02X is not UTF-8", rest[0])
			}
			s.add(bytes.Count(before, []byte("\n"))+1, utf8.RuneCount(line)+1, "", found, expected, "")
			return false
		}
		i, rest = i+size, rest[size:]
	}
	return true
}

// depth is an upper bound of the nesting: open brackets, or leading spaces and
// dashes of a line.
func depth(data []byte) int {
	open, worst := 0, 0
	for line := range strings.Lines(string(data)) {
		lead := len(line) - len(strings.TrimLeft(line, " -?:\t"))
		open += strings.Count(line, "[") + strings.Count(line, "{")
		worst = max(worst, open, lead)
		open = max(0, open-strings.Count(line, "]")-strings.Count(line, "}"))
	}
	return worst
}

// parseYAML keeps a defect of the YAML library from ending the program.
func parseYAML(data []byte) (file *ast.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			file, err = nil, fmt.Errorf("the file is not valid YAML (%v)", p)
		}
	}()
	return parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
}

func (s *source) notYAML(err error) {
	line, column, message := 1, 1, err.Error()
	var syntax *yaml.SyntaxError
	if errors.As(err, &syntax) {
		message = syntax.Message
		if t := syntax.Token; t != nil && t.Position != nil {
			line, column = t.Position.Line, t.Position.Column
		}
	}
	if line >= 1 && line <= len(s.lines) && strings.Contains(s.lines[line-1], "\t") {
		message += " (the line has a tab; YAML is indented with spaces)"
	}
	s.add(line, column, "", "this is not valid YAML: "+message, "", "")
}

// root makes the tree of the file's only document.
func (s *source) root(parsed *ast.File) (root *node) {
	defer func() {
		if p := recover(); p != nil {
			s.add(1, 1, "", fmt.Sprintf("the file is not valid YAML (%v)", p), "", "")
			root = nil
		}
	}()
	var bodies []ast.Node
	for _, doc := range parsed.Docs {
		if doc.Body != nil && !slices.Contains([]ast.NodeType{ast.CommentType, ast.DirectiveType}, doc.Body.Type()) {
			bodies = append(bodies, doc.Body)
		}
	}
	switch {
	case len(bodies) == 0:
		s.add(1, 1, "", "the file is empty", "a study; `plimsoll studies` lists examples", "")
		return nil
	case len(bodies) > 1:
		t := bodies[1].GetToken()
		s.add(t.Position.Line, t.Position.Column, "", "a second document starts here", "one study per file", "")
		return nil
	}
	b := &builder{anchors: map[string]*node{}, sizes: map[*node]int{}}
	b.report = func(line, column int, found, expected string) { s.add(line, column, "", found, expected, "") }
	root = b.build(bodies[0])
	s.printable(root)
	if root.form != mapping {
		s.add(root.line, root.column, "", "found "+root.describe(), "fields such as study:, workload: and storage:", "")
		return nil
	}
	return root
}

// printable notes control characters, which YAML can write as "\e" and which
// would command the terminals that the study is shown on.
func (s *source) printable(n *node) {
	s.noControl(n.text, n.line, n.column)
	for _, f := range n.fields {
		s.noControl(f.key, f.line, f.column)
		s.printable(f.value)
	}
	for _, item := range n.items {
		s.printable(item)
	}
}

func (s *source) noControl(text string, line, column int) {
	if i := strings.IndexFunc(text, sanitize.IsControl); i >= 0 {
		r, _ := utf8.DecodeRuneInString(text[i:])
		s.add(line, column, "", fmt.Sprintf("the text has the control character U+%04X", r), "text without control characters", "")
	}
}

// credentials matches a line with a URL that has a user, as http://me:secret@host, or
// what was meant as one, such as http://me:secret, and a line with a password of its
// own. Problems do not repeat such a line.
var credentials = regexp.MustCompile(`://.*@|:\S*@|://[^/\s]*:[^/\s\d]|://\S*[?#]|(?i:\b(password|passwd|passphrase|pwd|secret|token|api_?key|access_?key)["']?\s*[:=])`)

// add notes a problem at a place.
func (s *source) add(line, column int, path, found, expected, suggestion string) {
	p := Problem{File: s.file, Line: max(line, 1), Column: max(column, 1), Path: sanitize.Masked(path),
		Found: sanitize.Masked(found), Expected: sanitize.Masked(expected), Suggestion: sanitize.Masked(suggestion)}
	if p.Line <= len(s.lines) && !credentials.MatchString(s.lines[p.Line-1]) {
		p.Excerpt = s.lines[p.Line-1]
	}
	s.problems = append(s.problems, p)
}

// err returns all problems, or nil.
func (s *source) err() error {
	if len(s.problems) == 0 {
		return nil
	}
	list := inOrder(s.problems)
	for i, p := range list {
		if n := p.Line - len(s.lines) - 1; n >= 0 && n < len(s.settings) {
			list[i].File, list[i].Line, list[i].Column = settingName(s.settings[n]), 0, 0
		}
	}
	all := &Problems{File: s.file, List: list}
	if len(list) > mostProblems {
		all.List, all.Omitted = list[:mostProblems], len(list)-mostProblems
	}
	return all
}

// settingName is how problems name a setting.
func settingName(text string) string {
	if credentials.MatchString(text) {
		text, _, _ = strings.Cut(text, "=")
	}
	return "--set " + text
}
