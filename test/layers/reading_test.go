package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// received lists the packages that read run directories and files that another user may have
// made. A package that also reads the system's own files is listed by its files.
var received = []string{
	"internal/analysis", "internal/cli", "internal/host/journal/journal.go", "internal/report", "internal/result", "internal/storage/devicepool", "internal/study",
}

// opens are functions that wait for the writer of a pipe, or read what has no end.
var opens = []string{"Open", "OpenFile", "ReadFile", "ReadDir", "DirFS"}

// Files that somebody else may have made are read by package untrusted, which bounds them and waits
// for nobody: a pipe must not hang a command, and a sparse file must not fill its memory.
func TestReceivedFilesAreReadByUntrusted(t *testing.T) {
	for _, place := range received {
		sources(t, filepath.Join("../..", place), ".go", func(path string) {
			if strings.HasSuffix(filepath.Dir(path), "test") {
				return // helpers of tests
			}
			files := token.NewFileSet()
			parsed, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, call := range opening(parsed) {
				t.Errorf("%s reads what may be a pipe or endless; use package untrusted", files.Position(call.Pos()))
			}
		})
	}
}

// The rule finds the functions that it is for, but no file that is only written, or that the
// kernel makes.
func TestOpening(t *testing.T) {
	parsed, err := parser.ParseFile(token.NewFileSet(), "x.go", `package x
func x(a string) {
	os.Open(a)
	os.ReadFile(filepath.Join("/proc", a))
	os.OpenFile(a, os.O_RDONLY, 0)
	os.OpenFile(a, os.O_WRONLY|os.O_CREATE, 0)
	os.OpenFile(a, os.O_RDONLY|syscall.O_DIRECTORY, 0)
	os.OpenFile(a, flags, 0)
	os.ReadFile("/proc/self/stat")
	os.ReadFile("/sys/x")
	untrusted.ReadDir(a)
	os.Stat(a)
}`, 0)
	if err != nil {
		t.Fatal(err)
	}
	if found := opening(parsed); len(found) != 4 {
		t.Errorf("%d calls were found, want 4", len(found))
	}
}

// opening are the calls of a file that open what may be anything for reading.
func opening(file *ast.File) (found []*ast.CallExpr) {
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		of, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		pkg, ok := of.X.(*ast.Ident)
		if ok && pkg.Name == "os" && slices.Contains(opens, of.Sel.Name) && !ofTheKernel(call.Args[0]) && !waitsForNobody(call) {
			found = append(found, call)
		}
		return true
	})
	return found
}

// ofTheKernel says that a path is written out and leads to the kernel's own files.
func ofTheKernel(path ast.Expr) bool {
	text, ok := path.(*ast.BasicLit)
	return ok && (strings.HasPrefix(text.Value, `"/proc/`) || strings.HasPrefix(text.Value, `"/sys/`))
}

// waitsForNobody says that a file is opened to be written, or only if it is a directory.
func waitsForNobody(call *ast.CallExpr) (is bool) {
	for _, argument := range call.Args[1:] {
		ast.Inspect(argument, func(n ast.Node) bool {
			flag, ok := n.(*ast.SelectorExpr)
			is = is || ok && (flag.Sel.Name == "O_WRONLY" || flag.Sel.Name == "O_DIRECTORY")
			return true
		})
	}
	return is
}
