// Package screens holds what a run ends with against what a reader's screen has room for.
package screens

import (
	"fmt"
	"strings"

	"github.com/mattn/go-runewidth"
)

// What a screen has room for.
const (
	Lines   = 40
	Columns = 100
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
