package cli

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"plimsoll/internal/cli/command"
	"plimsoll/test/docs"
)

// foreignFlags are flags of other programs that sentences name, by program.
var foreignFlags = map[string][]string{
	"apt-get":       {"--no-install-recommends"},
	"docker":        {"--cap-add", "--chmod", "--cpus", "--cpuset-cpus", "--device", "--file", "--memory", "--pids-limit", "--privileged", "--shm-size", "--ulimit"},
	"fio":           {"--invalidate", "--iomem_align", "--norandommap", "--verify"},
	"glusterd":      {"--log-file", "--log-level", "--no-daemon"},
	"helm, kubectl": {"--create-namespace", "--input", "--namespace"},
	"lvconvert":     {"--cachevol", "--type"},
	"mount":         {"--bind"},
	"radosgw-admin": {"--bucket", "--uid"},
	"setpriv":       {"--clear-groups", "--regid", "--reuid"},
	"smallfile":     {"--stonewall"},
	"systemctl":     {"--now"},
	"systemd-run":   {"--scope", "--user"},
	"versitygw":     {"--keep-alive", "--quiet"},
}

// TestFlagsOfSentences: every flag that a page or a message names is a flag of a command.
func TestFlagsOfSentences(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	flags := allFlags(newRoot(&command.State{Context: context.Background(), Getenv: os.Getenv}))
	for _, foreign := range foreignFlags {
		for _, name := range foreign {
			flags[name] = true
		}
	}
	check := func(path string, line int, flag string) {
		if !flags[flag] {
			t.Errorf("%s:%d: no command has the flag %s", strings.TrimPrefix(path, root+"/"), line, flag)
		}
	}
	pages, err := docs.Pages(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		_, prose, err := docs.Blocks(page)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(prose, "\n") {
			for _, m := range quotedFlag.FindAllStringSubmatch(line, -1) {
				check(page, i+1, m[1])
			}
		}
	}
	for path, named := range flagsOfMessages(t, filepath.Join(root, "internal")) {
		for _, f := range named {
			check(path, f.line, f.name)
		}
	}
}

var (
	quotedFlag = regexp.MustCompile("`(--[a-z][a-z0-9_-]*)[^`]*`")
	wordFlag   = regexp.MustCompile(`(?:^|\s)(--[a-z][a-z0-9-]*[a-z0-9])`)
)

// allFlags are the flags of a command and of all below it, with their dashes.
func allFlags(c *cobra.Command) map[string]bool {
	all := map[string]bool{"--help": true}
	add := func(f *pflag.Flag) { all["--"+f.Name] = true }
	c.Flags().VisitAll(add)
	c.PersistentFlags().VisitAll(add)
	for _, below := range c.Commands() {
		for name := range allFlags(below) {
			all[name] = true
		}
	}
	return all
}

// A namedFlag is one that a message has.
type namedFlag struct {
	name string
	line int
}

// flagsOfMessages are the flags in the texts of at least four words, by file.
func flagsOfMessages(t *testing.T, dir string) map[string][]namedFlag {
	t.Helper()
	all := map[string][]namedFlag{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			l, is := n.(*ast.BasicLit)
			if !is || l.Kind != token.STRING {
				return true
			}
			text, _ := strconv.Unquote(l.Value) // of a file that was parsed
			if len(strings.Fields(text)) >= 4 {
				for _, m := range wordFlag.FindAllStringSubmatch(text, -1) {
					all[path] = append(all[path], namedFlag{m[1], files.Position(l.Pos()).Line})
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Errorf("only %d files have messages with flags: the test proves nothing", len(all))
	}
	return all
}
