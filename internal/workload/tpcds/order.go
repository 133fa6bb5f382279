package tpcds

import (
	"fmt"
	"regexp"
	"strings"
)

// last is the limit at the end of a query.
var last = regexp.MustCompile(`(?i)\blimit\s+\d+\s*$`)

// ordered extends the order of a query with a limit to all its columns. Otherwise engines
// and runs could choose different rows among those that the original order leaves equal,
// and answers would not be comparable.
func ordered(sql string, columns int) string {
	at := last.FindStringIndex(sql)
	if at == nil {
		return sql
	}
	var numbers []string
	for n := range columns {
		numbers = append(numbers, fmt.Sprint(n+1))
	}
	before, all := sql[:at[0]], strings.Join(numbers, ", ")
	if orders(before) {
		return before + "\n, " + all + "\n" + sql[at[0]:]
	}
	return before + "\nORDER BY " + all + "\n" + sql[at[0]:]
}

// orders reports whether a query has an order of its own, outside all brackets and texts.
func orders(sql string) bool {
	depth, plain := 0, strings.Builder{}
	inText := false
	for _, r := range comments.ReplaceAllString(sql, "") {
		switch {
		case r == '\'':
			inText = !inText
		case inText:
		case r == '(':
			depth++
		case r == ')':
			depth--
		case depth == 0:
			plain.WriteRune(r)
		}
	}
	return orderBy.MatchString(plain.String())
}

var (
	comments = regexp.MustCompile(`--[^\n]*`)
	orderBy  = regexp.MustCompile(`(?i)\border\s+by\b`)
)
