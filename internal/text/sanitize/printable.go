// Package sanitize keeps text that came from files and servers from
// commanding the terminal that it is shown on: control characters become
// visible escapes such as \u001b. Newlines and tabs stay.
package sanitize

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsControl reports whether a character does something instead of showing: the
// C0 and C1 sets and DEL, except newline and tab, and the characters that turn
// the direction of writing round (Unicode TR 36, "Bidirectional Text
// Spoofing").
func IsControl(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r):
		return true
	}
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// Text writes control characters as escapes.
func Text(s string) string {
	if strings.IndexFunc(s, IsControl) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		b.WriteString(shown(r))
	}
	return b.String()
}

func shown(r rune) string {
	if IsControl(r) {
		return escape(r)
	}
	return string(r)
}

func escape(r rune) string { return fmt.Sprintf(`\u%04x`, r) }

// JSON sanitizes the strings of a JSON text as Text does for text: "\u001b" then decodes to
// six characters instead of one. It returns a text without changes itself.
func JSON(text []byte) []byte {
	if harmless(text) {
		return text
	}
	var out bytes.Buffer
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r == '\\' && i+1 < len(text):
			size = escapeLength(text[i:])
			if escapesControl(text[i : i+size]) {
				out.WriteByte('\\') // the backslash becomes text
			}
			out.Write(text[i : i+size])
		case IsControl(r) && r != '\r':
			fmt.Fprintf(&out, `\\u%04x`, r)
		default:
			out.Write(text[i : i+size])
		}
		i += size
	}
	return out.Bytes()
}

// harmless reports whether a text is of visible ASCII and white space
// alone, without escapes, as nearly all files of a run are.
func harmless(text []byte) bool {
	for _, c := range text {
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' || c > '~' || c == '\\' {
			return false
		}
	}
	return true
}

// escapeLength is how long the escape is that the text begins with.
func escapeLength(text []byte) int {
	if text[1] == 'u' {
		return min(len(`\u0000`), len(text))
	}
	return 2
}

// escapesControl reports whether an escape stands for a control character.
func escapesControl(escape []byte) bool {
	var r rune
	switch escape[1] {
	case 'b', 'f', 'r':
		return true
	case 'u':
		if _, err := fmt.Sscanf(string(escape[2:]), "%04x", &r); err != nil {
			return false
		}
	}
	return escape[1] == 'u' && IsControl(r)
}

// style matches the escape sequences that the program itself may send to a terminal:
// colours and weights, such as bold or red (ECMA-48, SGR).
var style = regexp.MustCompile(`^\x1b\[(0|1|2|3[0-7])?m`)

// longestStyle is the length of the longest style, in bytes.
const longestStyle = len("\x1b[31m")

// Writer passes text on to w with Text applied; styles stay. What would be a command to
// continuous integration becomes an escape, too. A write may end within a character, a
// style or a command; the rest of it comes with the next.
func Writer(w io.Writer) io.Writer { return &writer{w: w} }

type writer struct {
	w    io.Writer
	held []byte // an incomplete character
	line line
	// commands are allowed at the beginning of lines.
	commands bool
}

// Write implements io.Writer.
func (w *writer) Write(p []byte) (int, error) {
	if len(w.held) == 0 && bytes.IndexFunc(p, unprintable) < 0 {
		if next, ok := w.line.over(p); ok {
			w.line = next
			return w.w.Write(p)
		}
	}
	text := append(w.held, p...)
	var out bytes.Buffer
	for len(text) > 0 && !incomplete(text) {
		n := 1
		if s := style.Find(text); s != nil {
			n = len(s)
			out.Write(s)
		} else if r, size := utf8.DecodeRune(text); r == utf8.RuneError {
			w.line.begun = true
			out.Write(text[:1])
		} else {
			n = size
			out.WriteString(w.shown(r))
		}
		text = text[n:]
	}
	w.held = bytes.Clone(text)
	if _, err := w.w.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// shown returns a character as it is passed on, escaped if it would complete a command.
func (w *writer) shown(r rune) string {
	var command bool
	if w.line, command = w.line.after(r); command && !(w.commands && r == ':') {
		return escape(r)
	}
	return shown(r)
}

func unprintable(r rune) bool { return r == utf8.RuneError || IsControl(r) }

// incomplete reports whether more bytes may make a character or a style of the text.
func incomplete(text []byte) bool {
	if !utf8.FullRune(text) {
		return true
	}
	return text[0] == '\x1b' && len(text) < longestStyle && !style.Match(text) &&
		bytes.IndexFunc(text[1:], func(r rune) bool { return r != '[' && (r < '0' || r > '9') }) < 0
}
