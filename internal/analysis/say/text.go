package say

import (
	"fmt"
	"math"
	"strings"

	"plimsoll/internal/text/words"
)

// F formats a text of the analysis, as fmt.Sprintf does. The English format is the key under which the
// language of the program has it (see translation), so every sentence, clause and word of a report that is
// no name, unit or figure is a literal handed to F. A word that is only known when the program runs, such
// as the noun for what a rung counts, goes through Noun.
func F(format string, args ...any) string { return fmt.Sprintf(translation(format), args...) }

// Phrase is F of a text that knows its figures.
func Phrase(format string, args ...any) words.Phrase { return words.Say(translation(format), args...) }

// Noun writes a noun that a study, a workload or the analysis has for what it counts.
func Noun(english string) string { return translation(english) }

// Count writes "no instances", "1 instance" or "12 instances".
func Count(n int, noun string) string { return CountOf(n, noun, noun+"s") }

// CountOf is Count of a noun with its plural.
func CountOf(n int, noun, plural string) string {
	switch n {
	case 0:
		return F("no %s", Noun(plural))
	case 1:
		return "1 " + Noun(noun)
	}
	return words.Whole(n) + " " + Noun(plural)
}

// Join writes a list as "a, b and c".
func Join(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	last := len(items) - 1
	return F("%s and %s", strings.Join(items[:last], ", "), items[last])
}

// mostPercent is the largest relative change that Growth writes in full. Relative to a
// whole close to nothing, the digits of a change mean nothing.
const mostPercent = 100

// Growth writes a relative change without its sign: "12 %", and from a hundredfold on "more
// than 10,000 %".
func Growth(change float64) string {
	if change = math.Abs(change); change > mostPercent {
		return F("more than %s %%", words.Thousands(100*mostPercent))
	}
	return words.Percent(change)
}

// AboveOrBelow writes on which side of another figure one lies, and how far: "12 % above",
// "40 % below".
func AboveOrBelow(change float64) string {
	if change < 0 {
		return F("%s below", Growth(change))
	}
	return F("%s above", Growth(change))
}

// mostTimes is the largest ratio that Times tells, for the reason of mostPercent.
const mostTimes = 1000

// Times writes a ratio with so many significant digits, and from a thousand on "more than
// 1,000".
func Times(ratio float64, digits int) string {
	if ratio > mostTimes {
		return F("more than %s", words.Thousands(mostTimes))
	}
	return words.Significant(ratio, digits)
}

// A writes a noun with its article: "an order", "a file", "an I/O".
func A(noun string) string {
	if noun != "" && strings.ContainsRune("aeiouAEIO", rune(noun[0])) {
		return F("an %s", Noun(noun))
	}
	return F("a %s", Noun(noun))
}
