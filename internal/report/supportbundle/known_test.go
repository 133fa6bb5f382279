package supportbundle

import (
	"strings"
	"testing"
)

// What is longer than a name, or has what names have not, is text.
func TestNamesHaveAnEnd(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{strings.Repeat("ü", longestName), "name-1"},
		{strings.Repeat("ü", longestName+1), "text-1"},
		{"two words", "text-1"},
		{strings.Repeat("ü", longestName-1) + "\xff", "text-1"},
	} {
		if got := newKnown(Options{}).text(c.text, ""); got != c.want {
			t.Errorf("%q is called %q, want %q", c.text, got, c.want)
		}
	}
}
