package sanitize_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"plimsoll/internal/text/sanitize"
)

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"plain ≤ text\n\tin lines": "plain ≤ text\n\tin lines",
		"\x1b]0;title\x07":         `\u001b]0;title\u0007`,
		"a\rb\bc\x7f":              `a\u000db\u0008c\u007f`,
		"\u009b2J":                 `\u009b2J`,
		"user\u202etxt.exe":        `user\u202etxt.exe`,
	} {
		if got := sanitize.Text(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestJSON(t *testing.T) {
	for text, want := range map[string]string{
		`"\u001b[2J"`:         `\u001b[2J`,
		`"\u009B2J"`:          `\u009b2J`,
		`"\\u001b stays"`:     `\u001b stays`,
		`"a\nb\tc\"d\u00e9"`:  "a\nb\tc\"dé",
		`"\r\b\f"`:            `\r\b\f`,
		"\"raw \u009b \x7f\"": `raw \u009b \u007f`,
		"\r\n\"crlf\"\r\n":    "crlf",
	} {
		var got string
		if err := json.Unmarshal(sanitize.JSON([]byte(text)), &got); err != nil {
			t.Errorf("%q: %v", text, err)
		} else if !bytes.EqualFold([]byte(got), []byte(want)) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// However the text is cut into writes, styles and characters stay together,
// and nothing else commands the terminal.
func TestWriter(t *testing.T) {
	const text = "\x1b[1mbold\x1b[0m ≤ \x1b[2Jcleared \x1b]8;;x\x07 \x1b[8mhidden \x1b[31mred\x1b[0m \xff\n"
	const want = "\x1b[1mbold\x1b[0m ≤ \\u001b[2Jcleared \\u001b]8;;x\\u0007 \\u001b[8mhidden \x1b[31mred\x1b[0m \xff\n"
	for size := 1; size <= len(text); size++ {
		var out bytes.Buffer
		w := sanitize.Writer(&out)
		for rest := []byte(text); len(rest) > 0; {
			n, err := w.Write(rest[:min(size, len(rest))])
			if err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if out.String() != want {
			t.Errorf("in pieces of %d: %q, want %q", size, out.String(), want)
		}
	}
}

// However the text is cut into writes, none of its lines is a command to continuous
// integration; what only looks like one stays.
func TestWriterGivesNoCommands(t *testing.T) {
	for text, want := range map[string]string{
		"::error file=a::forged\n":             ":\\u003aerror file=a::forged\n",
		"words\n \t\u3000::stop-commands::x\n": "words\n \t\u3000:\\u003astop-commands::x\n",
		"\x1b[1m::add-mask::x":                 "\x1b[1m:\\u003aadd-mask::x",
		"x ##[error]y ##vso[task.complete]z":   "x ##\\u005berror]y ##vso\\u005btask.complete]z",
		"##teamcity[x] ###[y]":                 "##teamcity\\u005bx] ###\\u005by]",
		"std::vector at ::1, : : and a::\n":    "std::vector at ::1, : : and a::\n",
		"## [a](b)\n#[x]\n- ##x y[0]\n: x\n::": "## [a](b)\n#[x]\n- ##x y[0]\n: x\n:\\u003a",
	} {
		for size := 1; size <= len(text); size++ {
			var out bytes.Buffer
			w := sanitize.Writer(&out)
			for rest := []byte(text); len(rest) > 0; {
				n := min(size, len(rest))
				if _, err := w.Write(rest[:n]); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			if out.String() != want {
				t.Errorf("%q in pieces of %d: %q, want %q", text, size, out.String(), want)
			}
		}
	}
	var out bytes.Buffer
	if _, err := sanitize.Commanding(sanitize.Writer(&out)).Write([]byte("::notice title=x::y ##[z]\x1b[2J\n")); err != nil || out.String() != "::notice title=x::y ##\\u005bz]\\u001b[2J\n" {
		t.Errorf("our own: %q, %v", out.String(), err)
	}
}

// Another user may give a process any name.
func TestName(t *testing.T) {
	for text, want := range map[string]string{
		"postgres: writer":           "postgres: writer",
		"x\n::error\x1b[2J\tnothing": `x\u000a::error\u001b[2J\u0009nothing`,
		strings.Repeat("ä", 100):     strings.Repeat("ä", 64) + "…",
	} {
		if got := sanitize.Name(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"a": "\u001b\\", "b\b": ["\ud83d\ude00", 1]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if json.Valid(text) && !json.Valid(sanitize.JSON(text)) {
			t.Errorf("%q becomes %q", text, sanitize.JSON(text))
		}
	})
}
