package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// asRoot lists the packages that work as root in directories below other users' directories: for
// volumes, work, logs, engines and data kept between runs.
var asRoot = []string{
	"app/fetch", "campaign", "host/archive", "host/clone", "host/confine", "platform", "storage",
}

// byPath are the functions of package os that make or change what a path leads to when
// they are called, whoever laid it there. safefile has one for each purpose.
var byPath = []string{"Chmod", "Chown", "Create", "Lchown", "Link", "Mkdir", "MkdirAll", "OpenFile", "Rename", "Symlink", "WriteFile"}

const inContainer = "in a container, where nobody else has processes"

// exempt are uses that are safe for a reason of their own.
var exempt = []struct{ file, function, reason string }{
	{"host/clone/clone.go", "Lchown", "a link that was just made in a directory which is root's alone until the copy is whole"},
	{"host/clone/link.go", "Symlink", "it fails where the name is taken, in a directory which is root's alone until the copy is whole"},
	{"platform/local/deployments.go", "OpenFile", "a device of the kernel"},
	{"platform/local/golden.go", "Rename", "within the cache, which Ensure has proved"},
	{"platform/local/temporary.go", "MkdirAll", "in a file system that was mounted for one server, in its own table of mounts, before it runs"},
	{"platform/kubernetes/detach/fetch.go", "MkdirAll", "where the user wants results, as any program of the user makes a directory"},
	{"platform/kubernetes/detach/fetch.go", "Rename", "within a directory that was made exclusively, to a name beside it"},
	{"platform/kubernetes/image/archive.go", "Rename", "of a file that was made exclusively, to a name beside it"},
	{"platform/kubernetes/image/archive.go", "WriteFile", "in a directory that was made exclusively"},
	{"platform/kubernetes/pod/child.go", "OpenFile", inContainer},
	{"platform/kubernetes/pod/install.go", "OpenFile", inContainer},
	{"platform/kubernetes/pod/install.go", "WriteFile", inContainer},
	{"platform/kubernetes/pod/serve.go", "MkdirAll", inContainer},
	{"platform/kubernetes/pod/serve.go", "WriteFile", inContainer},
	{"platform/kubernetes/pod/supervisor.go", "Symlink", inContainer},
	{"storage/probe/steps.go", "OpenFile", "made exclusively"},
	{"platform/logfile/bound.go", "OpenFile", "of a log in a directory that Ensure has proved; it makes no file and follows no link"},
	{"app/fetch/fetch.go", "Rename", "within the cache, which Ensure has proved"},
	{"host/confine/root.go", "Symlink", "in a file system that was mounted for one program, in its own table of mounts, before it runs"},
	{"storage/medium/serve.go", "OpenFile", "the image, which the class has made in its own directory"},
	{"storage/medium/serve.go", "WriteFile", "a file of the kernel"},
	{"storage/volumes/drop.go", "WriteFile", "a file of the kernel"},
	{"storage/ceph/golden.go", "Symlink", "a link of the copy, before the copy is given to its user"},
	{"storage/device/check.go", "OpenFile", "a device that the study names"},
	{"storage/disk/loop.go", "OpenFile", "a device of the kernel, or the class's own image"},
	{"storage/disk/loop.go", "WriteFile", "a file of the kernel"},
	{"storage/disk/remount.go", "OpenFile", "a device of the kernel"},
}

func TestFilesOfRootAreMadeBySafefile(t *testing.T) {
	used := make([]bool, len(exempt))
	for _, dir := range asRoot {
		err := filepath.WalkDir(filepath.Join("../../internal", dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(filepath.Dir(path), "test") {
				return err
			}
			name := strings.TrimPrefix(filepath.ToSlash(path), "../../internal/")
			return eachByPath(path, func(function string, line int) {
				at := slices.IndexFunc(exempt, func(e struct{ file, function, reason string }) bool { return e.file == name && e.function == function })
				if at < 0 {
					t.Errorf("internal/%s:%d calls os.%s, which takes what it finds: use package safefile, or give the reason in test/layers", name, line, function)
				} else {
					used[at] = true
				}
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, e := range exempt {
		if !used[i] {
			t.Errorf("internal/%s does not call os.%s any more: remove its line", e.file, e.function)
		}
	}
}

func eachByPath(path string, found func(function string, line int)) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		selected, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if from, ok := selected.X.(*ast.Ident); ok && from.Name == "os" && slices.Contains(byPath, selected.Sel.Name) {
			found(selected.Sel.Name, set.Position(n.Pos()).Line)
		}
		return true
	})
	return nil
}

func TestEachByPathFindsCallsOfOSAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.go")
	text := "package x\nfunc f(root *os.Root) {\n\tos.Mkdir(\"a\", 0)\n\troot.Mkdir(\"a\", 0)\n\tos.Open(\"a\")\n\tg(os.Chmod)\n}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var all []string
	if err := eachByPath(path, func(function string, _ int) { all = append(all, function) }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(all, []string{"Mkdir", "Chmod"}) {
		t.Errorf("found %v", all)
	}
}
