package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// wordy finds turns that make a sentence longer than its thought: "those of which", "what it
// is", "is that of". docs/contributing/words.md says what to write.
var wordy = regexp.MustCompile(`(?i)\b(?:those|that) (?:of|which|who)\b|\bwhat (?:is|are|it|there)\b|\bof (?:which|whose)\b|\b(?:is|are) (?:that|those) of\b|\bbeside\b`)

// mostWordy is how many there may be in a thousand words of comments, messages and pages.
const mostWordy = 1.5

var word = regexp.MustCompile(`[A-Za-z']+`)

// prose is text that people read, and how wordy it is.
type prose struct{ words, found int }

func (p *prose) add(text string) {
	text = strings.Join(strings.Fields(text), " ")
	p.words += len(word.FindAllString(text, -1))
	p.found += len(wordy.FindAllString(text, -1))
}

func TestProseIsPlain(t *testing.T) {
	var all prose
	for _, dir := range []string{"internal", "cmd", "bench", "test", "site", "reference", "studies"} {
		everyFile(t, filepath.Join("../..", dir), ".go", func(path string) { all.addGo(t, path) })
	}
	everyFile(t, "../../web/src", ".ts", func(path string) { all.addComments(t, path) })
	everyFile(t, "../../docs", ".md", func(path string) { all.add(read(t, path)) })
	for _, page := range []string{"README.md", "CONTRIBUTING.md", "SECURITY.md"} {
		all.add(read(t, filepath.Join("../..", page)))
	}
	rate := 1000 * float64(all.found) / float64(all.words)
	t.Logf("%d in %d words: %.2f in a thousand", all.found, all.words, rate)
	if rate > mostWordy {
		t.Errorf("%d wordy turns in %d words, %.2f in a thousand, where %v are allowed: write as docs/contributing/words.md says", all.found, all.words, rate, mostWordy)
	}
}

func TestWordyTurnsAreFound(t *testing.T) {
	for text, n := range map[string]int{
		"the figures are those of the first": 1, "what it is": 1, "volumes, of\nwhich two": 1, "beside the house": 1,
		"the first figures, besides": 0, "what the study asks for": 0, "that the offer stands": 0,
	} {
		var p prose
		if p.add(text); p.found != n {
			t.Errorf("%q: %d turns, want %d", text, p.found, n)
		}
	}
}

// addGo adds comments, and strings of several words.
func (p *prose) addGo(t *testing.T, path string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range file.Comments {
		p.add(c.Text())
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			if text, err := strconv.Unquote(l.Value); err == nil && strings.Contains(text, " ") {
				p.add(text)
			}
		}
		return true
	})
}

// addComments adds the comments of a file of the page.
func (p *prose) addComments(t *testing.T, path string) {
	t.Helper()
	for _, c := range regexp.MustCompile(`(?s)/\*.*?\*/|(?m)//.*$`).FindAllString(read(t, path), -1) {
		p.add(c)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
