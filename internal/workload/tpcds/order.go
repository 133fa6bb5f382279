package tpcds

import (
	"fmt"
	"regexp"
	"strings"
)

// last is the limit at the end of a query.
var last = regexp.MustCompile(`(?i)\blimit\s+\d+\s*$`)

// ordered gives a query with a limit an order of all its columns beside its own: where rows
// are equal in what it is ordered by, each engine and each run would otherwise be free to
// leave out another one, and answers could not be compared.
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
