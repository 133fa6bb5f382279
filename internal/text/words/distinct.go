// Package words writes names and quantities for people.
package words

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mattn/go-runewidth"
)

const ellipsis = "…"

// Distinct shortens names to a width in columns so that no two of them become
// the same text: first what all share at the beginning and the end is left
// out, then the middle, or, where both ends do not tell names apart, a part of
// every long word. Names that fit stay as they are; where nothing tells them apart,
// they are numbered.
func Distinct(names []string, width int) []string {
	short := slices.Clone(names)
	if fits(short, width) {
		return short
	}
	if head, tail := shared(names); head > 0 || tail > 0 {
		for i, name := range names {
			short[i] = mark(name, head, tail)
		}
	}
	middles := shortened(short, width, Middle)
	if distinct(middles, names) {
		return middles
	}
	if ofWords := shortened(ownWords(names), width, eachWord); distinct(ofWords, names) && fits(ofWords, width) {
		return ofWords
	}
	return number(middles, names, width)
}

func shortened(names []string, width int, shorten func(string, int) string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = shorten(name, width)
	}
	return out
}

// distinct reports whether no text stands for two names.
func distinct(texts, names []string) bool {
	for i, text := range texts {
		if taken(texts[:i], names, text, names[i]) {
			return false
		}
	}
	return true
}

// wordsOf are the parts of a name that are cut by themselves.
func wordsOf(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("- ,/", r) })
}

// ownWords leaves out the words that all names have, if something remains of each.
func ownWords(names []string) []string {
	common := wordsOf(names[0])
	for _, name := range names[1:] {
		has := wordsOf(name)
		common = slices.DeleteFunc(common, func(word string) bool { return !slices.Contains(has, word) })
	}
	own := make([]string, len(names))
	for i, name := range names {
		rest := slices.DeleteFunc(wordsOf(name), func(word string) bool { return slices.Contains(common, word) })
		if own[i] = strings.Join(rest, "-"); own[i] == "" {
			return names
		}
	}
	return own
}

// eachWord cuts the longest words of a name, again and again, until it fits or no
// word has more than three columns: the end of words with digits, which is where
// numbers are, and the beginning of others remains.
func eachWord(name string, width int) string {
	words := wordsOf(name)
	const least = 3
	for widest := width; widest >= least; widest-- {
		cut := make([]string, len(words))
		for i, word := range words {
			cut[i] = oneWord(word, widest)
		}
		if text := strings.Join(cut, "-"); runewidth.StringWidth(text) <= width {
			return text
		}
	}
	return name
}

func oneWord(word string, width int) string {
	have := runewidth.StringWidth(word)
	switch {
	case have <= width:
		return word
	case strings.ContainsAny(word, "0123456789"):
		return runewidth.TruncateLeft(word, have-width+1, ellipsis)
	}
	return runewidth.Truncate(word, width, ellipsis)
}

func fits(names []string, width int) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return runewidth.StringWidth(name) > width })
}

// Middle cuts the middle out of a text that is wider than the width.
func Middle(text string, width int) string {
	if runewidth.StringWidth(text) <= width {
		return text
	}
	if width < 3 {
		return runewidth.Truncate(text, width, "")
	}
	head := runewidth.Truncate(text, width/2, "")
	room := width - runewidth.StringWidth(head) - 1
	tail := runewidth.TruncateLeft(text, runewidth.StringWidth(text)-room, "")
	return strings.TrimRight(head, " ") + ellipsis + strings.TrimLeft(tail, " ")
}

// shared counts the bytes that all names have in common at the beginning and
// at the end, in whole words.
func shared(names []string) (head, tail int) {
	if len(names) < 2 {
		return 0, 0
	}
	prefix, suffix := names[0], names[0]
	for _, name := range names[1:] {
		for !strings.HasPrefix(name, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
		for !strings.HasSuffix(name, suffix) {
			suffix = suffix[1:]
		}
	}
	head = strings.LastIndexAny(prefix, separators) + 1
	if i := strings.IndexAny(suffix, separators); i >= 0 {
		tail = len(suffix) - i
	}
	for _, name := range names { // something must remain of every name
		if head+tail >= len(name) {
			return head, 0
		}
	}
	return head, tail
}

// separators end the words of a name.
const separators = "-_ ,./"

func mark(name string, head, tail int) string {
	text := name[head : len(name)-tail]
	if head > 0 {
		text = ellipsis + text
	}
	if tail > 0 {
		text += ellipsis
	}
	return text
}

// number tells apart what was cut to the same text although the names differ.
func number(short, names []string, width int) []string {
	out := slices.Clone(short)
	for i := range out {
		for n := 2; taken(out[:i], names, out[i], names[i]); n++ {
			suffix := "#" + strconv.Itoa(n)
			out[i] = runewidth.Truncate(short[i], max(1, width-len(suffix)), "") + suffix
		}
	}
	return out
}

// taken reports whether a text stands for one of the first names already,
// which is not this one.
func taken(texts, names []string, text, name string) bool {
	for i := range texts {
		if texts[i] == text && names[i] != name {
			return true
		}
	}
	return false
}
