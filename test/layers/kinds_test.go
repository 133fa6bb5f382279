package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"testing"
)

// deciding are the halls that decide by what others have found.
var deciding = []string{"analysis", "campaign", "report", "result"}

// A kind or a stage is compared with a constant, which a compiler finds everywhere: not with a
// text, which whoever rewords it forgets.
func TestKindsAreNoLiterals(t *testing.T) {
	for _, hall := range deciding {
		sources(t, filepath.Join("../../internal", hall), ".go", func(path string) {
			files := token.NewFileSet()
			parsed, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, at := range literalKinds(parsed) {
				t.Errorf("%s compares a kind with a text: make it a constant of the package that names it", files.Position(at))
			}
		})
	}
}

// literalKinds are comparisons of fields called Kind or Stage with texts, but for the empty one.
func literalKinds(file *ast.File) (all []token.Pos) {
	is := func(e ast.Expr) bool {
		s, ok := e.(*ast.SelectorExpr)
		return ok && slices.Contains([]string{"Kind", "Stage", "kind", "stage"}, s.Sel.Name)
	}
	text := func(e ast.Expr) bool {
		l, ok := e.(*ast.BasicLit)
		return ok && l.Kind == token.STRING && l.Value != `""`
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if (n.Op == token.EQL || n.Op == token.NEQ) && (is(n.X) && text(n.Y) || text(n.X) && is(n.Y)) {
				all = append(all, n.Pos())
			}
		case *ast.SwitchStmt:
			if n.Tag == nil || !is(n.Tag) {
				break
			}
			for _, c := range n.Body.List {
				all = append(all, literalsOf(c.(*ast.CaseClause).List, text)...)
			}
		}
		return true
	})
	return all
}

func literalsOf(some []ast.Expr, text func(ast.Expr) bool) (all []token.Pos) {
	for _, e := range some {
		if text(e) {
			all = append(all, e.Pos())
		}
	}
	return all
}

// The rule finds the comparisons that it is for, and no others.
func TestLiteralKinds(t *testing.T) {
	parsed, err := parser.ParseFile(token.NewFileSet(), "x.go", `package x
func x() {
	_ = s.Kind == "device"
	_ = "drive" != f.Stage
	switch s.Kind { case Device, "cpu": }
	_ = s.Kind == ""
	_ = s.Kind == describe.DeviceKind
	_ = s.Name == "device"
	switch s.Name { case "cpu": }
}`, 0)
	if err != nil {
		t.Fatal(err)
	}
	if found := literalKinds(parsed); len(found) != 3 {
		t.Errorf("%d comparisons are found", len(found))
	}
}
