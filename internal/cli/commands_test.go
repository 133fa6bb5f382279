package cli

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/registry"
	"plimsoll/test/docs"
)

// TestCommandsOfPages: every command that a page shows exists, with every flag that it shows.
func TestCommandsOfPages(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := docs.Pages(root)
	if err != nil {
		t.Fatal(err)
	}
	all := 0
	for _, page := range pages {
		calls, err := docs.Calls(page, "plimsoll")
		if err != nil {
			t.Fatal(err)
		}
		all += len(calls)
		for _, c := range calls {
			if err := shown(c.Text); err != nil {
				t.Errorf("%s:%d: plimsoll %s: %v", strings.TrimPrefix(page, root+"/"), c.Line, c.Text, err)
			}
		}
	}
	if all < 200 {
		t.Errorf("found only %d commands: the test proves nothing", all)
	}
}

// shown reports why a call that a page shows cannot be made: no such command, no such flag. It
// may leave out arguments.
func shown(call string) error {
	c, rest, err := newRoot(&command.State{Context: context.Background(), Getenv: os.Getenv}).Find(strings.Fields(call))
	if err != nil {
		return err
	}
	for _, word := range rest {
		name, _, _ := strings.Cut(strings.Trim(word, "[]'\",."), "=")
		switch {
		case name == "--":
			return nil
		case name == "--help", name == "-h":
		case strings.HasPrefix(name, "--"):
			if c.Flag(name[2:]) == nil && c.InheritedFlags().Lookup(name[2:]) == nil {
				return fmt.Errorf("%s has no flag %s", c.CommandPath(), name)
			}
		case flagLetter.MatchString(name):
			if c.Flags().ShorthandLookup(name[1:]) == nil {
				return fmt.Errorf("%s has no flag %s", c.CommandPath(), name)
			}
		case c.HasSubCommands() && word == rest[0]:
			return c.ValidateArgs([]string{word})
		}
	}
	return nil
}

var flagLetter = regexp.MustCompile(`^-[a-z]$`)

func TestShown(t *testing.T) {
	for call, right := range map[string]bool{
		"run my-study.yaml --profile laptop":  true,
		"report --set":                        true,
		"report -f csv --table operations":    true,
		"compare A B --fail-if 'p95 > +5%'":   true,
		"study new":                           true,
		"study old":                           false,
		"ran my-study.yaml":                   false,
		"run my-study.yaml --profil laptop":   false,
		"report -q":                           false,
		"run my-study.yaml --json=true":       true,
		"plan my-study.yaml --error-limit 5%": false,
	} {
		if err := shown(call); (err == nil) != right {
			t.Errorf("%s: %v", call, err)
		}
	}
}

// TestKindsAreListed: the one list of workloads has each registered workload and no other, and
// likewise the list of storage classes.
func TestKindsAreListed(t *testing.T) {
	for page, registered := range map[string][]string{
		"workloads/index.md": registry.Workloads().Names(),
		"storage/index.md":   slices.Sorted(maps.Keys(registry.Kinds())),
	} {
		text, err := os.ReadFile(filepath.Join("../../docs", page))
		if err != nil {
			t.Fatal(err)
		}
		var listed []string
		for _, m := range listedKind.FindAllStringSubmatch(string(text), -1) {
			listed = append(listed, m[1])
		}
		if diff := cmp.Diff(registered, listed); diff != "" {
			t.Errorf("docs/%s (- registered, + listed):\n%s", page, diff)
		}
	}
}

// listedKind is the first cell of a table's row that names a kind and leads to its page.
var listedKind = regexp.MustCompile("(?m)^\\| \\[`([a-z0-9]+)`\\]\\(")
