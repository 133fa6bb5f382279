package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// analysis is the hall whose sentences are formed in package say and its packages.
const analysis = "../../internal/analysis/"

// formatters are what forms texts, by import path, with the names that others may use too.
var formatters = map[string][]string{"fmt": {"Errorf"}, "plimsoll/internal/text/words": nil}

// mayFormat are the places outside of say that use more of them, by the beginning of their path, and why.
var mayFormat = map[string]string{
	"analysistest/":     "makes up runs for tests",
	"trial/sound.go":    "says what of a trial cannot be true, as a value of a warning",
	"setup/settings.go": "writes values of any type as a study has them",
	"compare/":          "hands figures to say.F, and forms warnings; its sentences are still in it",
	"next/":             "hands figures to say.F; its sentences are still in it",
	"sizing/":           "hands figures to say.F, and forms warnings; its sentences are still in it",
	"say/":              "forms the sentences",
}

// Sentences of the analysis are formed in say alone: fmt is there for errors elsewhere.
func TestOnlySayFormsSentences(t *testing.T) {
	used := map[string]bool{}
	sources(t, analysis, ".go", func(path string) {
		files, file := parsed(t, path)
		for _, use := range formatting(file) {
			if reason := reasonOf(path, used); reason == "" {
				t.Errorf("%s forms a text: give values, and write the sentence in internal/analysis/say", files.Position(use.Pos()))
			}
		}
	})
	for prefix := range mayFormat {
		if !used[prefix] {
			t.Errorf("%s forms no text any more: take it off the list", prefix)
		}
	}
}

// reasonOf is why a file may form texts; empty where it may not.
func reasonOf(path string, used map[string]bool) string {
	below := strings.TrimPrefix(filepath.ToSlash(path), analysis)
	for prefix, reason := range mayFormat {
		if strings.HasPrefix(below, prefix) {
			used[prefix] = true
			return reason
		}
	}
	return ""
}

// formatting are the uses of what forms texts.
func formatting(file *ast.File) (found []ast.Node) {
	names := map[string][]string{}
	for _, i := range file.Imports {
		path, _ := strconv.Unquote(i.Path.Value) // of a file that was parsed
		if allowed, is := formatters[path]; is {
			names[filepath.Base(path)] = allowed
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if of, is := n.(*ast.SelectorExpr); is {
			if pkg, is := of.X.(*ast.Ident); is {
				if allowed, formats := names[pkg.Name]; formats && !slices.Contains(allowed, of.Sel.Name) {
					found = append(found, n)
				}
			}
		}
		return true
	})
	return found
}

// texts are fields that hold a sentence, a clause or a unit, which no other code may read a meaning from.
var texts = []string{"Text", "Headline", "Next", "Breaks", "Broken", "Brief", "Throughput", "Sure", "GradeReason"}

// searches are functions of package strings that look into a text or repair it.
var searches = []string{"Contains", "ContainsAny", "Cut", "CutPrefix", "CutSuffix", "EqualFold", "Fields", "HasPrefix", "HasSuffix", "Index", "Replace", "ReplaceAll", "Split", "TrimPrefix", "TrimSuffix"}

// mayRead are the places that look into a text, and why.
var mayRead = map[string]string{
	"internal/report/decision.go":              "leaves out the name of a variant that stands beside its sentence",
	"internal/analysis/say/warning/warning.go": "takes formats of its own table apart",
	"internal/analysis/trust/load.go":          "cuts the full stop of what the audit says",
}

// Neither analysis nor report decides by a sentence or a unit, nor repairs one: a value says what it means.
func TestNothingIsDecidedByText(t *testing.T) {
	for _, hall := range []string{"internal/analysis", "internal/report"} {
		sources(t, "../../"+hall, ".go", func(path string) {
			if mayRead[strings.TrimPrefix(filepath.ToSlash(path), "../../")] != "" {
				return
			}
			files, file := parsed(t, path)
			for _, use := range readings(file, strings.Contains(path, "/say/")) {
				t.Errorf("%s reads a meaning from a text, or repairs one: use a value, or a constant of its type", files.Position(use.Pos()))
			}
		})
	}
}

// readings are the places of a file that compare or search a text, or, in say, replace in one; a kind is
// compared with constants.
func readings(file *ast.File, inSay bool) (found []ast.Node) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if (n.Op == token.EQL || n.Op == token.NEQ) && (isWords(n.Y) && (isField(n.X, "Kind") || isField(n.X, texts...))) {
				found = append(found, n)
			}
		case *ast.CallExpr:
			of, is := n.Fun.(*ast.SelectorExpr)
			if pkg, named := ident(of, is); !named || pkg != "strings" || !slices.Contains(searches, of.Sel.Name) {
				return true
			}
			if isField(n.Args[0], texts...) || inSay && strings.HasPrefix(of.Sel.Name, "Replace") {
				found = append(found, n)
			}
		}
		return true
	})
	return found
}

// ident is the name before the point of a selector.
func ident(of *ast.SelectorExpr, is bool) (name string, ok bool) {
	if !is {
		return "", false
	}
	x, ok := of.X.(*ast.Ident)
	if !ok {
		return "", false
	}
	return x.Name, true
}

// isField reports whether an expression reads a field of one of the names.
func isField(e ast.Expr, names ...string) bool {
	of, is := e.(*ast.SelectorExpr)
	return is && slices.Contains(names, of.Sel.Name)
}

// isWords reports whether an expression is a text that is written out.
func isWords(e ast.Expr) bool {
	l, is := e.(*ast.BasicLit)
	return is && l.Kind == token.STRING && len(l.Value) > 2
}

func parsed(t *testing.T, path string) (*token.FileSet, *ast.File) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return files, file
}

// The rules find what they are for.
func TestTextsAreFound(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "x.go", `package x
import (
	"fmt"
	"plimsoll/internal/text/words"
)
func x() {
	fmt.Errorf("an error")
	fmt.Sprintf("a text")
	words.Count(1, "trial")
	_ = w.Text == "power cut"
	_ = w.Text == ""
	_ = s.Kind == "literal"
	_ = s.Kind == kind
	strings.HasPrefix(u.Throughput, "%")
	strings.HasPrefix(name, "fuse.")
}`, 0)
	if err != nil {
		t.Fatal(err)
	}
	if found := formatting(file); len(found) != 2 {
		t.Errorf("%d texts are formed, want 2", len(found))
	}
	if found := readings(file, false); len(found) != 3 {
		t.Errorf("%d are decided by, want 3", len(found))
	}
}
