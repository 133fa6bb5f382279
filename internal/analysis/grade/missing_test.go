package grade

import "testing"

func TestMissingTrialsInWords(t *testing.T) {
	for want, c := range map[string][3]int{"1 of 3 at 4": {1, 3, 4}, "all at 8": {3, 3, 8}} {
		if got := missingText(c[0], c[1], c[2]).Text; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
