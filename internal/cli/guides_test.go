package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/cli/author"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/study"
	"plimsoll/test/docs"
	"plimsoll/test/quick"
)

// asProgram in its environment makes this test binary the program itself.
const asProgram = "PLIMSOLL_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(Main(command.Process(), os.Args[1:]))
	}
	os.Exit(m.Run())
}

// TestGuides tries what the tutorial, the how-to guides and the explanations show: files are
// written as shown and studies among them are read, with each of their profiles. Commands
// that only read, plan and write are run by a shell, in the order of the page; of those that
// measure, or need a cluster, the command line is read, and its study must be there.
func TestGuides(t *testing.T) {
	quick.Skip(t, quick.Commands)
	root, err := filepath.Abs("../..") // each guide has a working directory of its own
	if err != nil {
		t.Fatal(err)
	}
	pages, err := docs.Guides(root)
	if err != nil {
		t.Fatal(err)
	}
	runs := unpacked(t, recorded)
	program := shellProgram(t)
	for _, page := range pages {
		t.Run(strings.TrimSuffix(filepath.Base(page), ".md"), func(t *testing.T) {
			g := newGuide(t, program, runs[0])
			blocks, _, err := docs.Blocks(page)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range blocks {
				if err := g.block(b); err != nil {
					t.Errorf("%s:%v", strings.TrimPrefix(page, root+"/"), err)
				}
			}
		})
	}
}

