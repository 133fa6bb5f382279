package study

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the descriptions anew")

// What the schema says of types and fields is what their comments say.
func TestDescriptionsAreCurrent(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "study.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(comments(file)); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("descriptions.json", text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(text.Bytes(), descriptions) {
		t.Error("descriptions.json is not what study.go says: go test ./internal/study -run TestDescriptionsAreCurrent -update")
	}
}

// comments collects the comments on types and fields of a Go file.
func comments(file *ast.File) map[string]string {
	found := map[string]string{}
	for _, decl := range file.Decls {
		general, ok := decl.(*ast.GenDecl)
		if !ok || general.Tok != token.TYPE {
			continue
		}
		for _, spec := range general.Specs {
			typeComments(found, general, spec.(*ast.TypeSpec))
		}
	}
	return found
}

func typeComments(found map[string]string, decl *ast.GenDecl, spec *ast.TypeSpec) {
	name := commentKey(spec.Name.Name)
	found[name] = oneLine(decl.Doc.Text())
	structure, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range structure.Fields.List {
		text := oneLine(f.Doc.Text() + " " + f.Comment.Text())
		for _, id := range f.Names {
			if text != "" {
				found[name+"."+id.Name] = text
			}
		}
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
