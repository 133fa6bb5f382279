package say_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The list of sentences matches the code: every sentence is listed with its conditions, and
// every listed sentence exists.
func TestSentencesAreListed(t *testing.T) {
	text, err := os.ReadFile("../../../docs/contributing/sentences.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	name := regexp.MustCompile("`(\\w+)`")
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(strings.TrimSpace(line), "|"); len(cells) == 5 {
			for _, m := range name.FindAllStringSubmatch(cells[3], -1) {
				listed[m[1]] = true
			}
		}
	}
	written := writers(t, ".", "limit", "reply", "verdict", "../trust", "../grade", "../price", "../compare", "../compare/family")
	for f := range written {
		if !listed[f] {
			t.Errorf("%s writes a sentence that docs/contributing/sentences.md does not list", f)
		}
	}
	for f := range listed {
		if !written[f] {
			t.Errorf("docs/contributing/sentences.md names %s, which writes none", f)
		}
	}
}

// writers are the functions of some packages that hold four words or more in a row.
func writers(t *testing.T, folders ...string) map[string]bool {
	all := map[string]bool{}
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(folder, err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				if f, is := d.(*ast.FuncDecl); is && writes(f) {
					all[f.Name.Name] = true
				}
			}
		}
	}
	return all
}

// writes reports whether a function contains words other than those in errors.
func writes(f *ast.FuncDecl) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if call, is := n.(*ast.CallExpr); is {
			if s, is := call.Fun.(*ast.SelectorExpr); is && s.Sel.Name == "Errorf" {
				return false
			}
		}
		if l, is := n.(*ast.BasicLit); is && l.Kind == token.STRING {
			text, _ := strconv.Unquote(l.Value) // of a file that was parsed
			found = found || len(strings.Fields(text)) >= 4
		}
		return true
	})
	return found
}
