package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// generic are the packages that must know no workload, engine or class. Their
// words come from the registries and from what kinds say of themselves.
var generic = []string{
	"analysis", "campaign", "cli", "describe", "host", "platform", "report", "result", "storage/devicepool", "study", "text", "workload/driver",
}

// ofOneKind finds the names of kinds, and words that belong to one workload.
var ofOneKind = regexp.MustCompile(`(?i)dvd ?store|\bds2\b|\boltp\b|blockio|smallfiles|gluster|mariadb|postgres|\bOPM\b|\borders\b|\ban order\b|\bcustomers?\b|\bcents\b|^order$`)

// mayName are the places that name kinds on purpose.
var mayName = []string{
	"cli/registry/registry.go", // registers them
	"analysis/sizing/",         // cites the publication that its rules are from
	"machine/disks.go",         // names of file systems as the kernel has them
	"supportbundle/clean.go",   // command lines whose passwords it removes
	"study/templates/",         // study files to begin with, of the kinds that people ask for
}

func allowedToName(path string) bool {
	return slices.ContainsFunc(mayName, func(prefix string) bool { return strings.Contains(filepath.ToSlash(path), prefix) })
}

func TestGenericPackagesNameNoKind(t *testing.T) {
	for _, pkg := range generic {
		sources(t, filepath.Join("../../internal", pkg), ".go", func(path string) {
			if allowedToName(path) || strings.Contains(path, "/platform/local") || strings.Contains(path, "test/") {
				return
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
					if found := ofOneKind.FindString(strings.Trim(text.Value, "`\"")); found != "" {
						t.Errorf("%s says %q in %s: take it from what the kind says of itself", path, found, text.Value)
					}
				}
				return true
			})
		})
	}
}

func TestThePageNamesNoKind(t *testing.T) {
	comment := regexp.MustCompile(`(?s)/\*.*?\*/|(?m)//.*$`)
	literal := regexp.MustCompile("\"[^\"\n]*\"|`[^`]*`")
	sources(t, "../../web/src", ".ts", func(path string) {
		if strings.HasSuffix(path, ".test.ts") {
			return
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range literal.FindAllString(comment.ReplaceAllString(string(text), ""), -1) {
			if found := ofOneKind.FindString(strings.Trim(l, "`\"")); found != "" {
				t.Errorf("%s says %q in %s: take it from the profile of the workload", path, found, l)
			}
		}
	})
}

// sources visits the files of a directory that are not tests.
func sources(t *testing.T, dir, extension string, visit func(path string)) {
	t.Helper()
	everyFile(t, dir, extension, func(path string) {
		if !strings.HasSuffix(path, "_test.go") {
			visit(path)
		}
	})
}

// everyFile visits all files of a directory that end so.
func everyFile(t *testing.T, dir, extension string, visit func(path string)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, extension) {
			return err
		}
		visit(path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
