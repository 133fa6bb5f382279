package warning

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each form that the code makes has one sentence in the table, each sentence is made somewhere,
// and each is given as many values as its format has verbs.
func TestFormsHaveSentences(t *testing.T) {
	forms, listed := formsOf(t), listedForms(t)
	calls := uses(t, forms)
	for name := range forms {
		if listed[name] == "" {
			t.Errorf("trust.%s has no sentence", name)
		}
		if len(calls[name]) == 0 {
			t.Errorf("nothing is said by trust.%s", name)
		}
	}
	for name, format := range listed {
		want := len(verb.FindAllString(strings.ReplaceAll(format, "%%", ""), -1))
		for _, call := range calls[name] {
			if call.args >= 0 && call.args != want {
				t.Errorf("%s: trust.%s has %d values, and %d verbs: %s", call.at, name, call.args, want, format)
			}
		}
	}
}

// A form names one sentence of its kind, which says for what evidence it is.
func TestSentencesAreWhole(t *testing.T) {
	seen := map[formOf]bool{}
	for _, c := range chapters() {
		for _, s := range c.subjects {
			for _, one := range s.sentences {
				at := formOf{s.kind, one.form}
				if seen[at] || one.needs == "" || one.format == "" || s.kind == "" || one.form == "" {
					t.Errorf("%+v is there twice or not whole", at)
				}
				seen[at] = true
				if unknown := regexp.MustCompile(`%[^sdav%]`).FindString(strings.ReplaceAll(one.format, "%%", "")); unknown != "" {
					t.Errorf("%+v has %s", at, unknown)
				}
			}
		}
	}
}

// formsOf are the constants of forms by their names.
func formsOf(t *testing.T) map[string]bool {
	all := map[string]bool{}
	for _, d := range parsed(t, "../../trust/forms.go").Decls {
		group, _ := d.(*ast.GenDecl)
		for _, spec := range group.Specs {
			for _, name := range spec.(*ast.ValueSpec).Names {
				all[name.Name] = true
			}
		}
	}
	return all
}

// listedForms are the formats of the table by the names of their forms.
func listedForms(t *testing.T) map[string]string {
	all := map[string]string{}
	for _, path := range []string{"trial.go", "machine.go", "work.go", "run.go"} {
		ast.Inspect(parsed(t, path), func(n ast.Node) bool {
			row, is := n.(*ast.CompositeLit)
			if !is || row.Type != nil || len(row.Elts) != 3 {
				return true
			}
			form, format := nameOf(row.Elts[0]), row.Elts[1].(*ast.BasicLit).Value
			if all[form] != "" {
				t.Errorf("trust.%s has two sentences", form)
			}
			all[form] = format
			return true
		})
	}
	return all
}

// use is a place at which the code names a form, and how many values it gives; -1 where that is
// said elsewhere.
type use struct {
	at   token.Position
	args int
}

// uses are the places of all forms in the code without tests.
func uses(t *testing.T, forms map[string]bool) map[string][]use {
	all := map[string][]use{}
	positions := token.NewFileSet()
	for _, path := range sources(t) {
		file, err := parser.ParseFile(positions, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		form := formName(forms, filepath.Base(filepath.Dir(path)) == "trust")
		counted := map[ast.Node]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, is := n.(*ast.CallExpr); is {
				for i, arg := range call.Args {
					if name := form(arg); name != "" && makes(call) && !call.Ellipsis.IsValid() {
						counted[arg] = true
						all[name] = append(all[name], use{positions.Position(arg.Pos()), len(call.Args) - i - 1})
					}
				}
			}
			if e, is := n.(ast.Expr); is && form(e) != "" && !counted[n] {
				all[form(e)] = append(all[form(e)], use{positions.Position(n.Pos()), -1})
				return false
			}
			return !counted[n]
		})
	}
	return all
}

// formName gives the name of a form where an expression is one, in package trust or elsewhere.
func formName(forms map[string]bool, inTrust bool) func(ast.Expr) string {
	return func(e ast.Expr) string {
		s, qualified := e.(*ast.SelectorExpr)
		if name := nameOf(e); forms[name] && (inTrust && !qualified || qualified && nameOf(s.X) == "trust") {
			return name
		}
		return ""
	}
}

// makes reports whether a call makes a warning, or a statement within one, of a form and its
// values.
func makes(call *ast.CallExpr) bool {
	switch nameOf(call.Fun) {
	case "Warn", "warn", "Because", "unsteady", "add", "Settle":
		return true
	}
	return false
}

// sources are the files of the analysis other than the table and tests.
func sources(t *testing.T) (all []string) {
	err := filepath.WalkDir("../..", func(path string, d os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && filepath.Base(path) != "forms.go" && !strings.HasSuffix(filepath.Dir(path), "say/warning") {
			all = append(all, path)
		}
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatal(err)
	}
	return all
}

func parsed(t *testing.T, path string) *ast.File {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// nameOf is the name of an identifier, without its package.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}
