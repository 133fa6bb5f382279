package sanitize

import (
	"io"
	"unicode"
)

// line is how far a line has come towards a command that services of continuous
// integration take out of logs: "::" after nothing but white space (GitHub Actions), and
// "##[" or "##name[" anywhere (GitHub Actions, Azure Pipelines, TeamCity).
type line struct {
	begun  bool // something but white space is in it
	colon  bool // it begins with a colon, which came last
	hashes int  // how many came last, and after two of them letters; 2 is enough
}

// after is the line with one more character, and whether that makes a command of it.
func (l line) after(r rune) (next line, command bool) {
	switch {
	case r == '\n':
		return line{}, false
	case r == ':':
		return line{begun: true, colon: !l.begun}, l.colon
	case r == '#':
		return line{begun: true, hashes: min(l.hashes+1, 2)}, false
	case r == '[':
		return line{begun: true}, l.hashes == 2
	case l.hashes == 2 && (unicode.IsLetter(r) || r == '-'):
		return line{begun: true, hashes: 2}, false
	}
	return line{begun: l.begun || !unicode.IsSpace(r)}, false
}

// over returns the line after a text. ok is false if the text would make a command.
func (l line) over(text []byte) (next line, ok bool) {
	for _, r := range string(text) {
		var command bool
		if l, command = l.after(r); command {
			return l, false
		}
	}
	return l, true
}

// Commanding returns a Writer like w whose lines may begin with a workflow command, or w
// itself if it is not such a Writer. It is for callers that write commands themselves and
// let no foreign text begin a line.
func Commanding(w io.Writer) io.Writer {
	if own, ok := w.(*writer); ok {
		return &writer{w: own.w, commands: true}
	}
	return w
}

// Name is the name of something that another user chose, such as a process, in the line
// of a message: control characters and ends of lines are escapes, and of a long one the
// beginning is there.
func Name(s string) string {
	const most = 64
	text := make([]rune, 0, most)
	for _, r := range s {
		if len(text) == most {
			return string(text) + "…"
		}
		if r == '\n' || r == '\t' || IsControl(r) {
			text = append(text, []rune(escape(r))...)
			continue
		}
		text = append(text, r)
	}
	return string(text)
}
