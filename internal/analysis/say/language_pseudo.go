//go:build pseudo

package say

import (
	"regexp"
	"strings"
)

// translation gives a format in a language that a machine can tell from English: every letter has a mark.
// Verbs and `code` stay. What is still plain in a report did not come through F.
func translation(english string) string {
	var out strings.Builder
	rest := english
	for rest != "" {
		at := kept.FindStringIndex(rest)
		if at == nil {
			at = []int{len(rest), len(rest)}
		}
		out.WriteString(strings.Map(marked, rest[:at[0]]))
		out.WriteString(rest[at[0]:at[1]])
		rest = rest[at[1]:]
	}
	return out.String()
}

// kept are the verbs of a format, and code.
var kept = regexp.MustCompile("`[^`]*`|%[-+# 0]*[0-9*]*(?:\\.[0-9*]+)?(?:\\[[0-9]+\\])?[a-zA-Z%]")

// marked is a letter of another alphabet for each letter of English: those of full width.
func marked(r rune) rune {
	if 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' {
		return r - '!' + '！'
	}
	return r
}