// shellProgram is a directory with the program under its name, for the PATH of a shell.
func shellProgram(t *testing.T) string {
	t.Helper()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	text := fmt.Sprintf("#!/bin/sh\n%s=1 exec '%s' \"$@\"\n", asProgram, own)
	if err := os.WriteFile(filepath.Join(dir, "plimsoll"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A guide is a page that is followed, in a directory of its own.
type guide struct {
	*site
	program string
}

// newGuide has what pages take for granted: two storages, a run before and after a change,
// and the password of a database.
func newGuide(t *testing.T, program, run string) *guide {
	g := &guide{newSite(t), program}
	g.Env["BENCH_PASSWORD"] = "change-me"
	for _, dir := range []string{"mnt/fast", "mnt/slow", "runs"} {
		if err := os.MkdirAll(filepath.Join(g.Dir, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"before", "after"} {
		if err := os.CopyFS(filepath.Join(g.Dir, "runs", name), os.DirFS(run)); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// here is a text of a page with its storages in the directory of the guide.
func (g *guide) here(text string) string { return strings.ReplaceAll(text, "/mnt/", g.Dir+"/mnt/") }

func (g *guide) block(b docs.Block) error {
	if b.Title != "" {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(g.Dir, b.Title)), 0o755); err != nil {
			return err
		}
		g.Write(b.Title, g.here(b.Text))
	}
	if strings.HasPrefix(b.Text, "study:") {
		if err := g.study(b); err != nil {
			return fmt.Errorf("%d: %w", b.Line, err)
		}
	} else if b.Language == "yaml" && b.Title == "" {
		return fmt.Errorf("%d: a file without a name, title=\"…\", is not tried", b.Line)
	}
	for _, c := range b.Commands() {
		if err := g.follow(c.Text); err != nil {
			return fmt.Errorf("%d: %s: %w", c.Line, c.Text, err)
		}
	}
	return nil
}

// study reads a study and each of its profiles.
func (g *guide) study(b docs.Block) error {
	text := []byte(g.here(b.Text))
	for _, profile := range append([]string{""}, study.Profiles(text)...) {
		if _, err := study.Parse(b.Title, text, profile, facts.Vocabulary(registry.Parts())); err != nil {
			return err
		}
	}
	return nil
}

// others are programs that pages show as well; they are not run.
var others = []string{"psql", "read"}

func (g *guide) follow(line string) error {
	first, _, _ := strings.Cut(line, " ")
	if first != "plimsoll" {
		if !slices.Contains(others, first) {
			return errors.New("no program of ours, nor one of those that pages may show")
		}
		return nil
	}
	args, err := argumentsOf(g.here(line))
	if err != nil {
		return err
	}
	c, err := g.parsed(args)
	if err != nil {
		return err
	}
	if !cheap(c.CommandPath(), args) {
		return g.studyIsThere(c)
	}
	return g.shell(g.here(line))
}

// argumentsOf a line are what a shell gives the program, wherever its output goes.
func argumentsOf(line string) ([]string, error) {
	out, err := exec.Command("sh", "-c", `exec 3>&1; plimsoll() { printf '%s\n' "$@" >&3; }; `+line).Output()
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"), nil
}

// parsed is the command that is called, with its flags read and its arguments counted.
func (g *guide) parsed(args []string) (*cobra.Command, error) {
	c, rest, err := newRoot(g.State()).Find(args)
	if err != nil {
		return nil, err
	}
	if err := c.ParseFlags(rest); err != nil {
		return nil, err
	}
	return c, c.ValidateArgs(c.Flags().Args())
}

// cheap reports whether a command measures nothing and needs no cluster.
func cheap(command string, args []string) bool {
	if slices.Contains(args, "kubernetes") || slices.Contains(args, "cluster") {
		return false
	}
	return slices.Contains([]string{"compare", "list", "plan", "report", "schema", "show", "size", "studies", "study new", "version"},
		strings.TrimPrefix(command, "plimsoll "))
}

// studyIsThere checks that a study which is only planned or run elsewhere can be read.
func (g *guide) studyIsThere(c *cobra.Command) error {
	if name := c.Name(); name != "run" && name != "plan" || c.Flags().NArg() == 0 {
		return nil
	}
	_, text, err := author.ReadStudy(g.State(), c.Flags().Arg(0))
	if err != nil {
		return err
	}
	profile, _ := c.Flags().GetString("profile")
	_, err = study.Parse(c.Flags().Arg(0), text, profile, facts.Vocabulary(registry.Parts()))
	return err
}

// shell runs a line. A comparison may find something, and a report may be refused for its
// grade: the pages are about real runs, these are recorded ones.
func (g *guide) shell(line string) error {
	c := exec.Command("sh", "-c", line)
	c.Dir = g.Dir
	c.Env = append(os.Environ(), "PATH="+g.program+":"+os.Getenv("PATH"))
	for name, value := range g.Env {
		c.Env = append(c.Env, name+"="+value)
	}
	out, err := c.CombinedOutput()
	if err == nil || slices.Contains([]int{command.ExitRefused, command.ExitDifferent, command.ExitInconclusive}, c.ProcessState.ExitCode()) {
		return nil
	}
	return fmt.Errorf("%w\n%s", err, out)
}

// TestDocs: the generated pages have every command that help shows, with each of its flags,
// and every field and kind of the schema.
func TestDocs(t *testing.T) {
	s := newSite(t)
	if code, _, errs := s.plimsoll("docs", "pages"); code != 0 {
		t.Fatal(errs)
	}
	commands, fields := string(readFile(t, "pages/commands.md")), string(readFile(t, "pages/study-fields.md"))
	for _, want := range []string{"\n## plimsoll run\n", "\n## plimsoll study new\n", "--fail-if", "plimsoll compare runs/before runs/after\n", "--json"} {
		if !strings.Contains(commands, want) {
			t.Errorf("the page of commands lacks %q", want)
		}
	}
	if strings.Contains(commands, "## plimsoll man") {
		t.Error("the page of commands has a hidden one")
	}
	parts := facts.Vocabulary(registry.Parts())
	for title, kinds := range map[string]map[string]study.VocabularyEntry{"Workload": parts.Workloads, "Storage class": parts.Classes, "Platform": parts.Platforms} {
		for name := range kinds {
			if want := fmt.Sprintf("\n## %s `%s`\n", title, name); !strings.Contains(fields, want) {
				t.Errorf("the page of fields lacks %q", want)
			}
		}
	}
	for _, want := range []string{"| `study` |", "| `storage.<name>.class` |", "| `engine.memory` | size |", "| `phases.warmup` | duration |", "| `members[].load.users` |", "| `prices.items[].price` |"} {
		if !strings.Contains(fields, want) {
			t.Errorf("the page of fields lacks %q", want)
		}
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
