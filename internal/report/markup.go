package report

import (
	"regexp"
	"strings"
)

// markup is text in Markdown. What users, files and servers call something becomes markup by
// plain, prose or code only, so that it is text in every place and nothing else.
type markup string

// What has a meaning within a line of GitHub-flavoured Markdown: code, emphasis,
// strikethrough, formulas, links, images, notes, tags, borders of tables, entities and
// addresses that become links by themselves.
var (
	everywhere = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "~", `\~`, "$", `\$`, "[", `\[`, "]", `\]`, "|", `\|`, "#", `\#`, "@", `\@`)
	tagBegin   = regexp.MustCompile(`<([A-Za-z/!?])`)
	entity     = regexp.MustCompile(`&([A-Za-z0-9]+;|\\#)`)
	underline  = regexp.MustCompile(`(^|[^\pL\pN])(_+)|(_+)([^\pL\pN]|$)`)
	address    = regexp.MustCompile(`(?i)(https?|ftp|mailto|xmpp):`)
	site       = regexp.MustCompile(`(?i)(www)\.`)
	lineBegin  = regexp.MustCompile(`^(?:([=>])|([-+])([- ]|$)|(\d{1,9})([.)])( |$))`)
)

// plain is text in which every character stands for itself (CommonMark 0.31.2, sections
// 2.4, 4 and 6; GFM 0.29, sections 4.10 and 6.9).
func plain(text string) markup { return begin(escape(text)) }

// escape is plain for text within a line.
func escape(text string) string {
	text = everywhere.Replace(strings.Join(strings.FieldsFunc(text, isBreak), " "))
	text = tagBegin.ReplaceAllString(text, `\<$1`)
	text = entity.ReplaceAllString(text, `\&$1`)
	text = underline.ReplaceAllStringFunc(text, func(s string) string { return strings.ReplaceAll(s, "_", `\_`) })
	text = address.ReplaceAllString(text, `$1\:`)
	return site.ReplaceAllString(text, `$1\.`)
}

func isBreak(r rune) bool { return r == '\n' || r == '\r' || r == '\t' || r == '\v' || r == '\f' }

// begin escapes what has a meaning at the beginning of a line: marks of lists and
// quotations, rules and underlines of headings.
func begin(text string) markup {
	return markup(lineBegin.ReplaceAllString(strings.TrimSpace(text), `$4\$1$2$5$3$6`))
}

// strong is plain text that stands out.
func strong(text string) markup { return "**" + plain(text) + "**" }

// plains are texts as plain.
func plains(texts ...string) []markup {
	all := make([]markup, len(texts))
	for i, text := range texts {
		all[i] = plain(text)
	}
	return all
}

// code is a name in the type of a program. One that Markdown cannot write so in every
// place is plain.
func code(text string) markup {
	if text == "" || text != strings.TrimSpace(text) || strings.ContainsAny(text, "`|\\\n\r\t") {
		return plain(text)
	}
	return markup("`" + text + "`")
}

// prose is a sentence in which only code marks are special.
func prose(text string) markup {
	var out strings.Builder
	from := 0
	for _, at := range codeMarks.FindAllStringSubmatchIndex(text, -1) {
		out.WriteString(escape(text[from:at[3]]) + string(code(text[at[4]:at[5]])))
		from = at[1]
	}
	out.WriteString(escape(text[from:]))
	return begin(out.String())
}
