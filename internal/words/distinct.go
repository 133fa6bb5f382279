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
// out, then the middle. Names that fit stay as they are; where even the width
// of both ends cannot tell names apart, they are numbered.
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
	for i, name := range short {
		short[i] = Middle(name, width)
	}
	return number(short, names, width)
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

// taken says that a text stands for one of the first names already, which is not
// this one.
func taken(texts, names []string, text, name string) bool {
	for i := range texts {
		if texts[i] == text && names[i] != name {
			return true
		}
	}
	return false
}
