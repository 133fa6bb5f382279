package report

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"plimsoll/internal/analysis"
	"plimsoll/test/quick"
)

// hostile are titles, names and messages that Markdown has another meaning for.
var hostile = []string{
	"# heading", "#", "title #", "## a\n## b", "Setext\n===", "===", "---", "***", "___", "- [ ] done", "- item", "+ item", "* item", "1. item", "12) item", "1986. A great year",
	"> quoted", "    indented code", "\tindented", "```\ncode", "~~~\ncode", "a | b", `a \| b`, `\`, `ends with \`, `\\`, "a\n\nb", "a  \nb",
	"<b>bold</b>", "<script>alert(1)</script>", "<!-- hidden", "<?php", "<![CDATA[x", "</div>", "<javascript:x>", "<a@b.example>", "a <= b", "a<b", "&lt;b&gt;", "&#x3c;b", "&copy;",
	"`code`", "``a`` `b", "a`b", "*a*", "**a**", "_a_", "__a__", "a*b*c", "_a_b_", "snake_case_name", "~a~", "~~a~~", "$a$ and $$b$$",
	"[a](javascript:alert(1))", "![a](http://example.com/x.png)", "[a][b]", "[b]: javascript:x", "[a]", "[^1]", "[^1]: note", "[x] done",
	"http://example.com/x", "see https://example.com.", "www.example.com", "ftp://example.com", "mailto:a@b.example", "a@b.example", "xmpp:a@b.example/c", "HTTPS://EXAMPLE.COM", "a_www.example.com",
	"| --- |", "|", ":---:", "a:\n: b", "@someone", "x]", "](", "!", "!\n[a](b)", "  ", "a\r\nb", "a\vb",
}

func parsed(source string) ast.Node {
	return goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote, extension.DefinitionList)).Parser().Parse(text.NewReader([]byte(source)))
}

// read gives the structure of a document, without what code is, and its text as a reader sees it.
func read(t *testing.T, source string) (structure, shown string) {
	t.Helper()
	var kinds, all strings.Builder
	err := ast.Walk(parsed(source), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				all.Write(n.Segment.Value([]byte(source)))
			}
		case *ast.String:
			if entering {
				all.Write(n.Value)
			}
		case *ast.CodeSpan:
		default:
			fmt.Fprintf(&kinds, "%v %v\n", n.Kind(), entering)
			if n.Type() == ast.TypeBlock && !entering {
				all.WriteString("\n")
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return kinds.String(), unescaped(all.String())
}

// unescaped takes the backslashes away that Markdown's text has before its marks.
func unescaped(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", text[i+1]) >= 0 {
			i++
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

// everyText puts a text in the place of each that an analysis holds.
func everyText(v reflect.Value, put string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			everyText(v.Elem(), put)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				everyText(v.Field(i), put)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			everyText(v.Index(i), put)
		}
	case reflect.String:
		if v.String() != "" && v.CanSet() {
			v.SetString(put)
		}
	}
}

// Whatever the texts of an analysis are, its Markdown has the structure that it has with
// harmless ones, and shows the texts as they are.
func TestMarkdownShowsTextAsItIs(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for name, make := range map[string]func() *analysis.Analysis{"live": liveFixture, "reference": referenceFixture} {
		with := func(text string) (structure, shown string) {
			a := make()
			everyText(reflect.ValueOf(a), text)
			var out bytes.Buffer
			if err := Markdown(&out, a); err != nil {
				t.Fatal(err)
			}
			return read(t, out.String())
		}
		want, harmless := with("word")
		count := strings.Count(harmless, "word")
		for _, text := range hostile {
			if strings.TrimSpace(text) == "" {
				continue
			}
			structure, shown := with(text)
			if structure != want {
				t.Errorf("%s: %q changes what the document consists of", name, text)
			}
			bare := func(text string) string {
				return strings.Join(strings.Fields(strings.ReplaceAll(text, "`", "")), " ")
			}
			if got := strings.Count(bare(shown), bare(text)); got < count {
				t.Errorf("%s: %q is shown %d times, a harmless text %d times", name, text, got, count)
			}
		}
	}
}

// Each text is one paragraph, cell or heading of nothing but itself.
func TestPlainIsText(t *testing.T) {
	for _, title := range hostile {
		for what, around := range map[string]string{"paragraph": "%s", "heading": "# %s", "item": "- %s", "cell": "| a | b |\n| --- | --- |\n| %s | c |", "bold": "**%s** and"} {
			structure, shown := read(t, fmt.Sprintf(around, plain(title)))
			want, _ := read(t, fmt.Sprintf(around, "word"))
			if text := strings.Join(strings.Fields(title), " "); text != "" && (structure != want || !strings.Contains(strings.Join(strings.Fields(shown), " "), text)) {
				t.Errorf("%q as a %s is read as %q:\n%s", title, what, shown, structure)
			}
		}
	}
}

func FuzzPlainIsText(f *testing.F) {
	for _, title := range hostile {
		f.Add(title)
	}
	f.Fuzz(func(t *testing.T, title string) {
		title = strings.ToValidUTF8(strings.ReplaceAll(title, "\x00", ""), "")
		if strings.TrimSpace(title) == "" {
			return
		}
		for _, write := range []func(string) markup{plain, prose} {
			for _, around := range []string{"%s", "# %s", "- %s", "| a | b |\n| --- | --- |\n| %s | c |"} {
				source := fmt.Sprintf(around, write(title))
				structure, _ := read(t, source)
				if want, _ := read(t, fmt.Sprintf(around, "word")); structure != want {
					t.Errorf("%q is read as\n%s", source, structure)
				}
			}
		}
	})
}
