// Package docs reads the pages for readers, for the tests that follow their links and run
// the commands that they show.
package docs

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A Block is what stands between two fences of a page.
type Block struct {
	Language string // the word after the fence: "console", "yaml"
	Title    string // of title="…" after it: the name of the file that is shown
	Line     int    // of the page, counted from 1, on which the text begins
	Text     string
}

var (
	fence = regexp.MustCompile("^\\s*(```+)\\s*([a-z]*)\\s*(.*)$")
	title = regexp.MustCompile(`title="([^"]+)"`)
)

// Blocks reads the fenced blocks of a page, and the page without them: their lines are
// empty in it, so that lines keep their numbers.
func Blocks(path string) (blocks []Block, prose string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, "", err
	}
	var open string
	var rest []string
	for i, line := range strings.Split(string(text), "\n") {
		m := fence.FindStringSubmatch(line)
		switch {
		case open == "" && m != nil:
			open = m[1]
			b := Block{Language: m[2], Line: i + 2}
			if named := title.FindStringSubmatch(m[3]); named != nil {
				b.Title = named[1]
			}
			blocks = append(blocks, b)
			line = ""
		case m != nil && m[1] == open:
			open, line = "", ""
		case open != "":
			blocks[len(blocks)-1].Text += line + "\n"
			line = ""
		}
		rest = append(rest, line)
	}
	if open != "" {
		return nil, "", fmt.Errorf("%s:%d: the block has no end", path, blocks[len(blocks)-1].Line)
	}
	return blocks, strings.Join(rest, "\n"), nil
}

// Prompt begins the lines of a console that are typed; all others are output.
const Prompt = "$ "

// A Command is a line that a page shows as typed.
type Command struct {
	Line int // of the page
	Text string
}

// Commands are the typed lines of a block, from first to last.
func (b Block) Commands() (typed []Command) {
	for i, line := range strings.Split(b.Text, "\n") {
		if command, ok := strings.CutPrefix(line, Prompt); ok {
			typed = append(typed, Command{b.Line + i, command})
		}
	}
	return typed
}

// Calls are the calls of a program that a page shows, in text or in blocks, without its name.
func Calls(path, program string) (calls []Command, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	name := `(?:\./)?(?:bin/)?` + program + ` ([^` + "`" + `#|>;&\\]+)`
	inText := regexp.MustCompile("`" + name)
	inBlock := regexp.MustCompile(`(?:^\s*|[|&;(]\s*|\$ |run: )(?:[A-Z_]+=\S* )*` + name)
	var open bool
	for i, line := range strings.Split(string(text), "\n") {
		if fence.MatchString(line) {
			open = !open
			continue
		}
		shown := inText
		if open {
			shown = inBlock
		}
		for _, m := range shown.FindAllStringSubmatch(line, -1) {
			calls = append(calls, Command{i + 1, strings.TrimSpace(m[1])})
		}
	}
	return calls, nil
}

// Pages are all texts in Markdown that people read. Root is the repository.
func Pages(root string) (pages []string, err error) {
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "changelog/README.md"} {
		pages = append(pages, filepath.Join(root, name))
	}
	err = filepath.WalkDir(filepath.Join(root, "docs"), func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") {
			pages = append(pages, path)
		}
		return err
	})
	return pages, err
}

// Guides are the pages whose commands and files are tried out by tests: tutorial, how-to
// guides and explanations. Root is the repository.
func Guides(root string) (pages []string, err error) {
	for _, pattern := range []string{"docs/index.md", "docs/tutorial/*.md", "docs/how-to/*.md", "docs/explanation/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("no pages %s: %v", pattern, err) //nolint:errorlint // there may be no error
		}
		pages = append(pages, found...)
	}
	return pages, nil
}
