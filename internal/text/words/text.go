package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Count writes "no instances", "1 instance" or "12 instances".
func Count(n int, noun string) string { return CountOf(n, noun, noun+"s") }

// CountOf is Count of a noun with its plural.
func CountOf(n int, noun, plural string) string {
	switch n {
	case 0:
		return "no " + plural
	case 1:
		return "1 " + noun
	}
	return Whole(n) + " " + plural
}

// A writes a noun with its article: "an order", "a file", "an I/O".
func A(noun string) string {
	if noun != "" && strings.ContainsRune("aeiouAEIO", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// Join writes a list as "a, b and c".
func Join(items []string) string {
	switch len(items) {
	case 0:
		return ""
	case 1:
		return items[0]
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}

// Sentences joins texts and adds a full stop to each. It omits empty ones.
func Sentences(texts ...string) string {
	var out []string
	for _, t := range texts {
		if t != "" {
			out = append(out, strings.TrimSuffix(t, ".")+".")
		}
	}
	return strings.Join(out, " ")
}

// Capital writes the first letter large, as at the beginning of a sentence.
func Capital(text string) string { return first(text, unicode.ToUpper) }

// Lower writes the first letter small, as within a sentence.
func Lower(text string) string { return first(text, unicode.ToLower) }

func first(text string, change func(rune) rune) string {
	r, n := utf8.DecodeRuneInString(text)
	if n == 0 {
		return text
	}
	return string(change(r)) + text[n:]
}

// NonEmpty are the texts that say something; it writes them into the slice that it is given.
func NonEmpty(texts []string) []string {
	out := texts[:0]
	for _, t := range texts {
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}
