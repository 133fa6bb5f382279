// Package screens holds what a run ends with against what a reader's screen has room for.
package screens

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"
)

// What a screen has room for.
const (
	Lines   = 40
	Columns = 100
)

// Words are the most that an answer, and a sentence of a screen, may have.
const (
	AnswerWords   = 60
	SentenceWords = 30
)

// Exceeds says by what a text is more than a screen; empty where it is not.
func Exceeds(text string) string {
	if n := strings.Count(text, "\n"); n > Lines {
		return fmt.Sprintf("%d lines", n)
	}
	for line := range strings.Lines(text) {
		if n := runewidth.StringWidth(strings.TrimRight(line, "\n")); n > Columns {
			return fmt.Sprintf("a line of %d columns: %s", n, line)
		}
	}
	return ""
}

// Words counts what of a text has a letter or a digit.
func Words(text string) (n int) {
	for _, word := range strings.Fields(text) {
		if strings.IndexFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0 {
			n++
		}
	}
	return n
}

// ends is where one sentence ends and the next begins.
var ends = regexp.MustCompile(`[.!?] +`)

// Unreadable says which sentence of a text is too long, or has more than one pair of brackets;
// empty for none.
func Unreadable(text string) string {
	for _, sentence := range ends.Split(text, -1) {
		if n := Words(sentence); n > SentenceWords {
			return fmt.Sprintf("a sentence of %d words: %s", n, sentence)
		}
		if n := strings.Count(sentence, "("); n > 1 {
			return fmt.Sprintf("a sentence with %d pairs of brackets: %s", n, sentence)
		}
	}
	return ""
}
