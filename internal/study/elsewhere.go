package study

import (
	"slices"
	"strings"
)

// Elsewhere finds in a value, which a product is configured with, a path that leads out
// of the directory that the product keeps its files in: an absolute one, one of a home
// directory, or one that goes up. It is empty when there is none.
func Elsewhere(value string) string {
	for _, word := range strings.FieldsFunc(value, separates) {
		switch {
		case strings.HasPrefix(word, "/"),
			strings.HasPrefix(word, "~") && strings.Contains(word, "/"),
			slices.Contains(strings.Split(word, "/"), ".."):
			return word
		}
	}
	return ""
}

// separates reports whether a path may begin after this: of several, or of
// one that has a scheme, a name or a number before it (unix:/run/x, dir=/x,
// 5;/x).
func separates(r rune) bool { return strings.ContainsRune(" \t\r\n\v\f=:,;\"'`|()[]{}<>&@", r) }
