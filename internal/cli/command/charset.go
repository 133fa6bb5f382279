package command

import (
	"cmp"
	"io"
	"strings"

	"golang.org/x/term"

	"plimsoll/internal/text/sanitize"
)

// NamesUTF8 reports whether the environment's character set is UTF-8, as locale(7) finds it:
// the first of LC_ALL, LC_CTYPE and LANG that is set. Where none is, or it names a language
// without a character set, nothing speaks against UTF-8, which is what terminals show today.
func NamesUTF8(getenv func(string) string) bool {
	locale := cmp.Or(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG"))
	if locale == "C" || locale == "POSIX" {
		return false // the POSIX locale has ASCII alone
	}
	name, modifier, _ := strings.Cut(locale, "@")
	_, set, named := strings.Cut(name, ".")
	if !named {
		return modifier != "euro" // which stands for ISO 8859-15
	}
	return strings.EqualFold(strings.ReplaceAll(set, "-", ""), "utf8")
}

// isTerminal reports whether w writes to a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// ForReaders prepares the output for whoever reads it: a person at a terminal or a program. It
// gives the first error of writing to standard output.
func (s *State) ForReaders() *Output {
	// A terminal may not say how wide it is, and is one nevertheless.
	out, terminal := &Output{w: s.Stdout}, s.Width > 0 || isTerminal(s.Stdout)
	s.ascii = terminal && !NamesUTF8(s.Getenv)
	s.Stdout, s.Stderr = s.shown(out, terminal), s.shown(s.Stderr, isTerminal(s.Stderr))
	return out
}

// shown is where text is written for a person: cleaned of control characters, and on a
// terminal whose character set is not UTF-8 in ASCII. Files and pipes get UTF-8 always,
// so that a script reads the same wherever it runs.
func (s *State) shown(w io.Writer, terminal bool) io.Writer {
	if terminal && !NamesUTF8(s.Getenv) {
		w = sanitize.ASCII(w)
	}
	return sanitize.Writer(w)
}
