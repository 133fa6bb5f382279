package command

import (
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-runewidth"

	"plimsoll/internal/text/sanitize"
)

// PrintWrapped writes a line of text, in several lines where a terminal is narrower.
func (s *State) PrintWrapped(format string, arguments ...any) {
	s.wrapTo(s.Stdout, format, arguments...)
}

// Complain is PrintWrapped for standard error, where no password is repeated.
func (s *State) Complain(format string, arguments ...any) {
	s.wrapTo(s.Stderr, "%s", sanitize.Masked(fmt.Sprintf(format, arguments...)))
}

func (s *State) wrapTo(w io.Writer, format string, arguments ...any) {
	fmt.Fprintln(w, s.Wrapped(fmt.Sprintf(format, arguments...)))
}

// Wrapped is text as it fits the terminal, if there is one.
func (s *State) Wrapped(text string) string {
	if s.Width == 0 {
		return text
	}
	return WrapText(text, s.Columns())
}

// WrapText breaks lines between words; what continues is indented. A word
// that is too long is broken where the line ends.
func WrapText(text string, width int) string {
	const indent = "    "
	width = max(width, 2*len(indent))
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		rest := []rune(line)
		for {
			end := Fitting(rest, width)
			if end == len(rest) {
				break
			}
			at := end
			for i := end; i > len(indent); i-- {
				if rest[i] == ' ' {
					at = i
					break
				}
			}
			out = append(out, strings.TrimRight(string(rest[:at]), " "))
			rest = []rune(indent + strings.TrimLeft(string(rest[at:]), " "))
		}
		out = append(out, string(rest))
	}
	return strings.Join(out, "\n")
}

// Fitting is how many characters fit into a width in columns; at least one, so that
// there is progress.
func Fitting(text []rune, width int) int {
	used := 0
	for i, r := range text {
		if used += runewidth.RuneWidth(r); used > width {
			return max(i, 1)
		}
	}
	return len(text)
}
