package docs

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// longest is how many characters a line of a page may have, rows of tables included: a longer
// one holds more than a reader takes in, and is a list, a table or several sentences.
const longest = 300

// TestLines: no line of a page is too long to read.
func TestLines(t *testing.T) {
	for _, page := range pages(t) {
		_, prose, err := Blocks(page)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(prose, "\n") {
			if n := utf8.RuneCountInString(line); n > longest {
				t.Errorf("%s:%d: %d characters, where %d are allowed: make it a list, a table or shorter sentences",
					strings.TrimPrefix(page, root+"/"), i+1, n, longest)
			}
		}
	}
}
